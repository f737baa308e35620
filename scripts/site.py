"""Hooks of MkDocs: pages of the site that do not lie in docs/, and links that hold both there and on GitHub.

README, CONTRIBUTING, CHANGELOG, the benchmarks and the notebooks become pages; the reference is made of the public
names.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File

import seedbed

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "examples/choose-seeds-for-my-crawl.ipynb": "examples/choose-seeds-for-my-crawl.md",
    "examples/which-order-pays.ipynb": "examples/which-order-pays.md",
}
"""Files outside docs/ by their place, and their place on the site."""
_LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>>|\s*$).*\n?)*)+", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not in docs/."""
    for place, page in ELSEWHERE.items():
        text = (ROOT / place).read_text("utf-8")
        files.append(File.generated(config, page, content=_notebook(text) if place.endswith(".ipynb") else text))
    files.append(File.generated(config, "reference.md", content=_reference()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to where their files are on the site; those to files that are no pages are plain text."""
    here = page.file.src_uri
    source = next((place for place, other in ELSEWHERE.items() if other == here), f"docs/{here}")

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        inside = ELSEWHERE.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if inside is None:
            return f']{{title="{target}"}}' if (ROOT / target).exists() else link[0]
        return link[1] + posixpath.relpath(inside, posixpath.dirname(here) or ".") + link[3]

    return _LINK.sub(moved, markdown)


def _notebook(text: str) -> str:
    """The text and the code of a notebook."""
    cells = json.loads(text)["cells"]
    parts = ["".join(cell["source"]) for cell in cells]
    code = [cell["cell_type"] == "code" for cell in cells]
    return "\n\n".join(f"```python\n{part}\n```" if one else part for part, one in zip(parts, code, strict=True)) + "\n"


def _reference() -> str:
    """Every public name with its docstring."""
    functions = [name for name in seedbed.__all__ if name.islower()]
    classes = [name for name in seedbed.__all__ if not name.islower()]
    lines = ["# Reference", "", "All names of `import seedbed as sb`, from their docstrings.", ""]
    for title, names in (("Functions", functions), ("Results, options and errors", classes)):
        lines += [f"## {title}", ""]
        for name in names:
            place = f"{getattr(seedbed, name).__module__}.{name}"
            lines += [f"::: {place}", "    options:", f"      heading: sb.{name}", f"      toc_label: sb.{name}", ""]
    return "\n".join(lines)


class FencedExamples(griffe.Extension):
    """Examples of docstrings as blocks of code; Markdown takes >>> for a quotation."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Fence the examples of one docstring."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```python\n{found[0].rstrip()}\n```\n", text)
