"""Hypothesis strategies for small worlds: queries with filters, tails and slots, and groupings of them.

A law runs a thousand times, and each draw costs time, so a world is drawn as bytes that choose from the tables here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId
from tests.grouping.cell_loads import CellLoads, CellQuery, Costs, World

T = TypeVar("T")
CLASSES = (ShareClassId("c1"), ShareClassId("c2"))
CELLS = 5
_SLOT = 1e6

_FILTERS = tuple(frozenset(i for i in range(CELLS) if mask >> i & 1) for mask in range(1, 2**CELLS))
_TAILS = ((0.0, None), (0.05 * _SLOT, None), (0.4 * _SLOT, None), (0.9 * _SLOT, 1), (1.6 * _SLOT, 1))
_WEIGHTS = ((0.2,) * CELLS, (0.6, 0.2, 0.1, 0.06, 0.04), (0.05, 0.05, 0.8, 0.05, 0.05))
_COSTS: tuple[Costs, ...] = tuple(
    (c0 * _SLOT, c1 * _SLOT, c2 * _SLOT)
    for c0 in (0.02, 0.3, 1.0)
    for c1 in (0.0, 0.2, 1.0)
    for c2 in (0.0, 0.5, 4.0, 20.0)
)
_KINDS = (*CLASSES[:1] * 5, CLASSES[1], CLASSES[1], None)
_BOTH_ALIKE = (None, None, *_FILTERS)
_PINNED = (False,) * 7 + (True,)
_QUERY: tuple[Sequence[Any], ...] = (_KINDS, _FILTERS, _BOTH_ALIKE, _TAILS, (1, 2, 3, 4), _PINNED)
_PLACE: tuple[Sequence[Any], ...] = (_COSTS, _COSTS, _WEIGHTS, (None, None, 0, 2))


def _chosen(drawn: bytes, tables: tuple[Sequence[Any], ...]) -> tuple[Any, ...]:
    """One of each table by one byte each."""
    return tuple(table[byte % len(table)] for byte, table in zip(drawn, tables, strict=True))


def _world(drawn: bytes, most: int) -> World:
    """The first byte says how many queries, then the place, then each query in turn."""
    cost_one, cost_two, weights, free = _chosen(drawn[1 : 1 + len(_PLACE)], _PLACE)
    found: list[Candidate] = []
    held: dict[ShareClassId, dict[QueryName, CellQuery]] = {c: {} for c in CLASSES}
    for number in range(1 + drawn[0] % most):
        start = 1 + len(_PLACE) + number * len(_QUERY)
        kind, left, right, tail, slots, pinned = _chosen(drawn[start : start + len(_QUERY)], _QUERY)
        name = QueryName(f"q{number}")
        found.append(Candidate(name, slots, kind, "" if kind else "outer join", pinned))
        if kind is not None:
            held[kind][name] = CellQuery(left, right or left, *tail)
    loads = {c: CellLoads(held[c], cost, weights) for c, cost in zip(CLASSES, (cost_one, cost_two), strict=True)}
    return World(tuple(found), loads, free)


def worlds(most: int = 5) -> st.SearchStrategy[World]:
    """One or two share classes, queries that cannot share, pinned ones; some are overloaded alone, some idle."""
    return _bytes(_size(most)).map(lambda drawn: _world(drawn, most))


def grouped(most: int = 5) -> st.SearchStrategy[tuple[World, Grouping]]:
    """A world and any grouping of it that keeps the rules; a query alone has its own slots."""

    def drawn_case(drawn: bytes) -> tuple[World, Grouping]:
        world = _world(drawn, most)
        return world, _grouping(world, drawn[_size(most) :])

    return _bytes(_size(most) + most).map(drawn_case)


def _size(most: int) -> int:
    return 1 + len(_PLACE) + most * len(_QUERY)


def _bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def _grouping(world: World, places: bytes) -> Grouping:
    buckets: dict[tuple[object, int], list[tuple[Candidate, int]]] = {}
    for number, (c, place) in enumerate(zip(world.candidates, places, strict=False)):
        free = c.share_class is not None and not c.pinned
        key = (c.share_class, place % 3) if free else (c.name, number)
        buckets.setdefault(key, []).append((c, place // 3 % 4))
    return Grouping("drawn", tuple(_drawn_group(members) for members in buckets.values()))


def _drawn_group(members: list[tuple[Candidate, int]]) -> Group:
    names = tuple(sorted(c.name for c, _ in members))
    most = sum(c.slots for c, _ in members)
    slots = most if len(names) == 1 else max(1, most - members[0][1])
    return Group(GroupId("+".join(names)), names, slots, members[0][0].share_class, "drawn")


def permuted(items: Sequence[T], chosen: Callable[[int], int]) -> list[T]:
    """All of `items` in an order that `chosen(n)`, a number below n, decides."""
    rest, found = list(items), []
    while rest:
        found.append(rest.pop(chosen(len(rest))))
    return found
