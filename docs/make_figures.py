"""Writes docs/figures.md: the verdict on every claim, from all figures made anew.

python docs/make_figures.py --date 2026-12-01 --machine "2 cores of an AMD EPYC, 24 GiB" [--seed 1] [--out DIR]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from funshare_flink.cli.simulate import DEFAULT_SEED, made, write
from funshare_flink.cli.simulated_loop import drive
from funshare_flink.sim.figures.bench import Bench
from funshare_flink.sim.figures.output import Origin, markdown
from funshare_flink.sim.figures.registry import FIGURES, across

TARGET = Path(__file__).resolve().parent / "figures.md"


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--date", required=True, help="the day on which this runs")
    options.add_argument("--machine", required=True, help="what it runs on")
    options.add_argument("--seed", type=int, default=DEFAULT_SEED)
    options.add_argument("--out", type=Path, help="a folder that is there, for CSV and PNG")
    args = options.parse_args(arguments)
    bench = Bench(args.seed, drive)
    figures = list(made(bench, FIGURES))
    for figure in figures if args.out else ():
        write(figure, args.out)
    origin = Origin(f"python docs/make_figures.py --seed {args.seed}", args.date, args.machine)
    TARGET.write_text(markdown(figures, across(bench), origin), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
