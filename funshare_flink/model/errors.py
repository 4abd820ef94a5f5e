"""Errors that say what the caller can do.

`BadInputError` is the user's to mend (exit code 2); everything else below `FunShareError` is ours or the
cluster's (exit code 1).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLocation:
    """Where something stands in the user's files; lines and statements count from 1."""

    file: str
    line: int | None = None
    statement: int | None = None

    def __str__(self) -> str:
        parts = [self.file]
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.statement is not None:
            parts.append(f"statement {self.statement}")
        return ", ".join(parts)


class FunShareError(Exception):
    """Root of every error that this product raises on purpose."""


class BadInputError(FunShareError):
    """The user's input cannot be taken: names where, what and what to do. Nothing has been started."""

    def __init__(self, message: str, where: SourceLocation | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message = message
        self.where = where


class NotReadyError(FunShareError):
    """An answer is not there yet; skip this cycle and ask again."""


class RetryableError(FunShareError):
    """The other side did not answer; the same call may work after `after_s` seconds."""

    def __init__(self, message: str, after_s: float = 1.0) -> None:
        super().__init__(message)
        self.after_s = after_s


class FatalError(FunShareError):
    """Cannot go on: says what stopped and what an operator can do."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a user's file."""

    where: SourceLocation
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class WorkloadRefusedError(BadInputError):
    """Statements of a workload are no use, so none of it may run: half a script would do something else."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(p) for p in problems))
        self.problems = problems
