"""Fits the load model to what the groups were busy with (design, section 6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from funshare_flink.controller.readings import catches_up
from funshare_flink.estimate.capacity import Reading
from funshare_flink.estimate.coefficients import STAGES, Coefficients, Observation, fit
from funshare_flink.estimate.counters import Stage
from funshare_flink.estimate.loads import SampledLoads, TailCost, records_of
from funshare_flink.estimate.overlap import Estimated
from funshare_flink.estimate.sample import ClassSample
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName, ShareClassId

_STAGES_OF = {Stage.SOURCE: ("decode", "tag"), Stage.JOIN: ("insert", "probe", "route_check", "routed")}
_BY_ROW = ("decode", "tag", "insert")
"""These grow with the rows that are read; everything behind the join grows as pairs do."""

_KEPT = 200
_LEAST_SHARE = 0.5
"""A group that reads less of its input than this is too far from its steady state to calibrate by."""

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

    def priced(
        self,
        groups: Iterable[Group],
        readings: Mapping[str, Reading | None],
        samples: Mapping[ShareClassId, ClassSample],
    ) -> dict[ShareClassId, SampledLoads]:
        """Loads by share class. What the groups were busy with corrects the coefficients first, then prices are set."""
        found = {c: SampledLoads(sample, self.coefficients, self.tails) for c, sample in samples.items()}
        for group in groups:
            reading = readings.get(str(group.id))
            known = found.get(group.share_class) if group.share_class is not None else None
            if reading is not None and known is not None and not catches_up(reading):
                self.learn(group, reading, known)
        return {c: loads.with_costs(self.coefficients, self.tails) for c, loads in found.items()}

    def learn(self, group: Group, reading: Reading, loads: SampledLoads) -> None:
        """Take in one group's window: its shared stages for the coefficients, its tails each for itself."""
        if not reading.processed_rps or not reading.input_rps or not loads.overlaps.knows(group.members):
            return
        share = reading.processed_rps / reading.input_rps
        exponent = loads.overlaps.sample.pair_exponent
        counts = loads.counts(group.members)
        if share >= _LEAST_SHARE:
            powers = {stage: share if stage in _BY_ROW else share**exponent for stage in STAGES}
            records = {s: Estimated(n.per_s * powers[s], n.error) for s, n in records_of(counts).items()}
            for stage, names in _STAGES_OF.items():
                self._observe(reading, stage, {s: records[s] for s in names})
        for query, handed in counts.handed:
            self._measure_tail(group, query, reading, handed.per_s * share**exponent)

    def _observe(self, reading: Reading, stage: Stage, records: Mapping[str, Estimated]) -> None:
        """One equation: this stage's records times its coefficients are its busy time."""
        busy = [t.busy_us_ps for t in reading.tasks if t.stage is stage]
        known = [b for b in busy if b is not None]
        if not known or len(known) < len(busy) or sum(known) <= 0:
            return
        row = [records.get(s, Estimated(0.0, 0.0)) for s in STAGES]
        errors = tuple(n.per_s * n.error for n in row)
        self._observations.append(Observation(tuple(n.per_s for n in row), sum(known), errors))
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
