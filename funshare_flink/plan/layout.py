"""Which columns each side of a shared join carries, and how a member finds its own among them.

Carried are the join's own expressions (keys, time, window), computed once for all, and the plain scan columns that
any member reads. Every other expression is computed in the member's route, behind its own filter: it may fail for
rows that the member does not want, and would not be evaluated for them if the query ran alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.join_shape import INTERVAL, WINDOW, JoinShape, interval_bounds, window_columns
from funshare_flink.plan.members import Member
from funshare_flink.plan.side import Side
from funshare_flink.plan.types import Field, FieldType


@dataclass(frozen=True)
class Carried:
    """The columns that one side brings to the join, in order, without the query set's words."""

    expressions: tuple[Json, ...]
    fields: tuple[Field, ...]

    def index(self, expression: Json) -> int | None:
        """Where the expression is carried, or None."""
        text = rex.canonical(expression)
        return next((i for i, e in enumerate(self.expressions) if rex.canonical(e) == text), None)

    def position(self, expression: Json) -> int:
        """Where the expression is carried. Raises KeyError when it is not."""
        index = self.index(expression)
        if index is None:
            raise KeyError(rex.canonical(expression))
        return index

    def base_refs(self) -> tuple[int, ...]:
        """Base columns that the carried expressions read, ascending."""
        return tuple(sorted({i for e in self.expressions for i in rex.refs(e)}))


@dataclass(frozen=True)
class JoinColumns:
    """The expressions that the join itself needs, per side, in the share class's orientation."""

    first: tuple[tuple[Json, FieldType], ...]
    second: tuple[tuple[Json, FieldType], ...]


def carried_columns(members: Sequence[Member], second: bool) -> Carried:
    """Columns of the class's first or second side for these members: the join's own, then the members'."""
    lead = members[0].query
    own = join_columns(lead.shape, lead.swapped)
    side = lead.second if second else lead.first
    wanted: dict[str, tuple[Json, FieldType]] = {}
    for expression, field_type in own.second if second else own.first:
        wanted.setdefault(rex.canonical(expression), (expression, field_type))
    needed = sorted({i for m in members for i in _member_refs(m.query.second if second else m.query.first, wanted)})
    for i in needed:
        ref = rex.input_ref(i, side.base[i].type)
        wanted.setdefault(rex.canonical(ref), (ref, side.base[i].type))
    prefix = "r" if second else "l"
    fields = tuple(
        Field(f"{prefix}{i}_{_name(e, side)}", field_type) for i, (e, field_type) in enumerate(wanted.values())
    )
    return Carried(tuple(e for e, _ in wanted.values()), fields)


def _member_refs(side: Side, own: dict[str, tuple[Json, FieldType]]) -> set[int]:
    """Base columns that a member reads, other than inside the join's own expressions."""
    return {i for c in side.columns if rex.canonical(c) not in own for i in rex.refs(c)}


def _name(expression: Json, side: Side) -> str:
    return side.base[expression["inputIndex"]].name if rex.is_ref(expression) else "expr"


def join_columns(shape: JoinShape, swapped: bool) -> JoinColumns:
    """Keys (in the class's order), then time attributes or window bounds."""
    pairs = ordered_keys(shape, swapped)
    left = [(a, ta) for a, _, ta, _, _ in pairs]
    right = [(b, tb) for _, b, _, tb, _ in pairs]
    if shape.join.kind == INTERVAL:
        _, _, left_time, right_time = interval_bounds(shape, swapped)
        left.append((left_time, _type_in(shape, left_time, swapped, second=False)))
        right.append((right_time, _type_in(shape, right_time, swapped, second=True)))
    if shape.join.kind == WINDOW:
        names = ("rightWindowing", "leftWindowing") if swapped else ("leftWindowing", "rightWindowing")
        left += [(c, c["type"]) for c in window_columns(shape, names[0])]
        right += [(c, c["type"]) for c in window_columns(shape, names[1])]
    return JoinColumns(tuple(left), tuple(right))


def ordered_keys(shape: JoinShape, swapped: bool) -> list[tuple[Json, Json, FieldType, FieldType, bool]]:
    """Key pairs (first, second, their types, nulls match) in the share class's orientation and order."""
    pairs = [
        (k.right, k.left, k.right_type, k.left_type, k.nulls_match)
        if swapped
        else (k.left, k.right, k.left_type, k.right_type, k.nulls_match)
        for k in shape.keys
    ]
    return sorted(pairs, key=lambda p: (rex.canonical(p[0]), rex.canonical(p[1])))


def _type_in(shape: JoinShape, expression: Json, swapped: bool, second: bool) -> FieldType:
    """The type with which the expression enters the join (a time attribute's is not its function's)."""
    side = shape.left if second == swapped else shape.right
    for column, field in zip(side.columns, side.column_fields, strict=True):
        if rex.canonical(column) == rex.canonical(expression):
            return field.type
    result: FieldType = expression["type"]
    return result
