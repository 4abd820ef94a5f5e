"""Row expressions (Calcite's RexNode as Flink serialises it), as data.

Every function takes an expression's JSON and gives new JSON; nothing is changed in place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from funshare_flink.plan.graph import Json
from funshare_flink.plan.types import FieldType

AND, OR, NOT = "$AND$1", "$OR$1", "$NOT$1"

NONDETERMINISTIC = frozenset(
    {
        "RAND", "RAND_INTEGER", "UUID", "NOW", "PROCTIME", "PROCTIME_MATERIALIZE", "UNIX_TIMESTAMP",
        "CURRENT_TIMESTAMP", "CURRENT_ROW_TIMESTAMP", "CURRENT_TIME", "CURRENT_DATE", "LOCALTIME",
        "LOCALTIMESTAMP", "CURRENT_WATERMARK", "SOURCE_WATERMARK",
    }
)  # fmt: skip
"""Built-in functions whose value is not a function of the row (Flink docs, Determinism in Continuous Queries)."""

NEVER_FAILS = frozenset(
    {
        "=", "<>", "<", "<=", ">", ">=", "AND", "OR", "NOT", "SEARCH", "IS NULL", "IS NOT NULL", "IS TRUE",
        "IS FALSE", "IS NOT TRUE", "IS NOT FALSE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "LIKE", "+", "-",
        "*", "UPPER", "LOWER", "TRIM", "CHAR_LENGTH", "EXTRACT", "CASE", "COALESCE", "ABS", "REINTERPRET",
    }
)  # fmt: skip
"""Functions that give a value or NULL for every row. All others may throw, so they are evaluated for no row
for which the query alone would not evaluate them."""


def input_ref(index: int, field_type: FieldType) -> Json:
    return {"kind": "INPUT_REF", "inputIndex": index, "type": field_type}


def literal(value: object, field_type: FieldType) -> Json:
    return {"kind": "LITERAL", "value": value, "type": field_type}


def call(name: str, operands: Sequence[Json], field_type: FieldType) -> Json:
    """A call of a built-in function by its internal name, such as `$AND$1`."""
    syntax = "POSTFIX" if name.startswith("$IS ") else "BINARY" if name in (AND, OR) else "FUNCTION"
    return {
        "kind": "CALL",
        "syntax": syntax,
        "internalName": name,
        "operands": list(operands),
        "type": field_type,
    }


def system_call(name: str, operands: Sequence[Json], field_type: FieldType) -> Json:
    """A call of a function registered as a temporary system function, such as the kernel's."""
    return {"kind": "CALL", "systemName": name, "operands": list(operands), "type": field_type}


def all_of(terms: Sequence[Json]) -> Json | None:
    """The conjunction, in the given order (Flink evaluates left to right and stops at the first that fails)."""
    if not terms:
        return None
    if len(terms) == 1:
        return terms[0]
    nullable = any(not str(t.get("type", "")).endswith("NOT NULL") for t in terms)  # a field access has no type
    return call(AND, terms, "BOOLEAN" if nullable else "BOOLEAN NOT NULL")


def any_of(terms: Sequence[Json]) -> Json:
    """The disjunction of one or more BOOLEAN NOT NULL terms."""
    return terms[0] if len(terms) == 1 else call(OR, terms, "BOOLEAN NOT NULL")


def is_ref(rex: Json) -> bool:
    return bool(rex["kind"] == "INPUT_REF")


def is_literal(rex: Json) -> bool:
    return bool(rex["kind"] == "LITERAL")


def function_of(rex: Json) -> str | None:
    """A call's function without Flink's decoration: `$=$1` -> `=`; None for anything else."""
    if rex["kind"] != "CALL":
        return None
    if "internalName" in rex:
        return str(rex["internalName"]).removeprefix("$").rpartition("$")[0] or str(rex["internalName"])
    return str(rex.get("systemName") or rex.get("catalogName") or rex.get("class") or "?")


def walk(rex: Any) -> Iterator[Json]:
    """Every expression inside `rex`, itself first, wherever Flink nests one (operands, field access, windows)."""
    if isinstance(rex, dict):
        if "kind" in rex and "type" in rex:
            yield rex
        for value in rex.values():
            yield from walk(value)
    elif isinstance(rex, list):
        for value in rex:
            yield from walk(value)


def refs(rex: Json) -> frozenset[int]:
    """Indices of the input columns that the expression reads."""
    return frozenset(r["inputIndex"] for r in walk(rex) if r["kind"] == "INPUT_REF")


def map_refs(rex: Any, replace: Callable[[Json], Json]) -> Any:
    """The expression with every input reference replaced."""
    if isinstance(rex, dict):
        if rex.get("kind") == "INPUT_REF":
            return replace(rex)
        return {k: map_refs(v, replace) for k, v in rex.items()}
    if isinstance(rex, list):
        return [map_refs(v, replace) for v in rex]
    return rex


def substitute(rex: Json, columns: Sequence[Json]) -> Json:
    """The expression over a calc's input, given the calc's projection: `$i` becomes `columns[i]`."""
    result: Json = map_refs(rex, lambda r: columns[r["inputIndex"]])
    return result


def renumber(rex: Json, target: Mapping[int, Json]) -> Json:
    """The expression with `$i` replaced by `target[i]`."""
    result: Json = map_refs(rex, lambda r: target[r["inputIndex"]])
    return result


def conjuncts(rex: Json | None) -> tuple[Json, ...]:
    """The terms of a conjunction, flattened, in order; none for no condition."""
    if rex is None:
        return ()
    if rex.get("internalName") == AND:
        return tuple(t for o in rex["operands"] for t in conjuncts(o))
    return (rex,)


def canonical(rex: Json) -> str:
    """One text per meaning: references by index only, no syntax hints, operands of AND, OR and = in one order.

    >>> canonical({"kind": "INPUT_REF", "inputIndex": 3, "type": "INT"})
    '$3'
    """
    if rex["kind"] == "INPUT_REF":
        return f"${rex['inputIndex']}"
    if rex["kind"] == "LITERAL":
        value = rex.get("sarg", rex.get("value", rex.get("symbol")))
        return f"{json.dumps(value, sort_keys=True)}:{json.dumps(rex['type'], sort_keys=True)}"
    if rex["kind"] == "CALL":
        return _canonical_call(rex)
    return json.dumps(map_refs(rex, lambda r: {"ref": r["inputIndex"]}), sort_keys=True)


def _canonical_call(rex: Json) -> str:
    operands = [canonical(o) for o in rex["operands"]]
    name = function_of(rex) or "?"
    if name in ("AND", "OR", "=", "<>"):
        operands.sort()
    extra = {
        k: v
        for k, v in rex.items()
        if k not in ("kind", "syntax", "internalName", "systemName", "catalogName", "operands", "type")
    }
    suffix = json.dumps(extra, sort_keys=True) if extra else ""
    return f"{name}({', '.join(operands)}){suffix}:{json.dumps(rex['type'], sort_keys=True)}"


def nondeterministic_function(rex: Json, deterministic: frozenset[str]) -> str | None:
    """The first non-deterministic function inside, or None. A user's function counts as such unless its lower-case
    name is in `deterministic`."""
    for r in walk(rex):
        name = function_of(r)
        if name is None:
            continue
        if "internalName" in r:
            if name.upper() in NONDETERMINISTIC:
                return name
        elif name.split(".")[-1].strip("`").lower() not in deterministic:
            return name
    return None


def may_throw(rex: Json) -> bool:
    """Whether evaluating the expression may fail for some row (a CAST of text, a division, a user function)."""
    return any((name := function_of(r)) is not None and name not in NEVER_FAILS for r in walk(rex))


_TEXT = ("CHAR", "VARCHAR", "STRING")
_FAILS_ON_BAD_ROWS = frozenset({"/", "/INT", "MOD", "%"})


def fails_on_bad_rows(rex: Json) -> str | None:
    """The first function inside that is known to fail for some values (text that is no number, a zero divisor), or
    None. For a warning: `may_throw` is the one that is never wrong."""
    for r in walk(rex):
        name = function_of(r)
        if name == "CAST" and _is_text(r["operands"][0]) and not _is_text(r):
            return "CAST of text"
        if name in _FAILS_ON_BAD_ROWS and not is_literal(r["operands"][-1]):
            return f"{name} by a column"
    return None


def _is_text(rex: Json) -> bool:
    return str(rex.get("type", "")).startswith(_TEXT)
