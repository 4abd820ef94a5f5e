"""Parameters of the built-in workloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from funshare_flink.model.errors import BadInputError

WorkloadName = Literal["W1", "W2", "W3", "mixed"]
Variant = Literal["sparse", "dense"]
Tail = Literal["average", "projection"]


@dataclass(frozen=True)
class Selectivity:
    """Share of the rows that a query's filter keeps, in percent; each query draws its own from low to high.

    >>> Selectivity.parse("10%"), Selectivity.parse("1-20%")
    (Selectivity(low_percent=10.0, high_percent=10.0), Selectivity(low_percent=1.0, high_percent=20.0))
    """

    low_percent: float
    high_percent: float

    def __post_init__(self) -> None:
        if not 0 < self.low_percent <= self.high_percent <= 100:
            raise BadInputError(f"selectivity {self}: percents lie above 0 and up to 100, the lower one first")

    def __str__(self) -> str:
        low, high = f"{self.low_percent:g}", f"{self.high_percent:g}"
        return f"{low}%" if low == high else f"{low}-{high}%"

    @classmethod
    def parse(cls, text: str) -> Selectivity:
        """Reads '10%' or '1-20%' (the sign may be left out). BadInputError on anything else."""
        ends = text.strip().removesuffix("%").split("-")
        try:
            numbers = [float(end.strip().removesuffix("%")) for end in ends]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2):
            raise BadInputError(f"selectivity {text!r}: write a percentage like 10% or a range like 1-20%")
        return cls(numbers[0], numbers[-1])


@dataclass(frozen=True)
class WorkloadParams:
    """Everything that decides a workload's text. The same values give the same text.

    name, variant      which tails, and which join of which streams
    queries            how many INSERTs, 1 or more
    selectivity        of the filter on the attribute (dense: on each side)
    ranges             'random' starts, or 'prefix': all ranges start at 0 (they contain each other)
    filter_both        sparse only: filter auctions by their attribute as well (dense always filters both)
    interval_s         time bound of the join; None: 20 s sparse, 60 s dense (W3 sparse: 60 s)
    window_s           size of the tails' tumbling windows
    tail               'average' (windowed aggregate) or 'projection' (every joined row goes to the sink)
    anomaly_cost_ns    W2: what PRICE_ANOMALY costs per joined row
    anomaly_mode       W2: 'burn' keeps a core busy, 'park' sleeps
    matches_per_tuple  W3: how many partners a tuple has before filters, about
    event_rate_eps     events per second of event time; None: 10,000 sparse, 2,000 dense
    watermark_ms       how late a row may come
    bounded            read up to the topics' end as of the start, then finish
    exactly_once       Kafka sinks write in transactions
    slots              task slots per query, written as a directive when above 1
    """

    name: WorkloadName
    variant: Variant = "sparse"
    queries: int = 16
    selectivity: Selectivity = Selectivity(10, 10)
    seed: int = 42
    bootstrap_servers: str = "localhost:9092"
    topic_prefix: str = ""
    bounded: bool = False
    sink: Literal["kafka", "blackhole"] = "kafka"
    exactly_once: bool = False
    ranges: Literal["random", "prefix"] = "random"
    filter_both: bool = False
    interval_s: int | None = None
    window_s: int = 10
    tail: Tail = "average"
    anomaly_cost_ns: int = 20_000
    anomaly_mode: Literal["burn", "park"] = "burn"
    matches_per_tuple: int = 50
    event_rate_eps: int | None = None
    watermark_ms: int = 1000
    slots: int = 1

    def __post_init__(self) -> None:
        self._require(self.name in ("W1", "W2", "W3", "mixed"), "name", "W1, W2, W3 or mixed")
        self._require(self.variant in ("sparse", "dense"), "variant", "sparse or dense")
        for field in ("queries", "window_s", "matches_per_tuple", "slots"):
            self._require(getattr(self, field) >= 1, field, "1 or more")
        for field in ("interval_s", "event_rate_eps"):
            value = getattr(self, field)
            self._require(value is None or value >= 1, field, "1 or more, or left out")
        for field in ("anomaly_cost_ns", "watermark_ms"):
            self._require(getattr(self, field) >= 0, field, "0 or more")

    def _require(self, holds: bool, field: str, expected: str) -> None:
        if not holds:
            raise BadInputError(f"workload setting {field} is {getattr(self, field)!r}; it must be {expected}")

    @property
    def join_interval_ms(self) -> int:
        """The join's time bound."""
        otherwise_s = 60 if self.variant == "dense" or self.name == "W3" else 20
        return 1000 * (self.interval_s or otherwise_s)

    @property
    def rate_eps(self) -> int:
        """Events per second of event time."""
        return self.event_rate_eps or (2_000 if self.variant == "dense" else 10_000)
