"""Strategies: candidates in, a grouping out. One file each, one table of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from funshare_flink.grouping.strategies.full import full_sharing
from funshare_flink.grouping.strategies.isolated import isolated
from funshare_flink.model.grouping import Candidate, Grouping


class Strategy(Protocol):
    """Which queries run together. A pure function; the order of the candidates does not matter for the partition."""

    def __call__(self, candidates: tuple[Candidate, ...], /) -> Grouping:
        """A partition of the candidates: every one in exactly one group, share classes never mixed."""


STRATEGIES: Mapping[str, Strategy] = {"isolated": isolated, "full": full_sharing}
"""Strategies that need no load model. An explicit grouping file is the third way (`explicit.grouping_from`)."""
