"""`-- funshare: slots=2, pinned=true` in a comment: what the owner of the next query asks for."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from dataclasses import replace

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.workload import Directives, name_problem

KEYS = ("slots", "min_rate_rps", "pinned", "name")

# The colon may be forgotten if a key=value follows: silence would give the query one slot instead of four.
_TAG = re.compile(r"^[\s*/#-]*funshare(?:\s*:|(?=\s+\w+\s*=))(?P<body>.*)$", re.IGNORECASE)
_PAIR = re.compile(r"(?P<key>[\w-]+)\s*=\s*(?P<value>'(?:[^']|'')*+'|[^\s,']+)")


def directive_lines(comment: str) -> tuple[tuple[int, str], ...]:
    """The bodies of the directives in a comment, each with its line's offset within the comment."""
    lines = re.split(r"\r\n|\r|\n", comment.removesuffix("*/"))
    found = ((i, _TAG.match(line)) for i, line in enumerate(lines))
    return tuple((i, m["body"]) for i, m in found if m)


def parse_directives(bodies: Iterable[tuple[str, SourceLocation]]) -> Directives:
    """One value from all directives before a query.

    Raises BadInputError for an unknown key, a bad value, a key said twice, or text that is no key=value.
    """
    result = Directives()
    for body, where in bodies:
        rest = _PAIR.sub("", body).replace(",", " ").strip()
        if rest or not body.strip():
            raise BadInputError(f"a funshare directive is written key=value, not {rest!r}", where)
        for pair in _PAIR.finditer(body):
            result = _with(result, pair["key"], _unquoted(pair["value"]), where)
    return result


def checked_slots(value: object, where: SourceLocation) -> int:
    """`value` as a number of task slots, or BadInputError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadInputError(f"slots must be a whole number of 1 or more, not {value!r}", where)
    return value


def checked_rate(value: object, where: SourceLocation) -> float:
    """`value` as records per second, or BadInputError."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise BadInputError(f"min_rate_rps must be a number of records per second above 0, not {value!r}", where)


def checked_pinned(value: object, where: SourceLocation) -> bool:
    """`value` as a truth value, or BadInputError."""
    if not isinstance(value, bool):
        raise BadInputError(f"pinned must be true or false, not {value!r}", where)
    return value


def checked_name(value: object, where: SourceLocation) -> str:
    """`value` as a query's or workload's name, or BadInputError."""
    if not isinstance(value, str):
        raise BadInputError(f"a name must be text, not {value!r}; put it in quotes", where)
    problem = name_problem(value)
    if problem:
        raise BadInputError(problem, where)
    return value


def unknown_key(key: str, known: Iterable[str], where: SourceLocation) -> BadInputError:
    """The error for a key that nobody knows, with the nearest one that is known."""
    names = list(known)
    near = difflib.get_close_matches(key.lower().replace("-", "_"), names, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(names)}"
    return BadInputError(f"unknown key {key!r}; {advice}", where)


def _with(so_far: Directives, key: str, text: str, where: SourceLocation) -> Directives:
    if key not in KEYS:
        raise unknown_key(key, KEYS, where)
    if getattr(so_far, key) is not None:
        raise BadInputError(f"{key} is said twice for one query", where)
    match key:
        case "slots":
            return replace(so_far, slots=checked_slots(_whole(text), where))
        case "min_rate_rps":
            return replace(so_far, min_rate_rps=checked_rate(_number(text), where))
        case "pinned":
            return replace(so_far, pinned=checked_pinned(_truth(text), where))
        case _:
            return replace(so_far, name=checked_name(text, where))


def _unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'") if text.startswith("'") else text


def _whole(text: str) -> int | str:
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text) else text


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _truth(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text.lower(), text)
