"""Keys that Flink folds away: `a.k = b.k AND a.k = 7` is planned as `k = 7` on both inputs and no key.

The rows are the same with the key and without it. With it, the query may share with others of the same join.
"""

from __future__ import annotations

from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.join_shape import JoinShape, KeyPair, with_keys
from funshare_flink.plan.predicates import accepted_values
from funshare_flink.plan.side import Side


@dataclass(frozen=True)
class EquiColumns:
    """An equality in the query as written: a column of the left input and one of the right, by scan column name."""

    left: str
    right: str


def pinned_columns(side: Side) -> frozenset[int]:
    """Base columns that this side's filters hold at one value each."""
    pinned = set()
    for condition in side.filters:
        accepted = accepted_values(condition, side.base)
        if accepted is None or accepted[1].nulls or len(accepted[1].ranges) != 1:
            continue
        only = accepted[1].ranges[0]
        if only.low is not None and only.low == only.high:
            pinned.add(accepted[0])
    return frozenset(pinned)


def may_have_folded_keys(shape: JoinShape) -> bool:
    """Whether constants on both sides may have hidden a key; only then is it worth to ask for `EquiColumns`."""
    return bool(pinned_columns(shape.left)) and bool(pinned_columns(shape.right))


def restore_folded_keys(shape: JoinShape, written: tuple[EquiColumns, ...]) -> JoinShape:
    """The shape with every written equality whose two columns are held at one and the same value."""
    have = {(rex.canonical(k.left), rex.canonical(k.right)) for k in shape.keys}
    left_pins, right_pins = pinned_columns(shape.left), pinned_columns(shape.right)
    extra: list[KeyPair] = []
    for pair in written:
        left, right = _column(shape.left, pair.left), _column(shape.right, pair.right)
        if left is None or right is None or (rex.canonical(left), rex.canonical(right)) in have:
            continue
        if left["inputIndex"] in left_pins and right["inputIndex"] in right_pins and _same_type(left, right):
            extra.append(KeyPair(left, right, False, left["type"], right["type"]))
            have.add((rex.canonical(left), rex.canonical(right)))
    return with_keys(shape, tuple(extra)) if extra else shape


def _column(side: Side, name: str) -> Json | None:
    for i, f in enumerate(side.base):
        if f.name == name:
            return rex.input_ref(i, f.type)
    return None


def _same_type(left: Json, right: Json) -> bool:
    return str(left["type"]).removesuffix(" NOT NULL") == str(right["type"]).removesuffix(" NOT NULL")
