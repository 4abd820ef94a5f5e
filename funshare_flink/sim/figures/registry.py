"""All figures by name, and those verdicts that rest on several figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from funshare_flink.sim.figures import handover, knobs, latency, pulse, resources, shift, throughput
from funshare_flink.sim.figures.bench import Bench
from funshare_flink.sim.figures.results import Figure, Verdict

Make = Callable[[Bench], Figure]

FIGURES: Mapping[str, Make] = {
    "2": pulse.figure_2,
    **{name: partial(resources.figure, name=name) for name in resources.VARIANTS},
    **{name: partial(throughput.figure, name=name) for name in throughput.VARIANTS},
    "8": pulse.figure_8,
    "9": shift.figure,
    "10a": knobs.figure_10a,
    "10b": knobs.figure_10b,
    "11a": latency.figure,
    "11b": pulse.figure_11b,
    "table1": handover.table_1,
}
"""In the paper's order."""


def across(bench: Bench) -> tuple[Verdict, ...]:
    """Claims on all of Fig. 6; cheap when its figures were made on the same bench."""
    return (*resources.overall(bench), handover.convergence(bench))
