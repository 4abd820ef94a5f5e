"""The knobs of the deciding core; `settings` hands them in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """How groupings are decided (paper, sections IV and VI; design, section 5).

    merge_threshold    a pair is merged only below this cost; 1: extra load and extra resources in balance, lower: more
                       careful (paper, Fig. 10a)
    headroom           share of a slot that stays free when slots are given out
    penalty_tolerance  a query is penalised when its group reads less than (1 - this) of what it would read alone
    max_error          loads that are less certain than this (relative standard error) decide no merge
    """

    merge_threshold: float = 0.9
    headroom: float = 0.1
    penalty_tolerance: float = 0.05
    max_error: float = 0.25
