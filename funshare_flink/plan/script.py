"""A script of Flink SQL, split into its statements without being fooled.

Semicolons count only outside of literals, quoted names and comments; hints are kept, comments around a
statement are not (see `funshare_flink.plan.lexer` for the rules). Statement sets are taken apart: each of
their INSERTs is a statement of its own with the set's number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.workload import Directives, Script, Statement, StatementKind
from funshare_flink.plan.directives import directive_lines, parse_directives
from funshare_flink.plan.lexer import Lines, Token, TokenKind, tokenize
from funshare_flink.plan.statements import (
    Placeholder,
    PythonFunction,
    find_placeholders,
    is_ctas,
    is_query,
    python_function,
    read_statement,
    sink_name,
)

__all__ = [
    "Placeholder",
    "PythonFunction",
    "find_placeholders",
    "is_ctas",
    "is_query",
    "python_function",
    "sink_name",
    "split_script",
]

_EXECUTE_SET = ["EXECUTE", "STATEMENT", "SET", "BEGIN"]
_BEGIN_SET = ["BEGIN", "STATEMENT", "SET"]
_EXECUTABLE = (["INSERT"], ["SELECT"], ["WITH"], ["VALUES"], ["TABLE"])


@dataclass(frozen=True)
class _Piece:
    """The tokens between two semicolons, at least one of them no comment, and the comments before them."""

    number: int
    comments: tuple[Token, ...]
    tokens: tuple[Token, ...]

    @property
    def significant(self) -> list[Token]:
        return [t for t in self.tokens if t.kind is not TokenKind.COMMENT]

    @property
    def words(self) -> list[str]:
        return [t.upper for t in self.significant]

    def behind(self, skipped: int) -> _Piece | None:
        """What follows the first `skipped` significant tokens, its leading comments set apart."""
        significant = self.significant
        if len(significant) <= skipped:
            return None
        frame_end, start = significant[skipped - 1].end, significant[skipped].start
        comments = tuple(t for t in self.tokens if frame_end <= t.start < start)
        return _Piece(self.number, comments, tuple(t for t in self.tokens if t.start >= start))


def split_script(text: str, file: str, first_line: int = 1) -> Script:
    """The statements of `text` in order; `first_line` is the line of `file` where `text` begins.

    A byte order mark, CR LF, empty statements and a missing last semicolon are fine. A statement that is
    of no use comes with its `problem`; if it can only be the rest of the statement before it (`UNION ALL`
    behind a stray semicolon), that one gets a problem too, for half a query must never run.

    Raises BadInputError for a quote or comment that is never closed, a statement set left open, END
    without BEGIN, and a bad or misplaced directive.
    """
    text = text.removeprefix("\ufeff")
    builder = _Builder(text, file, Lines(text, first_line))
    for piece in _pieces(tokenize(text, file, first_line), builder):
        builder.take(piece)
    return Script(file, builder.finish())


def _pieces(tokens: Sequence[Token], builder: _Builder) -> Iterable[_Piece]:
    """Cut at the semicolons; comments behind the last statement are looked at for lost directives."""
    number, comments, body = 0, list[Token](), list[Token]()
    last_semicolon: Token | None = None
    for token in (*tokens, Token(TokenKind.SEMICOLON, "", -1, -1)):
        if token.kind is TokenKind.COMMENT and not body:
            builder.check_beside(token, last_semicolon)
            comments.append(token)
        elif token.kind is not TokenKind.SEMICOLON:
            body.append(token)
        else:
            last_semicolon = token
            if body:
                number += 1
                yield _Piece(number, tuple(comments), tuple(body))
                comments, body = [], []
    builder.note_directives(comments)


@dataclass
class _Builder:
    """Collects statements; knows the open statement set and the directives that wait for their query."""

    text: str
    file: str
    lines: Lines
    statements: list[Statement] = field(default_factory=list)
    waiting: list[tuple[str, SourceLocation]] = field(default_factory=list)
    sets: int = 0
    open_set: SourceLocation | None = None
    held: list[Token] = field(default_factory=list)
    held_number: int = 0

    def take(self, piece: _Piece) -> None:
        """Put a piece to its use: the frame of a set, a part of an EXPLAIN of a set, or a statement."""
        self.note_directives(piece.comments)
        words = piece.words
        if words[:4] == _EXECUTE_SET:
            self.begin_set(piece)
            first = piece.behind(4)
            if first:
                self.take(first)
            return
        self.check_inside(piece)
        if self.held or _holds_whole_set(words):
            self.hold(piece)
        elif words == _BEGIN_SET:
            self.begin_set(piece)
        elif words == ["END"]:
            self.end_set(piece)
        else:
            executed = words[0] == "EXECUTE" and words[1:2] in _EXECUTABLE
            self.add(piece.significant[1 if executed else 0 :], piece.number)

    def add(self, tokens: Sequence[Token], number: int) -> None:
        """Add the statement of these significant tokens, at least one."""
        text = self.text[tokens[0].start : tokens[-1].end]
        reading = read_statement(text, tokens)
        if reading.continues:
            self.mark_cut(number)
        problem = reading.problem
        if self.open_set and reading.kind is not StatementKind.INSERT:
            problem = problem or f"a statement set holds only INSERTs; it was opened in {self.open_set}"
        set_id = self.sets if self.open_set else None
        where = self.where(tokens[0], number)
        statement = Statement(text, where, reading.kind, Directives(), set_id, reading.setting, problem)
        self.statements.append(self.with_directives(statement))

    def with_directives(self, statement: Statement) -> Statement:
        if not self.waiting or not is_query(statement):
            return statement
        directives = parse_directives(self.waiting)
        self.waiting = []
        return replace(statement, directives=directives)

    def mark_cut(self, number: int) -> None:
        """The statement before a fragment may be valid and still not be what its author meant."""
        if self.statements and self.statements[-1].problem is None:
            reason = f"statement {number} looks like its end: a stray semicolon between them?"
            self.statements[-1] = replace(self.statements[-1], problem=reason)

    def begin_set(self, piece: _Piece) -> None:
        where = self.where(piece.significant[0], piece.number)
        if self.open_set:
            message = f"a statement set begins inside the one opened in {self.open_set}; close that with END;"
            raise BadInputError(message, where)
        self.sets += 1
        self.open_set = where

    def end_set(self, piece: _Piece) -> None:
        if not self.open_set:
            where = self.where(piece.significant[0], piece.number)
            raise BadInputError("END without BEGIN: no statement set is open here", where)
        self.open_set = None

    def hold(self, piece: _Piece) -> None:
        """EXPLAIN and COMPILE PLAN of a whole statement set are one statement, up to its END."""
        self.held_number = self.held_number or piece.number
        self.held.extend(piece.significant)
        if piece.words == ["END"]:
            self.add(self.held, self.held_number)
            self.held, self.held_number = [], 0

    def finish(self) -> tuple[Statement, ...]:
        left_open = self.open_set or (self.where(self.held[0], self.held_number) if self.held else None)
        if left_open:
            message = "the statement set that begins here is never closed; write END; behind its last INSERT;"
            raise BadInputError(message, left_open)
        if self.waiting:
            message = "this directive stands before no query; put it before an INSERT or CREATE TABLE AS"
            raise BadInputError(message, self.waiting[0][1])
        return tuple(self.statements)

    def note_directives(self, comments: Iterable[Token]) -> None:
        for comment in comments:
            for offset, body in directive_lines(comment.text):
                line = self.lines.of(comment.start) + offset
                self.waiting.append((body, SourceLocation(self.file, line)))

    def check_inside(self, piece: _Piece) -> None:
        """A directive within a statement would go to the wrong one or to none: refuse it."""
        for token in piece.tokens:
            if token.kind is TokenKind.COMMENT and directive_lines(token.text):
                self.misplaced(token)

    def check_beside(self, comment: Token, semicolon: Token | None) -> None:
        """A directive behind a semicolon on the same line was most likely meant for the line's statement."""
        if semicolon is None or not directive_lines(comment.text):
            return
        if self.lines.of(semicolon.start) == self.lines.of(comment.start):
            self.misplaced(comment)

    def misplaced(self, comment: Token) -> None:
        message = "a funshare directive stands on a line of its own, before the statement that it is for"
        raise BadInputError(message, SourceLocation(self.file, self.lines.of(comment.start)))

    def where(self, token: Token, number: int) -> SourceLocation:
        return SourceLocation(self.file, self.lines.of(token.start), number)


def _holds_whole_set(words: Sequence[str]) -> bool:
    """True for the first piece of EXPLAIN STATEMENT SET BEGIN and COMPILE PLAN FOR STATEMENT SET BEGIN."""
    if words[0] not in ("EXPLAIN", "COMPILE"):
        return False
    frame = _EXECUTE_SET[1:]
    return any(list(words[i : i + 3]) == frame for i in range(1, min(len(words), 12)))
