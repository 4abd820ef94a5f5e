"""Random filters in Flink's own JSON, random rows, and what the filters mean, written down a second time.

The evaluator here shares no code with `funshare_flink.plan`: it walks the expression row by row with SQL's
three-valued logic (None is NULL and UNKNOWN).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from funshare_flink.plan.graph import Json
from funshare_flink.plan.types import Field

Row = Sequence[Any]
TextKey = Callable[[str], Any]

BASE = (
    Field("i", "INT"),
    Field("b", "BIGINT NOT NULL"),
    Field("s", "VARCHAR(2147483647)"),
    Field("d", "DECIMAL(8, 2)"),
    Field("f", "BOOLEAN"),
    Field("x", "DOUBLE"),
)
"""A base row with one column of every family, and a DOUBLE, which the index must leave to Flink."""

INDEXED = range(5)
TEXTS = ("", "a", "ab", "b", "zz", "\u00e4", "\ue000", "\U00010000")
_LITERAL_TYPES = ("INT NOT NULL", "BIGINT NOT NULL", "CHAR(1) NOT NULL", "DECIMAL(4, 2) NOT NULL", "BOOLEAN NOT NULL",
                  "DOUBLE NOT NULL")  # fmt: skip
_VALUES: tuple[st.SearchStrategy[Any], ...] = (
    st.integers(-3, 5),
    st.one_of(st.integers(-3, 5), st.sampled_from([-(2**63), 2**63 - 1])),
    st.sampled_from(TEXTS),
    st.integers(-4, 6).map(lambda n: Decimal(n) / 2),
    st.booleans(),
    st.integers(-3, 3).map(lambda n: n / 2),
)


def by_code_point(text: str) -> Any:
    return text


def by_utf16(text: str) -> Any:
    """Flink compares a string that still is a Java string so."""
    return text.encode("utf-16-be", "surrogatepass")


def ref(column: int) -> Json:
    return {"kind": "INPUT_REF", "inputIndex": column, "type": BASE[column].type}


def lit(column: int, value: Any) -> Json:
    raw = str(value) if isinstance(value, Decimal) else value
    return {"kind": "LITERAL", "value": raw, "type": _LITERAL_TYPES[column]}


def call(name: str, *operands: Json) -> Json:
    return {"kind": "CALL", "internalName": f"${name}$1", "operands": list(operands), "type": "BOOLEAN"}


def rows() -> st.SearchStrategy[tuple[Any, ...]]:
    """Rows of BASE; every nullable column may be NULL."""
    cells = [v if "NOT NULL" in str(f.type) else st.none() | v for f, v in zip(BASE, _VALUES, strict=True)]
    return st.tuples(*cells)


@st.composite
def comparisons(draw: st.DrawFn, columns: Sequence[int] = tuple(range(6))) -> Json:
    """A column against a literal, either way round."""
    column = draw(st.sampled_from(columns))
    name = draw(st.sampled_from(["=", "<>", "<", ">", "<=", ">="]))
    operands = [ref(column), lit(column, draw(_VALUES[column]))]
    return call(name, *(operands[::-1] if draw(st.booleans()) else operands))


@st.composite
def searches(draw: st.DrawFn, columns: Sequence[int] = (0, 1, 2, 3)) -> Json:
    """SEARCH(column, sarg): disjoint ascending ranges, as Calcite writes them, with all three ways to take NULL."""
    column = draw(st.sampled_from(columns))
    points = sorted(draw(st.sets(_VALUES[column], min_size=1, max_size=4)))
    ranges = []
    for low, high in zip(points[::2], [*points[1::2], None], strict=False):
        ranges.append(_sarg_range(draw, column, low, high))
    null_as = draw(st.sampled_from(["TRUE", "FALSE", "UNKNOWN"]))
    sarg = {"kind": "LITERAL", "type": _LITERAL_TYPES[column], "sarg": {"nullAs": null_as, "ranges": ranges}}
    return call("SEARCH", ref(column), sarg)


def _sarg_range(draw: st.DrawFn, column: int, low: Any, high: Any) -> Json:
    shape = draw(st.sampled_from(["point", "range"]))
    raw = lit(column, low)["value"]
    if shape == "point":
        return {e: {"value": raw, "boundType": "CLOSED"} for e in ("lower", "upper")}
    bounds = st.sampled_from(["OPEN", "CLOSED"])
    result = {"lower": {"value": raw, "boundType": draw(bounds)}}
    if high is not None:
        result["upper"] = {"value": lit(column, high)["value"], "boundType": draw(bounds)}
    return result


def conditions(columns: Sequence[int] = tuple(range(6))) -> st.SearchStrategy[Json]:
    """Filters over these columns: leaves, and AND, OR, NOT of them."""
    refs = [c for c in columns if c != 4]
    leaves = [comparisons(columns), st.sampled_from(columns).map(lambda c: call("IS NULL", ref(c)))]
    leaves.append(st.sampled_from(columns).map(lambda c: call("IS NOT NULL", ref(c))))
    if 4 in columns:
        leaves.append(st.just(ref(4)))
    if searchable := [c for c in refs if c < 4]:
        leaves.append(searches(searchable))
    if {0, 1} <= set(columns):
        leaves.append(st.just(call("<", ref(0), ref(1))))
    return st.recursive(st.one_of(leaves), _combined, max_leaves=4)


def _combined(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    several = st.lists(inner, min_size=2, max_size=3)
    joined = st.tuples(st.sampled_from(["AND", "OR"]), several).map(lambda t: call(t[0], *t[1]))
    return joined | inner.map(lambda c: call("NOT", c))


def truth(rex: Json, row: Row, text_key: TextKey = by_code_point) -> Any:
    """The value of an expression over a row; None is NULL."""
    if rex["kind"] == "INPUT_REF":
        return row[rex["inputIndex"]]
    if rex["kind"] == "LITERAL":
        return _typed(rex["value"], rex["type"])
    name = rex["internalName"].split("$")[1]
    if name == "SEARCH":
        return _search(rex, row, text_key)
    values = [truth(o, row, text_key) for o in rex["operands"]]
    return _call(name, values, text_key)


def _call(name: str, values: list[Any], text_key: TextKey) -> Any:
    if name == "AND":
        return False if False in values else None if None in values else True
    if name == "OR":
        return True if True in values else None if None in values else False
    if name == "IS NULL":
        return values[0] is None
    if name == "IS NOT NULL":
        return values[0] is not None
    if None in values:
        return None
    if name == "NOT":
        return not values[0]
    a, b = (text_key(v) if isinstance(v, str) else v for v in values)
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "=": operator.eq, "<>": operator.ne, "<": operator.lt,
        ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    }  # fmt: skip
    return compare[name](a, b)


def _search(rex: Json, row: Row, text_key: TextKey) -> bool | None:
    value, literal = truth(rex["operands"][0], row), rex["operands"][1]
    if value is None:
        return {"TRUE": True, "FALSE": False, "UNKNOWN": None}[literal["sarg"]["nullAs"]]
    return any(_within(r, literal["type"], value, text_key) for r in literal["sarg"]["ranges"])


def _within(bounds: Json, literal_type: str, value: Any, text_key: TextKey) -> bool:
    names = {"lower": {"OPEN": ">", "CLOSED": ">="}, "upper": {"OPEN": "<", "CLOSED": "<="}}
    return all(
        _call(names[end][b["boundType"]], [value, _typed(b["value"], literal_type)], text_key)
        for end, b in bounds.items()
    )


def _typed(raw: Any, literal_type: str) -> Any:
    return Decimal(raw) if literal_type.startswith("DECIMAL") else raw


def tagged(spec: Json, arguments: Sequence[Any], text_key: TextKey = by_code_point) -> frozenset[int]:
    """The query set of a row, by the kernel's spec (jobs/kernel/README.md), set by set and range by range.

    `arguments`: the values of the spec's columns, then the outcomes of its opaque predicates.
    """
    result = set(range(spec["queries"]))
    width = len(spec["columns"])
    for column, value in zip(spec["columns"], arguments, strict=False):
        for wanted in column["sets"]:
            if not _accepts(wanted, _column_value(column["type"], value), column["type"], text_key):
                result -= set(wanted["bits"])
    for bits, outcome in zip(spec["opaque"], arguments[width:], strict=True):
        if outcome is not True:
            result -= set(bits)
    return frozenset(result)


def _column_value(kind: str, value: Any) -> Any:
    return Decimal(value) if kind == "DECIMAL" and value is not None else value


def _accepts(wanted: Json, value: Any, kind: str, text_key: TextKey) -> bool:
    if value is None:
        return bool(wanted["nulls"])
    key = text_key(value) if kind == "STRING" else value
    for low, low_in, high, high_in in wanted["ranges"]:
        a = None if low is None else text_key(low) if kind == "STRING" else _column_value(kind, low)
        b = None if high is None else text_key(high) if kind == "STRING" else _column_value(kind, high)
        above = a is None or key > a or (low_in and key == a)
        below = b is None or key < b or (high_in and key == b)
        if above and below:
            return True
    return False
