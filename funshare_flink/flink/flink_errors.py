"""Flink's exceptions as one plain sentence, with the user's own line numbers."""

from __future__ import annotations

import re

from funshare_flink.model.errors import SourceLocation

_CAUSE = re.compile(r"(?:Caused by: |: )?(?:[a-z]+\.)+[A-Z]\w*(?:Exception|Error): (.*)")
_POSITION = re.compile(r"(?:From |at )?line (\d+), column (\d+)(?: to line \d+, column \d+)?")
_NO_FACTORY = re.compile(r"Could not find any (?:factory|format factory) for identifier '([^']+)'")
_NOISE = ("SQL validation failed. ", "SQL parse failed. ")


def first_sentence(error: BaseException, where: SourceLocation) -> tuple[str, SourceLocation]:
    """What went wrong in one line, and where in the user's file (Flink counts lines from the statement's first)."""
    text = str(error).strip() or type(error).__name__
    missing = _NO_FACTORY.search(text)
    if missing:
        return (
            f"no connector or format '{missing.group(1)}' on the class path: put its jar into the folder lib "
            "of the Flink home and of the cluster, or name it under `jars` in the workload",
            where,
        )
    message = _innermost(text)
    position = _POSITION.search(text)
    if position and where.line is not None:
        where = SourceLocation(where.file, where.line + int(position.group(1)) - 1, where.statement)
        message = _POSITION.sub("", message).lstrip(": ")
    return message, where


def _innermost(text: str) -> str:
    """The last cause's message, first line; Flink's outer layers say less than its inner ones."""
    causes = [m.group(1).strip() for m in map(_CAUSE.match, map(str.strip, text.splitlines())) if m]
    causes = [c for c in causes if c] or [text.strip().splitlines()[0]]
    message = causes[-1]
    for noise in _NOISE:
        message = message.replace(noise, "")
    return message.rstrip(".")
