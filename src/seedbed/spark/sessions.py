"""Spark for a command: started as asked, stopped when it is done, and the web it works on."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from seedbed.common.results import MissingPackage
from seedbed.errors import InputError
from seedbed.spark.blocks.blocked_web import has_blocks
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from seedbed.spark.tasks import in_one_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from seedbed.graph.web import Web

PYTHON = "spark.pyspark.python"
LOGGING = files("seedbed.spark") / "log4j2.properties"


@contextmanager
def started(master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """A session on `master`; by default on the one that spark-submit names, else on this machine."""
    given, where = _configured(), where_to_run(master)
    wanted: dict[str, Any] = {
        "spark.app.name": "seedbed",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{LOGGING}",
    }
    if where.startswith("local"):
        # Tasks run in the Python that runs this, whatever "python3" is; and nobody else connects.
        wanted |= {PYTHON: sys.executable, "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    wanted = {name: value for name, value in wanted.items() if name not in given} | dict(settings or {})
    if PYTHON in wanted:
        os.environ["PYSPARK_PYTHON"] = wanted[PYTHON]  # only spark-submit heeds the setting itself
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.master(where).config(map=wanted).getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise InputError(_not_started(where, str(error))) from error
    try:
        yield session
    finally:
        session.stop()


def _not_started(where: str, trace: str) -> str:
    """Why there is no Spark, in one line."""
    if "stopped SparkContext" in trace or "Could not parse Master" in trace:
        return f"Spark's master {where} does not answer. Is it running, and is that its address?"
    if "JAVA_GATEWAY_EXITED" in trace or "Java gateway process exited" in trace:
        return "Spark needs Java 17 or later, which does not start here. Install it, or set JAVA_HOME."
    return f"Spark on {where} does not start: {in_one_line(trace).removeprefix('Spark stopped: ')}"


def where_to_run(master: str | None) -> str:
    """The master that is asked for, that spark-submit names, or this machine."""
    return master or _configured().get("spark.master") or "local[*]"


def _configured() -> dict[str, str]:
    """What spark-submit was given."""
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    try:
        from pyspark import SparkConf
    except ImportError:
        raise MissingPackage("pyspark") from None
    return dict(SparkConf(loadDefaults="PYSPARK_GATEWAY_PORT" in os.environ).getAll())


@contextmanager
def opened(
    path: str, read: Callable[[], Web], master: str | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[SparkWeb]:
    """The blocks at a path. Another web is cut into blocks while it is open, if all tasks run on this machine."""
    if has_blocks(path):
        with started(master, settings) as session:
            yield SparkWeb(session, path)
        return
    where = where_to_run(master)
    if not where.startswith("local"):
        raise InputError(
            f"{path}: has no blocks, which {where} works on. Make them: seedbed convert {path} WEB.blocks --engine "
            f"spark --master {where}"
        )
    web = read()
    with tempfile.TemporaryDirectory(prefix="seedbed-") as scratch, started(master, settings) as session:
        cut_web(web, f"{scratch}/web.blocks", session.sparkContext.defaultParallelism)
        yield SparkWeb(session, f"{scratch}/web.blocks")
