"""`funshare simulate`: the paper's figures on the simulated cluster, driven by the daemon's own loop."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from funshare_flink.cli.printing import Row, note, print_rows
from funshare_flink.cli.simulated_loop import drive
from funshare_flink.model.errors import BadInputError
from funshare_flink.sim.figures.bench import Bench
from funshare_flink.sim.figures.output import csv_text
from funshare_flink.sim.figures.registry import FIGURES, across
from funshare_flink.sim.figures.results import Figure, Verdict, columns

ALL = "all"
NAMES = (*FIGURES, ALL)
DEFAULT_SEED = 1
VERDICT_COLUMNS = ("figure", "claim", "measured", "holds", "because")


def simulate(args: argparse.Namespace) -> int:
    """Exit code 0 also when a claim does not come out: that is a result."""
    folder = _folder(args.out)
    names = tuple(FIGURES) if args.figure == ALL else (args.figure,)
    verdicts: list[Verdict] = []
    bench = Bench(args.seed, drive)
    for figure in made(bench, names):
        verdicts += figure.verdicts
        if folder is not None:
            write(figure, folder)
        if args.figure != ALL:
            title = f"Fig. {figure.name}: {figure.caption}"
            print_rows(_tagged(figure, args.json), columns(figure.rows), args.json, title)
    if args.figure == ALL:
        verdicts += across(bench)
    print_rows([_verdict_row(v, args.json) for v in verdicts], VERDICT_COLUMNS, args.json, "verdicts")
    return 0


def made(bench: Bench, names: Iterable[str]) -> Iterator[Figure]:
    """The figures one after the other; says how long each took."""
    for name in names:
        began = time.monotonic()
        figure = FIGURES[name](bench)
        note(f"figure {name}: {time.monotonic() - began:.1f} s")
        yield figure


def _folder(out: str | None) -> Path | None:
    """The folder, made if it is not there. BadInputError when it cannot be."""
    if out is None:
        return None
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise BadInputError(f"--out {out}: {e.strerror or e}") from e
    return folder


def write(figure: Figure, folder: Path) -> None:
    """The figure's CSV and PNG."""
    from funshare_flink.sim.figures.plot import draw  # matplotlib takes a second that no other command should wait for

    stem = figure.name if figure.name.startswith("table") else f"fig{figure.name}"
    (folder / f"{stem}.csv").write_text(csv_text(figure.rows), encoding="utf-8")
    draw(figure, folder / f"{stem}.png")


def _tagged(figure: Figure, as_json: bool) -> list[Row]:
    """Rows; in JSON each says what it is."""
    return [{"kind": "row", "figure": figure.name, **r} if as_json else dict(r) for r in figure.rows]


def _verdict_row(verdict: Verdict, as_json: bool) -> Row:
    row: dict[str, object] = {
        "figure": verdict.figure,
        "claim": verdict.claim,
        "measured": verdict.measured,
        "holds": verdict.holds if as_json else ("yes" if verdict.holds else "no"),
        "because": verdict.because,
        "anchor": verdict.anchor,
    }
    return {"kind": "verdict", **row} if as_json else row
