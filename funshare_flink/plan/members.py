"""A sharing group's members, with the two numbers that a query keeps for its lifetime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from funshare_flink.plan.classify import Shareable
from funshare_flink.plan.tagging import WORD_BITS


@dataclass(frozen=True)
class Member:
    """A query in a group. `bit`: its bit in its share class's query sets, fixed for its lifetime. `number`: its
    place in the workload, which gives its range of node ids (see `builder`)."""

    query: Shareable
    bit: int
    number: int


@dataclass(frozen=True)
class BitLayout:
    """Which words of the class's query sets this group carries: only those with a member's bit.

    Inside a word a bit keeps its place, so a group of two queries with bits 3 and 700 carries two words.
    """

    words: tuple[int, ...]

    @staticmethod
    def of(members: Sequence[Member]) -> BitLayout:
        return BitLayout(tuple(sorted({m.bit // WORD_BITS for m in members})))

    def carried_bit(self, bit: int) -> int:
        """The bit's place in the words that the group carries."""
        return self.words.index(bit // WORD_BITS) * WORD_BITS + bit % WORD_BITS

    def word(self, bit: int) -> int:
        """Which carried word holds the bit."""
        return self.words.index(bit // WORD_BITS)

    def mask(self, bit: int) -> int:
        """The bit inside its word, as a signed 64-bit number."""
        value = 1 << (bit % WORD_BITS)
        return value - (1 << WORD_BITS) if value >= 1 << (WORD_BITS - 1) else value
