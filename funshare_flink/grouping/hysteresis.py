"""Slow to merge, quick to split: a merge is acted on only after it came out the same for some time.

Flapping costs hand-overs (background, section 2, item 1). A split is never held back: it restores a promise.
"""

from __future__ import annotations

from dataclasses import dataclass

from funshare_flink.grouping.decision import Decision, Rejected


@dataclass(frozen=True)
class Wish:
    """A partition that merges have asked for since `since_s`. `key`: members and slots of its groups."""

    key: frozenset[tuple[tuple[str, ...], int]]
    since_s: float


def held_back(decision: Decision, wish: Wish | None, stable_window_s: float) -> tuple[Decision, Wish | None]:
    """The decision if it may be acted on now, else one that changes nothing and says so; and the wish to remember.

    `decision` is a merge step's. With a window of 0 it passes at once.
    """
    if not decision.changed:
        return decision, None
    key = frozenset((tuple(str(m) for m in g.members), g.slots) for g in decision.grouping.groups)
    since_s = wish.since_s if wish is not None and wish.key == key else decision.at_s
    if decision.at_s - since_s >= stable_window_s:
        return decision, None
    waited = f"the same for {decision.at_s - since_s:.0f} s of {stable_window_s:.0f} s"
    moved = tuple(Rejected(s.queries, f"not yet: {waited}", s.cost) for s in decision.steps)
    waiting = Decision(decision.at_s, decision.grouping, False, (), moved + decision.rejected)
    return waiting, Wish(key, since_s)
