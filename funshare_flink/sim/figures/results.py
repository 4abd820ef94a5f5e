"""What a figure gives: rows (the CSV), panels (the PNG) and a verdict on each claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | None
Row = dict[str, Cell]


@dataclass(frozen=True)
class Line:
    """One line (or one group of bars) of a panel. A y of None is not drawn: not sustained, not known."""

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]


@dataclass(frozen=True)
class Panel:
    """One set of axes. `bars`: grouped bars over the x values instead of lines. `steps`: values hold until the next.
    `ticks`: names of the x values 0, 1, ..."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    bars: bool = False
    steps: bool = False
    log_y: bool = False
    ticks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """One claim of the paper, what came out here, and why it did not hold if it did not.

    `anchor`: constants were chosen so that this comes out, or assumed (see `paper_cluster`): no evidence.
    """

    figure: str
    claim: str
    measured: str
    holds: bool
    because: str = ""
    anchor: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure (or table) of the paper, made anew. `runtime` figures such as seconds are never part of it."""

    name: str
    caption: str
    rows: tuple[Row, ...]
    panels: tuple[Panel, ...]
    verdicts: tuple[Verdict, ...]


def columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """All fields of the rows in the order in which they first come."""
    return tuple(dict.fromkeys(name for row in rows for name in row))
