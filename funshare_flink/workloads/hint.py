"""Generator settings that suit a workload, as plain values: no workload knows how events are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Uniform:
    """Every value from `low` to `high`, both included; None: the attribute's whole range."""

    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        return "uniform" if self.low is None else f"uniform:{self.low}:{self.high}"


@dataclass(frozen=True)
class Zipf:
    """The value of rank r has a chance in proportion to 1 / r ** exponent.

    `order` 'rank': rank r is the value r - 1 + shift (modulo the range); 'permuted': a seeded permutation
    spreads the ranks, another `shift` gives another one.
    """

    exponent: float
    order: Literal["rank", "permuted"] = "permuted"
    shift: int = 0

    def __str__(self) -> str:
        return f"zipf:{self.exponent}:{self.order}:{self.shift}"


@dataclass(frozen=True)
class AttrPhase:
    """How the filter attribute is distributed from this second of event time on."""

    from_s: int = 0
    distribution: Uniform | Zipf = Uniform()

    def __str__(self) -> str:
        return f"{self.from_s}={self.distribution}"


@dataclass(frozen=True)
class KeyPhase:
    """Number of join keys of the dense streams and the share of events in stream_a, from this second on."""

    from_s: int = 0
    keys: int = 500
    share_of_a: float = 0.5

    def __str__(self) -> str:
        return f"{self.from_s}={self.keys}:{self.share_of_a}"


@dataclass(frozen=True)
class GeneratorHint:
    """What to generate so that the workload does what its name says.

    `event_rate_eps` is events per second of event time; `watermark_ms` is how late a record may be without
    being lost; `auction_id_cycle` 0 means that auction ids never repeat.
    """

    shape: Literal["nexmark", "dense"]
    seed: int
    event_rate_eps: int
    watermark_ms: int
    in_flight_auctions: int = 100
    auction_id_cycle: int = 0
    categories: int = 5
    attr_phases: tuple[AttrPhase, ...] = (AttrPhase(),)
    key_phases: tuple[KeyPhase, ...] = (KeyPhase(),)
