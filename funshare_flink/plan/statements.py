"""What a statement is, by its leading keywords, and the few names that can be read off its tokens.

Flink's own parser decides whether the statement is right; this only tells what to do with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from funshare_flink.model.workload import Setting, Statement, StatementKind
from funshare_flink.plan.lexer import Lines, Token, TokenKind, outside_comments, significant

_KINDS: dict[StatementKind, frozenset[str]] = {
    StatementKind.INSERT: frozenset({"INSERT"}),
    StatementKind.DDL: frozenset(
        {"CREATE", "ALTER", "DROP", "REPLACE", "USE", "LOAD", "UNLOAD", "ADD", "REMOVE"}
    ),
    StatementKind.SET: frozenset({"SET"}),
    StatementKind.RESET: frozenset({"RESET"}),
    StatementKind.INFO: frozenset({"EXPLAIN", "SHOW", "DESCRIBE", "DESC", "HELP", "CLEAR"}),
    StatementKind.SELECT: frozenset({"SELECT", "WITH", "VALUES", "TABLE"}),
    StatementKind.OTHER: frozenset(
        {"ANALYZE", "BEGIN", "CALL", "COMPILE", "DELETE", "END", "EXECUTE", "EXIT", "MERGE", "QUIT", "STOP"}
        | {"TRUNCATE", "UPDATE", "UPSERT"}
    ),
}  # fmt: skip
_KIND_OF_WORD = {word: kind for kind, words in _KINDS.items() for word in words}

# Words that only ever go on with a statement: one of them at the start means that a semicolon came too soon.
_CONTINUATIONS = frozenset(
    {
        "AND", "AS", "BETWEEN", "CASE", "COMMENT", "CROSS", "DISTRIBUTED", "ELSE", "EXCEPT", "FETCH", "FOR",
        "FROM", "FULL", "GROUP", "HAVING", "IN", "INNER", "INTERSECT", "JOIN", "LANGUAGE", "LATERAL", "LEFT",
        "LIKE", "LIMIT", "MATCH_RECOGNIZE", "MINUS", "NOT", "OFFSET", "ON", "OR", "ORDER", "OUTER", "PARTITION",
        "PARTITIONED", "QUALIFY", "RIGHT", "THEN", "UNION", "UNNEST", "USING", "WHEN", "WHERE", "WINDOW",
        "WITH",
    }
)  # fmt: skip
_OPERATORS = frozenset(",).=<>+")
_PROMPT = re.compile(r"\s*(?:flink\s+sql|\w+(?:\s+\[\w*\])?)\s*>", re.IGNORECASE)
_FRAGMENT = re.compile(r"\s*[\w.-]+\s*:=")
_SET = re.compile(
    r"""SET\s+ (?:'(?P<quoted_key>(?:[^']|'')+)' | (?P<key>[^\s'=]+)) \s*=\s*
        (?:'(?P<quoted_value>(?:[^']|'')*+)' | (?P<value>[^\s'][^']*)) \s*""",
    re.IGNORECASE | re.VERBOSE,
)
_RESET = re.compile(r"RESET(?:\s+(?:'(?P<quoted_key>(?:[^']|'')+)'|(?P<key>[^\s']+)))?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What the first tokens of a statement tell."""

    kind: StatementKind
    problem: str | None = None
    setting: Setting | None = None
    continues: bool = False
    """True if it can only be the rest of the statement before it."""


@dataclass(frozen=True)
class Placeholder:
    """A `${...}` that nobody has filled in, and the line of the file where it stands."""

    text: str
    line: int


@dataclass(frozen=True)
class PythonFunction:
    """CREATE FUNCTION `name` AS '`module`.`attribute`' LANGUAGE PYTHON; `module` is empty without a dot."""

    name: str
    module: str
    attribute: str


def read_statement(text: str, tokens: Sequence[Token]) -> Reading:
    """The kind of a statement from its significant tokens (at least one), and why it is of no use."""
    kind = _kind(tokens)
    match kind:
        case StatementKind.SET:
            return _read_set(text, tokens)
        case StatementKind.RESET:
            return _read_reset(text)
        case StatementKind.SELECT:
            return Reading(kind, "a query without a sink: write INSERT INTO <sink> in front of it")
        case StatementKind.OTHER:
            return Reading(kind, _why_not_here(tokens[0].upper))
        case StatementKind.UNKNOWN:
            return _read_unknown(text, tokens)
        case _:
            return Reading(kind)


def _kind(tokens: Sequence[Token]) -> StatementKind:
    first = tokens[0]
    if first.text == "(":
        return StatementKind.SELECT
    if first.upper == "WITH" and len(tokens) > 1 and tokens[1].text == "(":
        return StatementKind.UNKNOWN  # the options of a table, no common table expression
    return _KIND_OF_WORD.get(first.upper, StatementKind.UNKNOWN)


def find_placeholders(statement: Statement) -> tuple[Placeholder, ...]:
    """Every `${...}` in the statement, inside string literals too, but not in its comments."""
    lines = Lines(statement.text, statement.location.line or 1)
    return tuple(
        Placeholder(match.group(), lines.of(offset + match.start()))
        for offset, part in outside_comments(statement.text)
        for match in re.finditer(r"\$\{[^{}\r\n]*\}", part)
    )


def sink_name(statement: Statement) -> str | None:
    """The last part of the sink's identifier, quotes removed; None for what is no INSERT or CTAS."""
    tokens = significant(statement.text)
    words = [t.upper for t in tokens]
    if statement.kind is StatementKind.INSERT:
        start = 2 if words[1:2] in (["INTO"], ["OVERWRITE"]) else 1
        return _identifier(tokens, start + (words[start : start + 1] == ["TABLE"]))
    return _identifier(tokens, _after_create_table(words)) if is_ctas(statement) else None


def is_ctas(statement: Statement) -> bool:
    """True for CREATE (or REPLACE) TABLE ... AS query: DDL that starts a job when it is executed."""
    tokens = significant(statement.text)
    if statement.kind is not StatementKind.DDL or not _after_create_table([t.upper for t in tokens]):
        return False
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.upper == "AS":
            return True
    return False


def is_query(statement: Statement) -> bool:
    """True if the statement, run by Flink, would be a streaming job."""
    return statement.kind is StatementKind.INSERT or is_ctas(statement)


def python_function(statement: Statement) -> PythonFunction | None:
    """The Python function that the statement declares, if it does."""
    tokens = significant(statement.text)
    words = [t.upper for t in tokens]
    is_python = words[-2:] == ["LANGUAGE", "PYTHON"] and "FUNCTION" in words[1:5]
    if not is_python or tokens[-3].kind is not TokenKind.LITERAL:
        return None
    start = _skip(words, words.index("FUNCTION") + 1, ("IF", "NOT", "EXISTS"))
    module, _, attribute = tokens[-3].unquoted.rpartition(".")
    return PythonFunction(_identifier(tokens, start) or "?", module, attribute)


def _read_set(text: str, tokens: Sequence[Token]) -> Reading:
    if len(tokens) == 1:
        return Reading(StatementKind.INFO)
    match = _SET.fullmatch(_without_comments(text))
    if match is None:
        return Reading(StatementKind.UNKNOWN, "cannot read this SET; write SET 'key' = 'value', with both in quotes")
    return Reading(StatementKind.SET, setting=Setting(_operand(match, "key"), _operand(match, "value")))


def _read_reset(text: str) -> Reading:
    match = _RESET.fullmatch(_without_comments(text))
    if match is None:
        return Reading(StatementKind.UNKNOWN, "cannot read this RESET; write RESET or RESET 'key'")
    return Reading(StatementKind.RESET, setting=Setting(_operand(match, "key")))


def _without_comments(text: str) -> str:
    return " ".join(part for _, part in outside_comments(text))


def _operand(match: re.Match[str], group: str) -> str | None:
    quoted: str | None = match[f"quoted_{group}"]
    bare: str | None = match[group]
    if quoted is not None:
        return quoted.replace("''", "'")
    return bare.strip() if bare is not None else None


def _read_unknown(text: str, tokens: Sequence[Token]) -> Reading:
    first = tokens[0]
    if first.upper in _CONTINUATIONS or first.text in _OPERATORS:
        shown = first.upper or first.text
        reason = f"a statement cannot start with {shown}: a stray semicolon before it?"
        return Reading(StatementKind.UNKNOWN, reason, continues=True)
    return Reading(StatementKind.UNKNOWN, _why_unknown(text, first))


def _why_unknown(text: str, first: Token) -> str:
    prompt = _PROMPT.match(text)
    if prompt:
        return f"looks like the prompt of a client, {prompt.group().strip()!r}: remove it"
    if _FRAGMENT.match(text):
        return "name:=value fragments are not Flink SQL: write the text out where it is used"
    if text.startswith("/*+"):
        return "a hint /*+ ... */ cannot stand before a statement; for a comment write /* ... */"
    if text.startswith("*/"):
        return "a statement cannot start with */: comments do not nest in Flink SQL"
    if text.startswith("${"):
        return "an unresolved placeholder stands where a statement should: replace it"
    return f"a statement cannot start with {first.text[:40]!r}: this is not Flink SQL"


def _why_not_here(word: str) -> str:
    if word == "UPSERT":
        return "Flink has no UPSERT: write INSERT INTO (a sink with a primary key is upserted by itself)"
    if word in ("EXECUTE", "COMPILE"):
        return f"{word} of anything but INSERTs has no place in a workload: write the INSERT itself"
    if word in ("BEGIN", "END"):
        return f"{word} alone: a statement set is BEGIN STATEMENT SET; INSERT ...; END;"
    return f"{word} has no place in a workload of streaming queries: remove it"


def _after_create_table(words: Sequence[str]) -> int:
    """The index behind CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS]; 0 for all else."""
    at = _skip(words, 1, ("OR", "REPLACE", "TEMPORARY")) if words[0] in ("CREATE", "REPLACE") else 0
    return _skip(words, at + 1, ("IF", "NOT", "EXISTS")) if at and words[at : at + 1] == ["TABLE"] else 0


def _skip(words: Sequence[str], start: int, optional: Sequence[str]) -> int:
    return start + len(list(takewhile(lambda word: word in optional, words[start:])))


def _identifier(tokens: Sequence[Token], start: int) -> str | None:
    """The last part of a dotted identifier that begins at `start`."""
    name = None
    for i in range(start, len(tokens), 2):
        if tokens[i].kind not in (TokenKind.WORD, TokenKind.NAME):
            return name
        name = tokens[i].unquoted
        if i + 1 >= len(tokens) or tokens[i + 1].text != ".":
            return name
    return name
