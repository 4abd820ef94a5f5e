"""Draws a figure as a PNG, labelled as in the paper. Nothing on screen: matplotlib's Agg canvas, no global state."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from funshare_flink.sim.figures.results import Figure, Panel

STYLES = {
    "Isolated": ("#444444", "o", "-"),
    "Full-Sharing": ("#d62728", "s", "-"),
    "Selectivity-Sharing": ("#ff7f0e", "^", "--"),
    "Overlap-Sharing": ("#1f77b4", "v", ":"),
    "GroupShare": ("#9467bd", "D", "-."),
    "FunShare": ("#2ca02c", "*", "-"),
}
"""Colour, marker and dashes by strategy, so that equal lines show through; "(C)", the constrained kind, looks alike."""

_WIDTH_IN, _HEIGHT_IN = 6.0, 3.6


def draw(figure: Figure, path: Path) -> None:
    """One PNG with all panels, one below the other. The same figure gives the same bytes."""
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        canvas = Canvas(figsize=(_WIDTH_IN, _HEIGHT_IN * len(figure.panels)), layout="constrained")
        FigureCanvasAgg(canvas)
        for i, panel in enumerate(figure.panels):
            _draw(canvas.add_subplot(len(figure.panels), 1, i + 1), panel)
        canvas.savefig(path, dpi=120, metadata={"Software": None})


def _draw(axes: Axes, panel: Panel) -> None:
    if panel.bars:
        _bars(axes, panel)
    else:
        _lines(axes, panel)
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(True, linewidth=0.3)
    axes.legend(fontsize=7)


def _lines(axes: Axes, panel: Panel) -> None:
    for line in panel.lines:
        colour, marker, dashes = _style(line.name)
        y = [math.nan if v is None else v for v in line.y]
        if panel.steps:
            axes.step(line.x, y, where="post", label=line.name, color=colour, linestyle=dashes)
        else:
            axes.plot(line.x, y, label=line.name, color=colour, marker=marker, markersize=5, linestyle=dashes)


def _bars(axes: Axes, panel: Panel) -> None:
    places = list(dict.fromkeys(x for line in panel.lines for x in line.x))
    width = 0.8 / max(1, len(panel.lines))
    for i, line in enumerate(panel.lines):
        at = [places.index(x) - 0.4 + (i + 0.5) * width for x in line.x]
        y = [math.nan if v is None else v for v in line.y]
        axes.bar(at, y, width, label=line.name, color=_style(line.name)[0])
    axes.set_xticks(range(len(places)), panel.ticks or [f"{p:g}" for p in places])


def _style(name: str) -> tuple[str | None, str, str]:
    return STYLES.get(name.removesuffix(" (C)"), (None, ".", "-"))
