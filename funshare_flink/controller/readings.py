"""Keeps the last counters of every group and makes readings of them over the window."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from funshare_flink.estimate.capacity import Reading, reading
from funshare_flink.estimate.counters import GroupCounters
from funshare_flink.estimate.thresholds import Thresholds
from funshare_flink.model.grouping import Group


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
        kept = self._kept.get(str(group.id))
        if not kept or len(kept) < 2 or kept[-1].taken_at_s < now_s:
            return None
        return reading(kept[0], kept[-1], self.thresholds)


CATCHES_UP_BY = 0.02
"""A group that reads more than arrives by this share works off a backlog; less is the wavering of any lag."""

BACKLOG_S = 1.0
"""A lag of fewer seconds of input than this is no backlog."""


def catches_up(now: Reading) -> bool:
    """It works off a backlog: what it reads now says nothing of its steady state. False where that is not known."""
    if now.processed_rps is None or now.input_rps is None or now.lag is None:
        return False
    return now.processed_rps > (1 + CATCHES_UP_BY) * now.input_rps and now.lag > BACKLOG_S * now.input_rps
