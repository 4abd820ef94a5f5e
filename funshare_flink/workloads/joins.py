"""The shared join of each variant, its filters, and what the tails may ask of a joined row."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from funshare_flink.workloads.params import Variant, WorkloadParams
from funshare_flink.workloads.sql import interval


@dataclass(frozen=True)
class JoinShape:
    """One join with aliases a and b, and SQL expressions over its rows for the roles that tails use.

    `lower`: whether b may come before a (then the bound holds in both directions). `attr_domain`: the
    filter attribute's values are 0 .. domain - 1.
    """

    left: str
    right: str
    left_key: str
    right_key: str
    lower: bool
    attr_domain: int
    category: str
    seller: str
    price: str
    gain: str
    texts: tuple[str, ...]


SHAPES: dict[Variant, JoinShape] = {
    "sparse": JoinShape(
        left="auction",
        right="bid",
        left_key="a.id",
        right_key="b.auction",
        lower=False,
        attr_domain=10_000,
        category="a.category",
        seller="a.seller",
        price="b.price",
        gain="b.price - a.initial_bid",
        texts=("a.item", "b.channel", "b.url", "CAST(b.bidder AS STRING)"),
    ),
    "dense": JoinShape(
        left="stream_a",
        right="stream_b",
        left_key="a.k",
        right_key="b.k",
        lower=True,
        attr_domain=100,
        category="MOD(a.k, 10)",
        seller="a.k",
        price="b.val",
        gain="b.val - a.val",
        texts=("CAST(a.val AS STRING)", "CAST(b.val AS STRING)", "CAST(a.attr AS STRING)"),
    ),
}


@dataclass(frozen=True)
class AttrRange:
    """A closed range over the filter attribute."""

    low: int
    high: int

    def on(self, side: str) -> str:
        """The SQL condition on one side of the join ('a' or 'b')."""
        return f"{side}.attr BETWEEN {self.low} AND {self.high}"


def draw_range(params: WorkloadParams, random: Random) -> AttrRange:
    """The next query's range: its selectivity drawn from the setting's range, its start by `ranges`."""
    domain = SHAPES[params.variant].attr_domain
    low, high = params.selectivity.low_percent, params.selectivity.high_percent
    percent = low + (high - low) * random.random()
    width = min(domain, max(1, round(domain * percent / 100)))
    # int(random() * n) stays the same in every Python; randrange may not.
    start = int(random.random() * (domain - width + 1)) if params.ranges == "random" else 0
    return AttrRange(start, start + width - 1)


def filters(params: WorkloadParams, chosen: AttrRange) -> tuple[str, ...]:
    """The query's filter conditions: on bids (sparse), on both sides (dense, or if asked)."""
    both = params.filter_both or params.variant == "dense"
    return (chosen.on("a"), chosen.on("b")) if both else (chosen.on("b"),)


def join_text(params: WorkloadParams, kind: str = "JOIN", right_key: str | None = None) -> str:
    """FROM and ON of the join; `kind` and `right_key` make the variants that cannot share."""
    shape = SHAPES[params.variant]
    bound = interval(params.join_interval_ms)
    lower = f"a.ts - {bound}" if shape.lower else "a.ts"
    return (
        f"FROM {shape.left} AS a {kind} {shape.right} AS b\n"
        f"  ON {shape.left_key} = {right_key or shape.right_key}\n"
        f"  AND b.ts BETWEEN {lower} AND a.ts + {bound}"
    )
