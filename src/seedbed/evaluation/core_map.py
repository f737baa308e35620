"""Cores as places on a plane, so that near cores are near: multidimensional scaling of their distances.

    stress = Σ_{i<j} (‖x_i − x_j‖ − d_ij)²        d_ij: the mean of the distances there and back, where there are any

Pairs without a way are put one link beyond the largest distance. Starts from classical scaling (Torgerson 1952) and
goes on by majorisation (de Leeuw 1977), in which the stress never rises. O(cores²) a round. Distances along links need
not fit a plane, so places are near the truth at best; the matrix is the truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.core_distances import between

Floats = NDArray[np.float64]
ROUNDS = 200
DIGITS = 6


def core_map(matrix: Floats) -> Floats:
    """A place (x, y) for each core, rounded so that it does not hang on the last digits of a sum."""
    wanted = both_ways(matrix)
    places = _classical(wanted)
    for _ in range(ROUNDS):
        places = _nearer(places, wanted)
    return np.round(places, DIGITS) + 0.0


def both_ways(matrix: Floats) -> Floats:
    """Distances without direction: the mean of there and back, or the one that is; past the largest where none is."""
    known = between(matrix)
    beyond = float(known.max()) + 1 if len(known) else 1.0
    ways = np.stack([matrix, matrix.T])
    there = np.isfinite(ways)
    count = there.sum(axis=0)
    wanted = np.where(count > 0, np.where(there, ways, 0.0).sum(axis=0) / np.maximum(count, 1), beyond)
    np.fill_diagonal(wanted, 0.0)
    return wanted


def _classical(wanted: Floats) -> Floats:
    """The two main axes of the squared distances, centred; an axis points to where its farthest core is."""
    count = len(wanted)
    middle = np.eye(count) - 1 / max(count, 1)
    values, axes = np.linalg.eigh(-0.5 * middle @ np.square(wanted) @ middle)
    places = np.zeros((count, 2))
    for axis, k in enumerate(range(count - 1, max(count - 3, -1), -1)):
        line = axes[:, k] * np.sqrt(max(values[k], 0.0))
        places[:, axis] = line * (1 if line[np.abs(line).argmax()] >= 0 else -1)
    return places


def _nearer(places: Floats, wanted: Floats) -> Floats:
    """One round of majorisation."""
    apart = np.sqrt(np.square(places[:, None] - places[None]).sum(axis=2))
    pull = np.divide(wanted, apart, out=np.zeros_like(wanted), where=apart > 1e-12)
    moved = (pull.sum(axis=1)[:, None] * places - pull @ places) / max(len(places), 1)
    return np.asarray(moved - moved.mean(axis=0) if len(moved) else moved)


def stress(places: Floats, wanted: Floats) -> float:
    """How far the places are from having the wanted distances."""
    apart = np.sqrt(np.square(places[:, None] - places[None]).sum(axis=2))
    return float(np.square(apart - wanted).sum() / 2)
