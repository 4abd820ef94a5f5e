"""Sets of values of one column, as sorted disjoint ranges: what a filter accepts.

Values are int, Decimal, str or bool, all of one kind in one set; str compares by code point, which is the order
of Flink's strings (bytes of UTF-8). `nulls`: whether the filter is TRUE for SQL NULL.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

Value = int | Decimal | str | bool


@dataclass(frozen=True)
class Range:
    """From `low` to `high`; None is unbounded; each end closed or open."""

    low: Value | None = None
    low_closed: bool = False
    high: Value | None = None
    high_closed: bool = False

    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        if self.low == self.high:
            return not (self.low_closed and self.high_closed)
        return _less(self.high, self.low)


@dataclass(frozen=True)
class ValueSet:
    """Disjoint ranges in ascending order, and whether NULL is accepted."""

    ranges: tuple[Range, ...]
    nulls: bool = False


EVERYTHING = ValueSet((Range(),), nulls=True)
NOT_NULL = ValueSet((Range(),))
ONLY_NULL = ValueSet((), nulls=True)


def point(value: Value) -> Range:
    return Range(value, True, value, True)


def accepts(values: ValueSet, value: Value | None) -> bool:
    """Whether a value (None is SQL NULL) is in the set."""
    if value is None:
        return values.nulls
    return any(_inside(r, value) for r in values.ranges)


def value_set(ranges: tuple[Range, ...], nulls: bool = False) -> ValueSet:
    """The set of any ranges, in any order, overlapping or not."""
    merged: list[Range] = []
    for r in sorted((r for r in ranges if not r.is_empty()), key=_LowKey):
        if merged and _touches(merged[-1], r):
            merged[-1] = _joined(merged[-1], r)
        else:
            merged.append(r)
    return ValueSet(tuple(merged), nulls)


def union(a: ValueSet, b: ValueSet) -> ValueSet:
    return value_set(a.ranges + b.ranges, a.nulls or b.nulls)


def intersection(a: ValueSet, b: ValueSet) -> ValueSet:
    cuts = tuple(_overlap(x, y) for x in a.ranges for y in b.ranges)
    return value_set(cuts, a.nulls and b.nulls)


def intersect_all(sets: tuple[ValueSet, ...]) -> ValueSet:
    return reduce(intersection, sets, EVERYTHING)


def complement_of_points(points: tuple[Value, ...]) -> ValueSet:
    """Everything but NULL and these values: what `<>` and NOT IN accept."""
    result = NOT_NULL
    for p in points:
        result = intersection(result, ValueSet((Range(None, False, p, False), Range(p, False, None, False))))
    return result


def _less(a: Value, b: Value) -> bool:
    return bool(a < b)  # type: ignore[operator]


def _inside(r: Range, value: Value) -> bool:
    above = r.low is None or _less(r.low, value) or (r.low_closed and r.low == value)
    below = r.high is None or _less(value, r.high) or (r.high_closed and r.high == value)
    return above and below


class _LowKey:
    """Order of lower bounds: unbounded first, closed before open at one value."""

    def __init__(self, r: Range) -> None:
        self.r = r

    def __lt__(self, other: _LowKey) -> bool:
        a, b = self.r, other.r
        if a.low is None or b.low is None:
            return a.low is None and b.low is not None
        if a.low == b.low:
            return a.low_closed and not b.low_closed
        return _less(a.low, b.low)


def _touches(a: Range, b: Range) -> bool:
    """Whether `b`, which begins no earlier than `a`, leaves no gap after it."""
    if a.high is None or b.low is None:
        return True
    if a.high == b.low:
        return a.high_closed or b.low_closed
    return _less(b.low, a.high)


def _joined(a: Range, b: Range) -> Range:
    high = _higher(a, b)
    return Range(a.low, a.low_closed, high.high, high.high_closed)


def _higher(a: Range, b: Range) -> Range:
    if a.high is None or b.high is None:
        return a if a.high is None else b
    if a.high == b.high:
        return a if a.high_closed else b
    return b if _less(a.high, b.high) else a


def _overlap(a: Range, b: Range) -> Range:
    low = b if _LowKey(a) < _LowKey(b) else a
    high = b if _higher(a, b) is a else a
    if a.high == b.high and a.high is not None:
        return Range(low.low, low.low_closed, a.high, a.high_closed and b.high_closed)
    return Range(low.low, low.low_closed, high.high, high.high_closed)
