"""Components of a web; the strong ones, by one walk. (The weak ones come with the pass in link_counts.py.)

Two pages belong together if each reaches the other. Tarjan (1972) in the form of Pearce (2016):
one number per page is in turn its place in the walk, the lowest place it reaches, and its component. The
walk needs no recursion and decodes each page once, because the targets it has yet to visit wait on a
stack. O(pages + links); 8 bytes per page and 4 per waiting target: on cnr-2000 one for every 50 links, and
never more than there are links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.links.link_store import page_count, successors
from seedbed.shape.degrees import tally

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore

LINKS_PER_CALL = 1 << 25
"""Links a kernel reads before it returns, so that Ctrl-C is handled and progress shown."""

ROOT, PATH, CLOSED, WAITING, PLACE, FOUND, VISITED = range(7)


@dataclass(frozen=True, eq=False)
class Components:
    """The component of each page, and the size of each component in pages."""

    of_page: NDArray[Any]
    sizes: Ints

    @property
    def count(self) -> int:
        """How many components there are."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """The size of the largest component; 0 in a web without pages."""
        return int(self.sizes.max(initial=0))

    @property
    def main(self) -> int:
        """The largest component; on a tie, the one with the smallest page. −1 if there is none."""
        return int(first_of_size(self.of_page, self.sizes, self.largest))


def strong_components(links: LinkStore, *, progress: Progress = no_progress) -> Components:
    """Components numbered in reverse topological order: links lead to the same component or an earlier one."""
    pages = links.page_count
    number = np.zeros(pages, page_dtype(pages))
    stack = np.empty(pages, number.dtype)
    waiting = np.empty(1 << 10, number.dtype)
    state = np.zeros(7, np.int64)
    state[CLOSED] = pages
    arrays, buffer = links.arrays(), links.buffer()
    while state[VISITED] < pages or state[WAITING] > 0:
        with links.guarded(buffer.at):
            waiting = walk_strong(arrays, buffer, number, stack, waiting, state, LINKS_PER_CALL)
        progress("strong components", int(state[VISITED]), pages)
    np.subtract(pages, number, out=number)
    return Components(frozen(number), frozen(tally(number, int(state[FOUND]))))


@kernel
def walk_strong(links: Any, buffer: Any, number: Any, stack: Any, waiting: Any, state: Ints, budget: int) -> Any:
    """Continue the depth-first walk until `budget` links are read or it is done; returns `waiting`.

    number[p] is 0 for a page not yet seen, the lowest place it is known to reach for one on the walk, and
    pages − component for one whose component is complete. Places are released when a component closes, so
    those numbers are always above every place in use. `stack` holds the path from its left end and, from its
    right end, pages that left the path but whose component is still open. `waiting` holds targets to visit
    and, below the targets of each page p on the path, p's own place and ~p.
    """
    pages = page_count(links)
    root, path, closed, top, place, found, visited = state
    read = 0
    while read < budget:
        if top == 0:
            while root < pages and number[root] != 0:
                root += 1
            if root == pages:
                break
            waiting[0] = root
            top = 1
        top -= 1
        page = waiting[top]
        if page >= 0 and number[page] == 0:
            targets = successors(links, page, buffer)
            read += targets.size + 1
            waiting = with_room(waiting, top, top + targets.size + 2)
            visited += 1
            place += 1
            stack[path] = page
            path += 1
            number[page] = place
            top = push_targets(number, page, targets, waiting, top)
            continue
        if page < 0:
            page = ~page
            top -= 1
            path -= 1
            if number[page] == waiting[top]:
                closed, place = label_component(number, stack, page, closed, place, pages - found)
                found += 1
            else:
                closed -= 1
                stack[closed] = page
        if path > 0 and number[page] < number[stack[path - 1]]:
            number[stack[path - 1]] = number[page]
    state[ROOT], state[PATH], state[CLOSED], state[WAITING] = root, path, closed, top
    state[PLACE], state[FOUND], state[VISITED] = place, found, visited
    return waiting


@kernel
def with_room(array: Any, used: int, needed: int) -> Any:
    """The array, or one at least twice as long with the same first `used` entries."""
    if needed <= array.size:
        return array
    longer = np.empty(max(needed, 2 * array.size), array.dtype)
    for k in range(used):
        longer[k] = array[k]
    return longer


@kernel
def push_targets(number: Any, page: int, targets: Any, waiting: Any, top: int) -> int:
    """Push a page that joins the path onto `waiting`, with its targets not yet seen; returns the new top."""
    lowest = number[page]
    waiting[top] = lowest
    waiting[top + 1] = ~page
    top += 2
    for target in targets:
        seen = number[target]
        if seen == 0:
            waiting[top] = target
            top += 1
        elif seen < lowest:
            lowest = seen
    number[page] = lowest
    return top


@kernel
def label_component(number: Any, stack: Any, page: int, closed: int, place: int, label: int) -> tuple[int, int]:
    """Label the component whose first page is `page`; returns the new right end of the stack, and place."""
    own = number[page]
    while closed < stack.size and number[stack[closed]] >= own:
        number[stack[closed]] = label
        closed += 1
        place -= 1
    number[page] = label
    return closed, place - 1


@kernel
def first_of_size(of_page: Any, sizes: Ints, size: int) -> int:
    """The component of the first page whose component has this size; −1 if there is none."""
    for component in of_page:
        if sizes[component] == size:
            return component
    return -1
