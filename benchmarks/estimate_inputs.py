"""Whole inputs for `benchmarks.estimates`, and what is true of them, counted on every row.

All filters are ranges, so the values of an attribute fall into cells between the filters' bounds; rows and pairs of any
group of queries are sums over the cells that its filters hold. Counting by cell once makes any number of groups cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DOMAIN = 1000
QUERIES = 64
DENSE_ROWS, DENSE_KEYS = 3_000_000, 500
SPARSE_LEFT, SPARSE_RIGHT = 400_000, 4_000_000
DURATION_S = 2400.0
BOUND_MS = {"dense": (-60_000, 60_000), "sparse": (0, 20_000)}
SHAPES = tuple(BOUND_MS)
ATTRIBUTES = ("uniform", "zipf 0.8", "zipf 1.2", "correlated", "shift")

Ints = NDArray[np.int64]
Ranges = tuple[Ints, Ints]


@dataclass(frozen=True)
class Side:
    """One whole input: join key, event time in ms, filter attribute."""

    keys: Ints
    times_ms: Ints
    attr: Ints


@dataclass(frozen=True)
class Case:
    """A shape of join and how the attributes are distributed."""

    shape: str
    attribute: str


def inputs(case: Case, chance: np.random.Generator) -> tuple[Side, Side]:
    """Both whole inputs in the order of time."""
    sides = _dense(chance) if case.shape == "dense" else _sparse(chance)
    left, right = (Side(k, t, attributes(chance, case.attribute, k, t)) for k, t in sides)
    return left, right


def _dense(chance: np.random.Generator) -> list[tuple[Ints, Ints]]:
    """Few keys that live as long as the range."""
    return [
        (chance.integers(0, DENSE_KEYS, DENSE_ROWS), np.sort(chance.integers(0, round(DURATION_S * 1000), DENSE_ROWS)))
        for _ in range(2)
    ]


def _sparse(chance: np.random.Generator) -> list[tuple[Ints, Ints]]:
    """Each left row has a key of its own, and right rows follow within 25 s, as bids follow their auction."""
    times = np.sort(chance.integers(0, round(DURATION_S * 1000), SPARSE_LEFT))
    of = chance.integers(0, SPARSE_LEFT, SPARSE_RIGHT)
    later = times[of] + chance.integers(0, 25_000, SPARSE_RIGHT)
    order = np.argsort(later, kind="stable")
    return [(np.arange(SPARSE_LEFT), times), (of[order], later[order])]


def attributes(chance: np.random.Generator, kind: str, keys: Ints, times_ms: Ints) -> Ints:
    """The attribute of each row."""
    rows = len(keys)
    match kind:
        case "uniform":
            return chance.integers(0, DOMAIN, rows)
        case "zipf 0.8" | "zipf 1.2":
            return _zipf(chance, rows, float(kind.split()[1]))
        case "correlated":
            # Both sides' attributes follow the join key, so a filter on one side says much of the other.
            return (keys * 7919 % DOMAIN + chance.integers(0, DOMAIN // 10, rows)) % DOMAIN
        case "shift":
            # In the middle of the range everything moves to other values.
            late = times_ms > DURATION_S * 500
            return np.where(late, (DOMAIN - 1) - _zipf(chance, rows, 0.8), _zipf(chance, rows, 0.8))
    raise ValueError(kind)


def _zipf(chance: np.random.Generator, rows: int, exponent: float) -> Ints:
    weights = np.arange(1, DOMAIN + 1) ** -exponent
    return np.searchsorted(np.cumsum(weights / weights.sum()), chance.random(rows)).astype(np.int64).clip(0, DOMAIN - 1)


def filters(chance: np.random.Generator) -> Ranges:
    """[queries] first value and number of values of each query's range: 1 to 20 % of the domain."""
    width = chance.integers(DOMAIN // 100, DOMAIN // 5, QUERIES)
    return (chance.random(QUERIES) * (DOMAIN - width)).astype(np.int64), width


class Exact:
    """Exact counts on all rows: rows of a side and pairs of both by cell; a group is a choice of cells."""

    def __init__(self, sides: tuple[Side, Side], ranges: tuple[Ranges, Ranges], bound_ms: tuple[int, int]) -> None:
        self._bounds = [_bounds(low, width) for low, width in ranges]
        self._ranges = ranges
        cells = [np.searchsorted(b, s.attr, side="right") - 1 for b, s in zip(self._bounds, sides, strict=True)]
        sizes = [len(b) for b in self._bounds]
        self._rows = [np.bincount(c, minlength=n) for c, n in zip(cells, sizes, strict=True)]
        self._pairs = _pairs_by_cell(sides, cells, sizes, bound_ms)

    def holds(self, side: int, members: list[int]) -> NDArray[np.bool_]:
        """[cells] wanted by any of the members."""
        held: NDArray[np.bool_] = self._each(side, members).any(axis=1)
        return held

    def in_cells(self, side: int, held: NDArray[np.bool_]) -> int:
        """Rows of a side in these cells."""
        return int(self._rows[side][held].sum())

    def all_rows(self, side: int) -> int:
        return int(self._rows[side].sum())

    def probed(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> int:
        """Pairs of a row in these cells of each side."""
        return int(self._pairs[np.ix_(left, right)].sum())

    @property
    def all_pairs(self) -> int:
        return int(self._pairs.sum())

    def handed_on(self, members: list[int]) -> int:
        """Pairs of which one member wants both rows."""
        left, right = (self._each(side, members).astype(np.int64) for side in (0, 1))
        return int(self._pairs[left @ right.T > 0].sum())

    def _each(self, side: int, members: list[int]) -> NDArray[np.bool_]:
        """[cells, members] who wants which."""
        low, width = self._ranges[side]
        begin = self._bounds[side][:, None]
        held: NDArray[np.bool_] = (begin >= low[members]) & (begin < (low + width)[members])
        return held


def _bounds(low: Ints, width: Ints) -> Ints:
    """Where cells begin."""
    bounds: Ints = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), low, low + width]))
    return bounds


def _pairs_by_cell(
    sides: tuple[Side, Side], cells: list[NDArray[np.intp]], sizes: list[int], bound_ms: tuple[int, int]
) -> Ints:
    """[left cells, right cells] pairs within the bound: for each cell of the right side a running count of its rows
    in the order of key and time, of which each left row's partners are one stretch."""
    # Wider than any time: (key, time) becomes one number that sorts like both.
    span = 4 * round(DURATION_S * 1000)
    order = [np.argsort(s.keys * span + s.times_ms, kind="stable") for s in sides]
    left, right = ((s.keys * span + s.times_ms)[o] for s, o in zip(sides, order, strict=True))
    begin = np.searchsorted(right, left + bound_ms[0], side="left")
    end = np.searchsorted(right, left + bound_ms[1], side="right")
    left_cell, right_cell = (c[o] for c, o in zip(cells, order, strict=True))
    found = np.zeros((sizes[0], sizes[1]), dtype=np.int64)
    for cell in range(sizes[1]):
        running = np.concatenate([[0], np.cumsum(right_cell == cell, dtype=np.int32)])
        found[:, cell] = np.bincount(left_cell, weights=running[end] - running[begin], minlength=sizes[0])
    return found
