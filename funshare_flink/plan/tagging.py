"""The tag of one side: all members' filters in one call of the kernel.

`QS_TAG(spec, columns..., predicates...)` gives a row of 64-bit words, one bit a query. The spec's format is the
kernel's (jobs/kernel, `TagSpec`): queries, per column the accepted ranges with the bits that need them, and per
opaque predicate the bits that need it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.predicates import accepted_values, family_of
from funshare_flink.plan.types import Field
from funshare_flink.plan.values import Range, ValueSet, intersection

WORD_BITS = 64


@dataclass(frozen=True)
class Tag:
    """A side's tag: the kernel's spec, and its arguments over the side's base row (columns, then predicates)."""

    spec: str
    arguments: tuple[Json, ...]
    words: int


@dataclass(frozen=True)
class SideFilter:
    """One query's filter on one side: accepted values by column, and what only Flink can evaluate."""

    by_column: Mapping[int, ValueSet]
    opaque: tuple[Json, ...]

    @property
    def is_empty(self) -> bool:
        return not self.by_column and not self.opaque


def side_filter(filters: Sequence[Json], base: Sequence[Field]) -> SideFilter:
    """Sort a query's conditions (over the base row, all must hold) into indexed and opaque ones.

    When an opaque condition may throw, the conditions before it may be what protects it, so the whole
    conjunction is handed to Flink as one predicate, in its own order.
    """
    by_column: dict[int, ValueSet] = {}
    opaque: list[Json] = []
    for condition in filters:
        accepted = accepted_values(condition, base)
        if accepted is None:
            opaque.append(condition)
            continue
        column, values = accepted
        by_column[column] = intersection(by_column[column], values) if column in by_column else values
    if any(rex.may_throw(p) for p in opaque):
        whole = rex.all_of(list(filters))
        opaque = [whole] if whole is not None else []
        by_column = {}
    return SideFilter(by_column, tuple(opaque))


def make_tag(filters: Mapping[int, SideFilter], base: Sequence[Field], words: int) -> Tag | None:
    """The tag for queries by bit; None when no query filters on this side (then every row is everyone's)."""
    if all(f.is_empty for f in filters.values()):
        return None
    columns = sorted({c for f in filters.values() for c in f.by_column})
    predicates = _opaque_bits(filters)
    spec = {
        "v": 1,
        "queries": max(filters) + 1,
        "columns": [{"type": family_of(base[c].type), "sets": _column_sets(filters, c)} for c in columns],
        "opaque": [bits for _, bits in predicates.values()],
    }
    arguments = [rex.input_ref(c, base[c].type) for c in columns] + [p for p, _ in predicates.values()]
    return Tag(json.dumps(spec, separators=(",", ":")), tuple(arguments), words)


def _opaque_bits(filters: Mapping[int, SideFilter]) -> dict[str, tuple[Json, list[int]]]:
    """Each different predicate once, with the bits that need it."""
    result: dict[str, tuple[Json, list[int]]] = {}
    for bit in sorted(filters):
        for p in filters[bit].opaque:
            result.setdefault(rex.canonical(p), (p, []))[1].append(bit)
    unused = [bit for bit in range(max(filters)) if bit not in filters]
    if unused:  # bits of queries of the class that are not in this group: nothing is ever theirs
        result["unused"] = (rex.literal(False, "BOOLEAN NOT NULL"), unused)
    return result


def _column_sets(filters: Mapping[int, SideFilter], column: int) -> list[dict[str, object]]:
    bits: dict[ValueSet, list[int]] = {}
    for bit in sorted(filters):
        values = filters[bit].by_column.get(column)
        if values is not None:
            bits.setdefault(values, []).append(bit)
    return [
        {"bits": b, "ranges": [_range_json(r) for r in values.ranges], "nulls": values.nulls}
        for values, b in bits.items()
    ]


def _range_json(r: Range) -> list[object]:
    return [_value_json(r.low), r.low_closed, _value_json(r.high), r.high_closed]


def _value_json(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | str) else str(value)
