"""Keys that Flink folds away: `a.k = b.k AND a.k = 7` is planned as `k = 7` on both inputs and no key.

The rows are the same with the key and without it. With it, the query may share with others of the same join.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.join_shape import JoinShape, KeyPair
from funshare_flink.plan.predicates import accepted_values
from funshare_flink.plan.side import Side
from funshare_flink.plan.values import Value


@dataclass(frozen=True)
class EquiColumns:
    """An equality in the query as written: a column of the left input and one of the right, by scan column name."""

    left: str
    right: str


def pinned_columns(side: Side) -> dict[int, Value]:
    """Base columns that this side's filters hold at one value each, with the value."""
    pinned: dict[int, Value] = {}
    for condition in side.filters:
        accepted = accepted_values(condition, side.base)
        if accepted is None or accepted[1].nulls or len(accepted[1].ranges) != 1:
            continue
        only = accepted[1].ranges[0]
        if only.low is not None and only.low == only.high:
            pinned[accepted[0]] = only.low
    return pinned


def may_have_folded_keys(shape: JoinShape) -> bool:
    """Whether constants on both sides may have hidden a key; only then is it worth to ask for `EquiColumns`."""
    return bool(pinned_columns(shape.left)) and bool(pinned_columns(shape.right))


def restore_folded_keys(shape: JoinShape, written: tuple[EquiColumns, ...]) -> JoinShape:
    """The shape with every written equality whose two columns are held at one and the same value.

    Other values tell that the equality belongs to a join that Flink has removed: as a key here it would lose rows.
    """
    have = {(rex.canonical(k.left), rex.canonical(k.right)) for k in shape.keys}
    left_pins, right_pins = pinned_columns(shape.left), pinned_columns(shape.right)
    extra: list[KeyPair] = []
    for pair in written:
        left, right = _column(shape.left, pair.left), _column(shape.right, pair.right)
        if left is None or right is None or (rex.canonical(left), rex.canonical(right)) in have:
            continue
        pins = left_pins.get(left["inputIndex"]), right_pins.get(right["inputIndex"])
        if pins[0] is not None and pins[0] == pins[1] and _same_type(left, right):
            extra.append(KeyPair(left, right, False, left["type"], right["type"]))
            have.add((rex.canonical(left), rex.canonical(right)))
    kept = tuple(k for k in shape.keys if not _always_equal(k))
    return replace(shape, keys=(*kept, *extra))


def _always_equal(key: KeyPair) -> bool:
    """Whether both sides of a key are one and the same constant: a window join alone keeps `7 = 7` as a key."""
    same = rex.canonical(key.left) == rex.canonical(key.right)
    return same and _is_constant(key.left)


def _is_constant(expression: Json) -> bool:
    if rex.function_of(expression) == "CAST":
        return _is_constant(expression["operands"][0])
    return rex.is_literal(expression) and expression.get("value") is not None


def _column(side: Side, name: str) -> Json | None:
    for i, f in enumerate(side.base):
        if f.name == name:
            return rex.input_ref(i, f.type)
    return None


def _same_type(left: Json, right: Json) -> bool:
    return str(left["type"]).removesuffix(" NOT NULL") == str(right["type"]).removesuffix(" NOT NULL")
