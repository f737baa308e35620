"""Seeds by a ranking, written for reading: the whole list in order, and page after page asked whether it may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p

from tests.reference.coverage import Task
from tests.reference.ranking import indegree


def from_top(task: Task, scores: Sequence[float], k: int) -> list[int]:
    """The highest scores first, ties to the smaller page."""
    for page in sorted(range(len(scores)), key=lambda page: (-scores[page], page)):
        if len(task.chosen) < k and task.may_pick(page):
            task.chosen.append(page)
    return task.chosen


def outdegree(task: Task, k: int) -> list[int]:
    return from_top(task, [len(targets) for targets in task.graph], k)


def by_indegree(task: Task, k: int) -> list[int]:
    return from_top(task, indegree(task.graph), k)


def sampler(task: Task, draws: Sequence[float], domains: Sequence[int], most: int, k: int) -> list[int]:
    """draw · ln(1 + links to the page), and at most so many of a domain."""
    scores = [draw * log1p(links) for draw, links in zip(draws, indegree(task.graph), strict=True)]
    seeds_of: Counter[int] = Counter()
    for page in sorted(range(len(scores)), key=lambda page: (-scores[page], page)):
        if len(task.chosen) < k and task.may_pick(page) and seeds_of[domains[page]] < most:
            task.chosen.append(page)
            seeds_of[domains[page]] += 1
    return task.chosen
