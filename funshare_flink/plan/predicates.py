"""Filters as the kernel's index takes them: which values of one column a condition accepts.

What fits here is answered by binary search for all queries at once; whatever does not fit is left to Flink's own
expression and only its outcome is packed (an *opaque* predicate). Nothing is approximated. DOUBLE and FLOAT are
left to Flink: NaN and -0.0 have no place in an order of ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.types import Field, FieldType, root_of
from funshare_flink.plan.values import (
    NOT_NULL,
    ONLY_NULL,
    Range,
    Value,
    ValueSet,
    complement_of_points,
    intersection,
    point,
    union,
    value_set,
)

INT64, STRING, DECIMAL, BOOLEAN = "INT64", "STRING", "DECIMAL", "BOOLEAN"
_FAMILIES = {
    "TINYINT": INT64, "SMALLINT": INT64, "INT": INT64, "INTEGER": INT64, "BIGINT": INT64,
    "VARCHAR": STRING, "STRING": STRING, "DECIMAL": DECIMAL, "BOOLEAN": BOOLEAN,
}  # fmt: skip
_LITERAL_ROOTS = {
    INT64: ("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT"),
    STRING: ("CHAR", "VARCHAR"),
    DECIMAL: ("DECIMAL", "TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT"),
    BOOLEAN: ("BOOLEAN",),
}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_NULL_AS_TRUE = "TRUE"
_ORDER_DIFFERS_FROM = "\ue000"
"""From here on Flink's order of strings depends on their representation (UTF-16 units or bytes of UTF-8)."""


def family_of(field_type: FieldType) -> str | None:
    """The index's kind of a column type, or None when its order is left to Flink."""
    return _FAMILIES.get(root_of(field_type)) if isinstance(field_type, str) else None


def accepted_values(condition: Json, base: Sequence[Field]) -> tuple[int, ValueSet] | None:
    """The column and the values for which `condition` is TRUE, or None when the index can't hold it."""
    name = rex.function_of(condition)
    if name in ("AND", "OR"):
        return _combined(condition, base, union if name == "OR" else intersection)
    if name in ("IS NULL", "IS NOT NULL"):
        return _null_test(condition["operands"][0], base, name)
    if name == "SEARCH":
        return _search(condition, base)
    if name in _FLIPPED:
        return _comparison(condition, base, name)
    return _boolean_column(condition, base)


def _combined(condition: Json, base: Sequence[Field], combine: Any) -> tuple[int, ValueSet] | None:
    parts = [accepted_values(o, base) for o in condition["operands"]]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts) or len({column for column, _ in known}) != 1:
        return None
    column, values = known[0]
    for _, more in known[1:]:
        values = combine(values, more)
    return column, values


def _null_test(operand: Json, base: Sequence[Field], name: str) -> tuple[int, ValueSet] | None:
    column = _column(operand, base)
    return None if column is None else (column, ONLY_NULL if name == "IS NULL" else NOT_NULL)


def _boolean_column(condition: Json, base: Sequence[Field]) -> tuple[int, ValueSet] | None:
    column = _column(condition, base)
    if column is None or family_of(base[column].type) != BOOLEAN:
        return None
    return column, ValueSet((point(True),))


def _comparison(condition: Json, base: Sequence[Field], name: str) -> tuple[int, ValueSet] | None:
    first, second = condition["operands"]
    if rex.is_literal(first):
        first, second, name = second, first, _FLIPPED[name]
    column = _column(first, base)
    if column is None or not rex.is_literal(second):
        return None
    value = _value(second.get("value"), second["type"], base[column])
    return None if value is None else (column, _compared(name, value))


def _compared(name: str, value: Value) -> ValueSet:
    match name:
        case "=":
            return ValueSet((point(value),))
        case "<>":
            return complement_of_points((value,))
        case "<" | "<=":
            return ValueSet((Range(None, False, value, name == "<="),))
        case _:
            return ValueSet((Range(value, name == ">=", None, False),))


def _search(condition: Json, base: Sequence[Field]) -> tuple[int, ValueSet] | None:
    operand, sarg_literal = condition["operands"]
    column = _column(operand, base)
    sarg = sarg_literal.get("sarg")
    if column is None or sarg is None:
        return None
    ranges = []
    for r in sarg["ranges"]:
        bounds = _sarg_range(r, sarg_literal["type"], base[column])
        if bounds is None:
            return None
        ranges.append(bounds)
    return column, value_set(tuple(ranges), sarg.get("nullAs") == _NULL_AS_TRUE)


def _sarg_range(r: Json, literal_type: FieldType, field: Field) -> Range | None:
    ends: dict[str, tuple[Value | None, bool]] = {}
    for end in ("lower", "upper"):
        bound = r.get(end)
        if bound is None:
            ends[end] = (None, False)
            continue
        value = _value(bound["value"], literal_type, field)
        if value is None:
            return None
        ends[end] = (value, bound["boundType"] == "CLOSED")
    return Range(*ends["lower"], *ends["upper"])


def _column(operand: Json, base: Sequence[Field]) -> int | None:
    if not rex.is_ref(operand):
        return None
    index: int = operand["inputIndex"]
    return index if family_of(base[index].type) is not None else None


def _value(raw: object, literal_type: FieldType, field: Field) -> Value | None:
    """A literal's value in the column's family; None for NULL or a literal of another family."""
    family = family_of(field.type)
    if raw is None or family is None or root_of(literal_type) not in _LITERAL_ROOTS[family]:
        return None
    match family:
        case "INT64":
            return int(str(raw))
        case "DECIMAL":
            return Decimal(str(raw))
        case "BOOLEAN":
            return str(raw).lower() == "true"
        case _:
            return None if any(c >= _ORDER_DIFFERS_FROM for c in str(raw)) else str(raw)
