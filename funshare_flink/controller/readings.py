"""Keeps the last counters of every group and makes readings of them over the window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial

from funshare_flink.estimate.capacity import Reading, reading
from funshare_flink.estimate.counters import GroupCounters, Stage
from funshare_flink.estimate.thresholds import Thresholds
from funshare_flink.model.grouping import Group

SeenReadings = Mapping[str, Reading | None]
"""By group id; None for a group that could not be read."""


@dataclass
class Readings:
    """Counters by group over the last `window_s` seconds and a little more."""

    window_s: float
    thresholds: Thresholds = field(default_factory=Thresholds)
    _kept: dict[str, deque[GroupCounters]] = field(default_factory=dict)

    def add(self, groups: tuple[Group, ...], counters: Mapping[str, GroupCounters | None]) -> None:
        """Take in one cycle's counters; groups that do not run any more are forgotten."""
        self._kept = {g: kept for g, kept in self._kept.items() if g in {str(x.id) for x in groups}}
        for group, found in counters.items():
            if found is not None:
                self._add(group, found)

    def _add(self, group: str, found: GroupCounters) -> None:
        kept = self._kept.setdefault(group, deque())
        if kept and kept[-1].generation != found.generation:
            kept.clear()
        kept.append(found)
        while len(kept) > 2 and kept[1].taken_at_s <= found.taken_at_s - self.window_s:
            kept.popleft()

    def of(self, group: Group, now_s: float) -> Reading | None:
        """The group's reading, None when it was not read this cycle or not long enough."""
        return self._made_of(self._between(group, now_s))

    def at(self, groups: tuple[Group, ...], now_s: float) -> SeenReadings:
        """Readings by group id, each made when it is first asked for: most cycles need hardly any."""
        return _AsNeeded({str(g.id): partial(self._made_of, self._between(g, now_s)) for g in groups})

    def _made_of(self, kept: tuple[GroupCounters, GroupCounters] | None) -> Reading | None:
        return None if kept is None else reading(*kept, self.thresholds)

    def suffers(self, group: Group, now_s: float, penalty_tolerance: float) -> bool:
        """Whether a split may be due: a shared group is held back behind its join, or reads less than arrives.

        Looks at the shared tasks only. There are three of them and as many tails as members; a closer look, and a
        sample, is worth its price only when this says so.
        """
        kept = self._between(group, now_s) if group.is_shared else None
        shared = reading(_without_tails(kept[0]), _without_tails(kept[1]), self.thresholds) if kept else None
        if shared is None:
            return False
        if any((t.backpressured or 0.0) > self.thresholds.backpressure_share for t in shared.tasks):
            return True
        if shared.processed_rps is None or shared.input_rps is None:
            return False
        return shared.processed_rps < (1 - penalty_tolerance) * shared.input_rps

    def _between(self, group: Group, now_s: float) -> tuple[GroupCounters, GroupCounters] | None:
        kept = self._kept.get(str(group.id))
        if not kept or len(kept) < 2 or kept[-1].taken_at_s < now_s:
            return None
        return kept[0], kept[-1]


class _AsNeeded(Mapping[str, Reading | None]):
    def __init__(self, made_by: Mapping[str, Callable[[], Reading | None]]) -> None:
        self._made_by = {group: cache(make) for group, make in made_by.items()}

    def __getitem__(self, group: str) -> Reading | None:
        return self._made_by[group]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


def _without_tails(counters: GroupCounters) -> GroupCounters:
    return replace(counters, tasks=tuple(t for t in counters.tasks if t.stage is not Stage.TAIL), routed={})


CATCHES_UP_BY = 0.02
"""A group that reads more than arrives by this share works off a backlog; less is the wavering of any lag."""

BACKLOG_S = 1.0
"""A lag of fewer seconds of input than this is no backlog."""


def catches_up(now: Reading) -> bool:
    """It works off a backlog: what it reads now says nothing of its steady state. False where that is not known."""
    if now.processed_rps is None or now.input_rps is None or now.lag is None:
        return False
    return now.processed_rps > (1 + CATCHES_UP_BY) * now.input_rps and now.lag > BACKLOG_S * now.input_rps
