"""The text formats read line by line in plain Python."""

from __future__ import annotations

from typing import NamedTuple

BLANK = " \t\r"


class Plain(NamedTuple):
    """Names of the pages (None: they have none), how many there are, and the links listed."""

    names: list[str] | None
    pages: int
    links: list[tuple[int, int]]


def fields(line: str, separator: str | None, quotes: str = "none") -> list[str] | None:
    """The fields of a line (`separator` None: runs of blanks); None where a quote is not closed.

    quotes: "none", "csv" (a doubled one is a quote), "label" (one with a blank or the line's end behind it closes).
    """
    inside = BLANK if separator is None else BLANK.replace(separator, "")
    found = []
    rest = line.lstrip(inside)
    while rest or separator is not None:
        rest = rest.lstrip(inside)
        if separator is None and not rest:
            break
        if quotes != "none" and rest.startswith('"'):
            closing = _closing(rest, quotes)
            if closing is None:
                return None
            field, behind = rest[1:closing], rest[closing + 1 :]
            if separator is None:
                if behind and behind[0] not in BLANK:
                    return None
                rest = behind
            else:
                rest = behind.lstrip(inside)
                if rest and rest[0] != separator:
                    return None
            found.append(field.replace('""', '"') if quotes == "csv" else field)
        elif separator is None:
            length = next((k for k, letter in enumerate(rest) if letter in BLANK), len(rest))
            found.append(rest[:length])
            rest = rest[length:]
        else:
            field = rest.split(separator)[0]
            found.append(field.rstrip(BLANK))
            rest = rest[len(field) :]
        if separator is not None:
            if not rest:
                break
            rest = rest[1:]
    return found


def _closing(rest: str, quotes: str) -> int | None:
    k = 1
    while k < len(rest):
        if rest[k] == '"':
            after = rest[k + 1 : k + 2]
            if quotes == "label":
                if after == "" or after in BLANK:
                    return k
            elif after == '"':
                k += 1
            else:
                return k
        k += 1
    return None


def rows(text: str, separator: str | None, quotes: str = "none", comments: tuple[str, ...] = ()) -> list[list[str]]:
    """The fields of every line that is neither blank nor a comment."""
    inside = BLANK if separator is None else BLANK.replace(separator, "")
    lines = [line.lstrip(inside) for line in text.split("\n")]
    cut = [fields(line, separator, quotes) for line in lines if line and not line.startswith(comments)]
    if None in cut:
        raise ValueError("a quote is not closed")
    return [row for row in cut if row is not None]


def edges(text: str) -> Plain:
    """Two ids a line."""
    links = [(int(row[0]), int(row[1])) for row in rows(text, None, comments=("#", "%", "//"))]
    return Plain(None, 1 + max(max(link) for link in links), links)


def named_edges(pairs: list[tuple[str, str]]) -> Plain:
    """Two names a line; pages in the order of their names' bytes."""
    names = sorted({name for pair in pairs for name in pair}, key=str.encode)
    page = {name: k for k, name in enumerate(names)}
    return Plain(names, len(names), [(page[source], page[target]) for source, target in pairs])


def ukwa(text: str) -> Plain:
    """year|from|to<TAB>weight."""
    return named_edges([tuple(line.split("\t")[0].split("|")[1:3]) for line in text.split("\n") if line])  # type: ignore[misc]


def matrix_market(text: str) -> Plain:
    """Coordinate entries, 1-based."""
    lines = text.split("\n")
    symmetry = lines[0].lower().split()[4]
    body = [line.split() for line in lines if line.strip() and not line.startswith("%")]
    links = [(int(row[0]) - 1, int(row[1]) - 1) for row in body[1:]]
    if symmetry != "general":
        links += [(target, source) for source, target in links if source != target]
    return Plain(None, int(body[0][0]), links)


def pajek(text: str) -> Plain:
    """*Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist."""
    names: dict[int, str] = {}
    links: list[tuple[int, int]] = []
    section, pages = "", 0
    for line in text.split("\n"):
        row = fields(line, None, "label")
        if not row or row[0].startswith("%"):
            continue
        if row[0].startswith("*"):
            section = row[0][1:].lower()
            pages = int(row[1]) if section == "vertices" else pages
        elif section == "vertices":
            names[int(row[0])] = row[1]
        else:
            source, targets = int(row[0]) - 1, row[1:] if section.endswith("list") else row[1:2]
            for target in targets:
                links.append((source, int(target) - 1))
                if section.startswith("edges") and int(target) - 1 != source:
                    links.append((int(target) - 1, source))
    return Plain([names[k] for k in sorted(names)] or None, pages, links)


def kleinberg(text: str) -> Plain:
    """n id url, e from to."""
    lines = [line.split(None, 2) for line in text.split("\n") if line]
    names = {int(line[1]): line[2].rstrip(BLANK) for line in lines if line[0] == "n"}
    page = {number: k for k, number in enumerate(sorted(names))}
    links = [(page[int(line[1])], page[int(line[2])]) for line in lines if line[0] == "e"]
    return Plain([names[number] for number in sorted(names)], len(names), links)


def tables(pages: str, links: str, id_column: int, url_column: int) -> Plain:
    """A table of pages and a table of links, separated by tabs, without headers."""
    listed = [line.split("\t") for line in pages.split("\n") if line]
    names = {int(row[id_column]): row[url_column] for row in listed}
    page = {number: k for k, number in enumerate(sorted(names))}
    pairs = [line.split("\t") for line in links.split("\n") if line]
    ends = [(page[int(source)], page[int(target)]) for source, target in pairs]
    return Plain([names[number] for number in sorted(names)], len(names), ends)


def adjacency(text: str) -> Plain:
    """A page and all it links to, by id."""
    links: list[tuple[int, int]] = []
    largest = -1
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        row = [int(field.removesuffix(":")) for field in line.split() if not line.startswith("#")]
        row = row[:-1] if len(row) > 1 and row[-1] == -1 else row
        links += [(row[0], target) for target in row[1:]]
        largest = max([largest, *row])
    return Plain(None, largest + 1, links)
