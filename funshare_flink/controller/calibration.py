"""Fits the load model to what the groups were busy with (design, section 6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from funshare_flink.estimate.capacity import Reading
from funshare_flink.estimate.coefficients import STAGES, Coefficients, Observation, fit
from funshare_flink.estimate.counters import Stage
from funshare_flink.estimate.loads import SampledLoads, StageCounts, TailCost, records_of
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName

_STAGES_OF = {Stage.SOURCE: ("decode", "tag"), Stage.JOIN: ("insert", "probe", "route_check", "routed")}
_KEPT = 200
_LEAST_ROWS = 50.0
"""A tail that was handed fewer rows in the window is not measured by it."""


@dataclass
class Calibration:
    """`prior`: what was known before, such as an earlier run's coefficients."""

    prior: Coefficients
    _observations: deque[Observation] = field(default_factory=lambda: deque(maxlen=_KEPT))
    _tails: dict[QueryName, TailCost] = field(default_factory=dict)
    _fitted: Coefficients | None = None

    @property
    def coefficients(self) -> Coefficients:
        if self._fitted is None:
            self._fitted = fit(tuple(self._observations), self.prior)
        return self._fitted

    @property
    def tails(self) -> Mapping[QueryName, TailCost]:
        return self._tails

    def learn(self, group: Group, reading: Reading, loads: SampledLoads) -> None:
        """Take in one group's window: its shared stages for the coefficients, its tails each for itself."""
        if not reading.processed_rps or not reading.input_rps or not loads.overlaps.knows(group.members):
            return
        share = reading.processed_rps / reading.input_rps
        counts = loads.counts(group.members)
        for stage, names in _STAGES_OF.items():
            self._observe(reading, counts, (stage, names), share)
        for query, handed in counts.handed:
            grown = handed.per_s * share**loads.overlaps.sample.pair_exponent
            self._measure_tail(group, query, reading, grown)

    def _observe(
        self, reading: Reading, counts: StageCounts, which: tuple[Stage, tuple[str, ...]], share: float
    ) -> None:
        """One equation: this stage's records times its coefficients are its busy time."""
        stage, names = which
        busy = [t.busy_us_ps for t in reading.tasks if t.stage is stage]
        known = [b for b in busy if b is not None]
        if not known or len(known) < len(busy) or share < 0.5 or sum(known) <= 0:
            return
        grows = {"insert": share}
        records = records_of(counts)
        row = tuple(
            records[s].per_s * grows.get(s, share if s in ("decode", "tag") else share**2) if s in names else 0.0
            for s in STAGES
        )
        self._observations.append(Observation(row, sum(known)))
        self._fitted = None

    def _measure_tail(self, group: Group, query: QueryName, reading: Reading, estimated_rps: float) -> None:
        rows = reading.routed_rps.get(query)
        handed = estimated_rps if rows is None else rows
        tasks = [t for t in reading.tasks if t.query == query]
        busy = [t.busy_us_ps for t in tasks]
        known = [b for b in busy if b is not None]
        if not tasks or len(known) < len(busy) or handed * reading.seconds < _LEAST_ROWS:
            return
        widths = [t.parallelism for t in tasks]
        narrow = min(widths) if min(widths) < group.slots else None
        before = self._tails.get(query)
        width = narrow if narrow is not None else (before.max_parallelism if before else None)
        self._tails[query] = TailCost(sum(known) / handed, width)
