"""The lexical rules of Flink SQL (default dialect), as tried on Flink 2.2.1's parser.

Only as much as is needed to find the ends of statements; no grammar. The facts:
- 'literal' with '' for a quote; a backslash is an ordinary character; it may span lines. The prefixes of
  U&'..', X'..' and _UTF8'..' change nothing here.
- `name` with `` for a backtick; it may not span lines.
- `--` and `//` begin a comment up to the end of the line (CR alone ends it too); `/* */` does not nest.
  `/***/` does not close itself: after `/**` one more character is swallowed, as in Flink.
- `/*+` is a hint: not a comment, its inside is lexed like everything else.
- "..." is neither a literal nor a name for Flink: it refuses every statement with a double quote. Kept
  as one opaque token within a line, so that a quote or semicolon in it spoils one statement, not the file.
- `://` is taken for no comment, for the sake of `SET k = file:///x`; elsewhere Flink refuses it anyway.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from funshare_flink.model.errors import BadInputError, SourceLocation


class TokenKind(Enum):
    """Spaces are no tokens; a symbol is any other single character."""

    COMMENT = "comment"
    LITERAL = "literal"
    NAME = "name"
    DOUBLE_QUOTED = "double"
    WORD = "word"
    SEMICOLON = "semicolon"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its place: offsets of its first character and behind its last one."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        """The word in upper case, for keywords; empty for everything that cannot be a keyword."""
        return self.text.upper() if self.kind is TokenKind.WORD else ""

    @property
    def unquoted(self) -> str:
        """The text without its quotes, doubled quotes undone."""
        if self.kind in (TokenKind.LITERAL, TokenKind.NAME):
            quote = self.text[0]
            return self.text[1:-1].replace(quote * 2, quote)
        return self.text


# Possessive repeats (*+): a literal that is never closed must not be matched as a shorter one.
_TOKEN = re.compile(
    r"""
    (?P<comment> (?:-- | (?<![:/])//) [^\r\n]* | /\*\*/ | /\*\*[^/].*?\*/ | /\*(?![+*]).*?\*/ )
  | (?P<literal> '(?:[^']|'')*+' )
  | (?P<name> `(?:[^`\r\n]|``)*+` )
  | (?P<double> "[^"\r\n]*" )
  | (?P<open> '|`|/\*(?!\+) )
  | (?P<semicolon> ; )
  | (?P<word> \w[\w$]* )
  | (?P<symbol> \S )
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENED = {"'": "string literal", "`": "quoted name", "/": "block comment"}


class Lines:
    """Line numbers of offsets in a text; CR LF, LF and CR each end a line."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._first = first_line
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text))]

    def of(self, offset: int) -> int:
        """The line that holds the character at `offset`."""
        return self._first + bisect_right(self._starts, offset) - 1


def tokenize(text: str, file: str = "", first_line: int = 1) -> tuple[Token, ...]:
    """All tokens of `text`, comments included.

    Raises BadInputError at the place where a quote or comment opens that is never closed.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group == "open":
            raise _never_closed(match, tokens, Lines(text, first_line), file)
        tokens.append(Token(TokenKind(group), match.group(), match.start(), match.end()))
    return tuple(tokens)


def significant(text: str) -> tuple[Token, ...]:
    """The tokens of a statement without its comments."""
    return tuple(t for t in tokenize(text) if t.kind is not TokenKind.COMMENT)


def outside_comments(text: str) -> Iterator[tuple[int, str]]:
    """The stretches of `text` between comments, each with its offset."""
    at = 0
    for token in tokenize(text):
        if token.kind is TokenKind.COMMENT:
            yield at, text[at : token.start]
            at = token.end
    yield at, text[at:]


def _never_closed(match: re.Match[str], before: list[Token], lines: Lines, file: str) -> BadInputError:
    """The error, with a hint at an earlier literal that looks as if it had swallowed a statement."""
    mark = match.group()[0]
    message = f"the {_OPENED[mark]} that opens here ({match.group()}) is never closed"
    if mark == "`":
        message += " on its line"
    suspects = (t for t in before if t.kind is TokenKind.LITERAL and "\n" in t.text and ";" in t.text)
    suspect = next(suspects, None)
    if mark == "'" and suspect is not None:
        message += f"; or the one that opens in line {lines.of(suspect.start)} was meant to end on its line"
    return BadInputError(message, SourceLocation(file, lines.of(match.start())))
