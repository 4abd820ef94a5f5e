"""Expressions and filters as text for people. Nothing reads this text back."""

from __future__ import annotations

from collections.abc import Sequence

from funshare_flink.plan import rex
from funshare_flink.plan.graph import Json
from funshare_flink.plan.side import Side
from funshare_flink.plan.sources import scan_table, table_name
from funshare_flink.plan.types import Field

_INFIX = frozenset({"=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "AND", "OR", "LIKE", "IS DISTINCT FROM"})
_POSTFIX = frozenset({"IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"})


def expression(r: Json, fields: Sequence[Field]) -> str:
    """The expression with column names.

    >>> expression({"kind": "INPUT_REF", "inputIndex": 0, "type": "INT"}, [Field("score", "INT")])
    'score'
    """
    if rex.is_ref(r):
        return fields[r["inputIndex"]].name
    if rex.is_literal(r):
        return _literal(r)
    name = rex.function_of(r)
    if name is None:
        return f"{expression(r['expr'], fields)}.{r['name']}" if "expr" in r else r["kind"].lower()
    if name == "SEARCH":
        return _search(r, fields)
    operands = [expression(o, fields) for o in r["operands"]]
    if name == "LIKE" and len(operands) == 3:
        return f"({operands[0]} LIKE {operands[1]} ESCAPE {operands[2]})"
    if name in _INFIX and len(operands) > 1:
        return "(" + f" {name} ".join(operands) + ")"
    if name in _POSTFIX:
        return f"({operands[0]} {name})"
    return f"{name}({', '.join(operands)})"


def side_filter_text(side: Side) -> str:
    """`table: filter AND filter`, or `table: no filter`."""
    return f"{side_name(side)}: {conjunction(side.filters, side.base)}"


def conjunction(terms: Sequence[Json], fields: Sequence[Field]) -> str:
    if not terms:
        return "no filter"
    return " AND ".join(_outer(expression(t, fields)) for t in terms)


def side_name(side: Side) -> str:
    return table_name(scan_table(side.scan.json))


def _outer(text: str) -> str:
    """Without the parentheses around the whole, where they are around the whole."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if i == len(text) - 1 else text
    return text


def _literal(r: Json) -> str:
    value = r.get("value", r.get("symbol"))
    if value is None:
        return "NULL"
    if "CHAR" in str(r["type"]):
        return "'" + str(value).replace("'", "''") + "'"
    return str(value)


def _search(r: Json, fields: Sequence[Field]) -> str:
    column = expression(r["operands"][0], fields)
    literal = r["operands"][1]
    sarg = literal.get("sarg") or {"ranges": []}
    quote = "'" if "CHAR" in str(literal["type"]) else ""
    parts, points = [], []
    for bounds in sarg["ranges"]:
        low, high = bounds.get("lower"), bounds.get("upper")
        if low is not None and high is not None and low["value"] == high["value"]:
            points.append(f"{quote}{low['value']}{quote}")
        else:
            parts.append(_range(column, low, high, quote))
    if points:
        parts.append(f"{column} = {points[0]}" if len(points) == 1 else f"{column} IN ({', '.join(points)})")
    if sarg.get("nullAs") == "TRUE":
        parts.append(f"{column} IS NULL")
    text = " OR ".join(parts) or "FALSE"
    return f"({text})" if len(parts) > 1 else text


def _range(column: str, low: Json | None, high: Json | None, quote: str) -> str:
    if low is not None and high is not None and low["boundType"] == high["boundType"] == "CLOSED":
        return f"{column} BETWEEN {quote}{low['value']}{quote} AND {quote}{high['value']}{quote}"
    ends = []
    if low is not None:
        ends.append(f"{column} {'>=' if low['boundType'] == 'CLOSED' else '>'} {quote}{low['value']}{quote}")
    if high is not None:
        ends.append(f"{column} {'<=' if high['boundType'] == 'CLOSED' else '<'} {quote}{high['value']}{quote}")
    return " AND ".join(ends) or f"{column} IS NOT NULL"
