"""Groups that do not fit into a slot's managed memory are divided, or refused with the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.grouping.fit import MIB, fitted
from funshare_flink.grouping.strategies import STRATEGIES
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId


def candidates(*slots: int) -> tuple[Candidate, ...]:
    return tuple(Candidate(QueryName(f"q{i}"), s, ShareClassId("c")) for i, s in enumerate(slots))


def two_mib_each(members: Sequence[QueryName]) -> int:
    return 2 * MIB * len(members)


def test_what_fits_stays_as_it_is() -> None:
    found = candidates(1, 1)
    grouping = STRATEGIES["full"](found)
    result = fitted(grouping, found, two_mib_each, 4 * MIB)
    assert result.grouping == grouping
    assert not result.notes


def test_unknown_memory_divides_nothing() -> None:
    found = candidates(1, 1)
    grouping = STRATEGIES["full"](found)
    assert fitted(grouping, found, two_mib_each, None).grouping == grouping


def test_a_large_group_becomes_as_few_as_fit_and_says_so() -> None:
    found = candidates(1, 1, 1, 1, 1)
    result = fitted(STRATEGIES["full"](found), found, two_mib_each, 5 * MIB)
    assert [g.members for g in result.grouping.groups] == [("q0", "q1"), ("q2", "q3"), ("q4",)]
    assert [str(g.id) for g in result.grouping.groups] == ["share-c-1", "share-c-2", "share-c-3"]
    assert result.notes == (
        "group share-c needs 10 MiB of managed memory a slot, and a slot has 5 MiB: it runs as 3 groups (raise "
        "taskmanager.memory.managed.size to have one)",
    )


def test_a_query_that_does_not_fit_alone_is_refused_by_name() -> None:
    found = candidates(1, 1)
    with pytest.raises(BadInputError, match="query q0 needs 2 MiB of managed memory a slot, and a slot has 1 MiB"):
        fitted(STRATEGIES["full"](found), found, two_mib_each, MIB)


def test_a_group_of_a_grouping_file_is_refused_not_changed() -> None:
    found = candidates(1, 1)
    wished = Grouping("explicit", STRATEGIES["full"](found).groups)
    with pytest.raises(BadInputError, match="group share-c needs 4 MiB"):
        fitted(wished, found, two_mib_each, 3 * MIB)


@settings(max_examples=300)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(2, 30))
def test_the_parts_are_a_partition_that_fits_with_no_more_slots(slots: list[int], mib: int) -> None:
    found = candidates(*slots)
    result = fitted(STRATEGIES["full"](found), found, two_mib_each, mib * MIB).grouping
    members = [m for g in result.groups for m in g.members]
    assert sorted(members) == sorted(c.name for c in found)
    alone = {c.name: c.slots for c in found}
    for group in result.groups:
        assert two_mib_each(group.members) <= mib * MIB
        assert group.slots <= sum(alone[m] for m in group.members)
    assert result.slots <= sum(slots)
