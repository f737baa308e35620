"""The kinds of site: how the pages of a host lead to each other.

    MENUS      every page has a menu that leads home and to other folders: a shop, a manual
    TREE       pages lead to pages of their folder, index pages down, and only some of them up: a university's site
    ARCHIVE    one page after another: day to day, page 1 of the list to page 2; no way to jump: a calendar, a blog
    HEAP       index pages list pages that lead nowhere on the site, and that no other page lists: notes, documents

A host is of one kind. Index pages lead home on some sites only. In all kinds but the first, some folders are not linked
from the folder above them: what is in there is found from other folders by chance, or not at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing
from seedbed.synth.random_draws import chance, chances, draw

KINDS = 4
MENUS, TREE, ARCHIVE, HEAP = range(KINDS)
_HOME, _BACK, _UNLINKED, _UP = 51, 52, 53, 54

# In the order of the kinds.
BARE = np.array([0.15, 0.40, 1.0, 1.0])  # of the pages have no menu
LEADS_HOME = np.array([1.0, 0.15, 0.15, 0.1])  # of the sites: index pages link to the home page
LEADS_UP = np.array([0.0, 0.25, 0.0, 0.0])  # of the folders: the index page links to the folder above
TO_INDEX = np.array([0.0, 0.6, 0.05, 0.05])  # of the pages link to their index page
CHOOSES = np.array([1.0, 0.12, 0.08, 0.08])  # of the pages may choose links inside their host
UNLINKED = 0.08  # of the folders
BACKWARD = 0.5  # of the archives lead both ways
BRANCHES = 3  # folders below a folder
YEAR = 12  # folders of an archive


def kinds_of(key: np.uint64, size: NDArray[np.int32]) -> NDArray[np.int64]:
    """The kind of each host: among every four hosts of about the same size, one of each."""
    blocks = -(-size.size // KINDS)
    dealt = np.argsort(chances(key, blocks * KINDS).reshape(blocks, KINDS), axis=1, kind="stable").ravel()
    kind = np.empty(size.size, np.int64)
    kind[np.argsort(-size, kind="stable")] = dealt[: size.size]
    return kind


@borrowing
def leads_home(host_key: np.uint64, kind: int) -> bool:
    """Whether the index pages of the host link to its home page."""
    return chance(host_key, _HOME) < LEADS_HOME[kind]


@borrowing
def leads_back(host_key: np.uint64) -> bool:
    """Whether an archive's pages link to the page before them, too."""
    return chance(host_key, _BACK) < BACKWARD


@borrowing
def folders_below(kind: int, folder: int, folders: int) -> tuple[int, int, int]:
    """The folders that a folder's index page links to, as a range; −1 is the home page.

    An archive's home page links to the first folder of each year, and each folder to the next.
    """
    if kind == ARCHIVE:
        return (0, folders, YEAR) if folder < 0 else (folder + 1, min(folder + 2, folders), 1)
    lowest = (folder + 1) * BRANCHES
    return lowest, min(lowest + BRANCHES, folders), 1


@borrowing
def folder_above(kind: int, folder: int) -> int:
    """The folder that links to a folder; −1 if the home page does. In an archive: the one before."""
    return folder - 1 if kind == ARCHIVE else folder // BRANCHES - 1


@borrowing
def leads_up(host_key: np.uint64, kind: int, folder: int) -> bool:
    """Whether the index page of a folder links to the folder above."""
    return leads_back(host_key) if kind == ARCHIVE else chance(draw(host_key, _UP), folder) < LEADS_UP[kind]


@borrowing
def is_linked(host_key: np.uint64, kind: int, folder: int) -> bool:
    """Whether the folder above a folder links to its index page."""
    return kind == MENUS or chance(draw(host_key, _UNLINKED), folder) >= UNLINKED
