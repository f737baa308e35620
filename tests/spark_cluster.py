"""A Spark standalone cluster on this machine: a master and workers as processes, from PySpark's own distribution."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyspark

SPARK = Path(pyspark.__file__).parent
PATIENCE = 300


class Cluster:
    """A master and its workers, each in a process group with what it starts; logs are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._groups: list[subprocess.Popen[bytes]] = []
        self.master = ""
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
        self.master = self._logged("master", r"Starting Spark master at (spark://\S+)")

    def add_worker(self, name: str, *, inside: Sequence[str] = (), **environment: str) -> int:
        """Start a worker, inside another command if given; returns its number, once the master knows it."""
        words = ("--cores", "1", "--memory", "700m", "--host", "127.0.0.1", "--work-dir", str(self.folder / name))
        number = self._start(
            name, "org.apache.spark.deploy.worker.Worker", *words, self.master, inside=inside, **environment
        )
        self._logged(name, r"Successfully registered with master (\S+)")
        return number

    def kill(self, number: int) -> None:
        """Kill a worker, its executors and their tasks, as a power cut would."""
        os.killpg(self._groups[number].pid, signal.SIGKILL)
        self._groups[number].wait()

    def stop(self) -> None:
        """Stop everything."""
        for process in self._groups:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _start(self, name: str, kind: str, *words: str, inside: Sequence[str] = (), **environment: str) -> int:
        command = [*inside, str(SPARK / "bin" / "spark-class"), kind, "--webui-port", "0", *words]
        own = {"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1", **environment}
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **own}, start_new_session=True
            )
        self._groups.append(process)
        return len(self._groups) - 1

    def _logged(self, name: str, pattern: str) -> str:
        for _ in range(10 * PATIENCE):
            text = (self.folder / f"{name}.log").read_text(errors="replace")
            if found := re.search(pattern, text):
                return found[1]
            time.sleep(0.1)
        raise AssertionError(f"{name} did not start:\n{text}")


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster with some workers of one core each."""
    found = Cluster(folder)
    try:
        for number in range(workers):
            found.add_worker(f"worker-{number}")
        yield found
    finally:
        found.stop()


def seedbed(on: Cluster, *words: str, **settings: str) -> subprocess.Popen[str]:
    """The command, on a cluster."""
    given = {
        "spark.pyspark.python": sys.executable,
        "spark.executor.memory": "512m",
        "spark.shuffle.io.retryWait": "1s",
    }
    conf = [f"--conf={name}={value}" for name, value in (given | settings).items()]
    command = [sys.executable, "-m", "seedbed", *words, "--engine", "spark", "--master", on.master, *conf]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def finished(process: subprocess.Popen[str], code: int = 0) -> str:
    """What a command said."""
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, said
    return out if code == 0 else said.splitlines()[-1]
