"""A decision with everything that explains it: log, `plan --why`, `history` and dashboard print this one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from funshare_flink.model.grouping import Grouping
from funshare_flink.model.ids import GroupId, QueryName

Kind = Literal["merge", "split", "slots", "keep"]


@dataclass(frozen=True)
class MergeCost:
    """GroupingCost in both directions with its inputs (paper, section IV-A; design, section 5).

    Loads in µs of CPU per second. `into_first`: cost that the first group bears when it absorbs the second.
    """

    first: tuple[QueryName, ...]
    second: tuple[QueryName, ...]
    load_first: float
    load_second: float
    load_union: float
    slots_first: int
    slots_second: int
    idle_first: float
    idle_second: float
    into_first: float
    into_second: float

    @property
    def cost(self) -> float:
        return max(self.into_first, self.into_second)

    @property
    def numbers(self) -> tuple[tuple[str, float], ...]:
        """The cost with everything that it was computed from, by stable names."""
        return (
            ("cost", self.cost), ("into_first", self.into_first), ("into_second", self.into_second),
            ("load_first_us_ps", self.load_first), ("load_second_us_ps", self.load_second),
            ("load_union_us_ps", self.load_union),
            ("slots_first", float(self.slots_first)), ("slots_second", float(self.slots_second)),
            ("idle_first", self.idle_first), ("idle_second", self.idle_second),
        )  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One thing that the decision does, in order. `queries`: whom it moves. `numbers`: the figures it rests on."""

    kind: Kind
    queries: tuple[QueryName, ...]
    group: GroupId
    because: str
    cost: MergeCost | None = None
    numbers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Rejected:
    """An option that was looked at and not taken."""

    queries: tuple[QueryName, ...]
    because: str
    cost: MergeCost | None = None


@dataclass(frozen=True)
class Decision:
    """The grouping to have, how it came about and what was not done.

    `changed` False: keep what runs. `rejected` holds the best rejected option of every group, not all pairs.
    """

    at_s: float
    grouping: Grouping
    changed: bool
    steps: tuple[Step, ...] = ()
    rejected: tuple[Rejected, ...] = ()
