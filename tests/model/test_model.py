"""Values that packages exchange: places, errors, groups."""

from __future__ import annotations

import pytest

from funshare_flink.model.errors import (
    BadInputError,
    FatalError,
    FunShareError,
    NotReadyError,
    Problem,
    RetryableError,
    SourceLocation,
    WorkloadRefusedError,
)
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName
from funshare_flink.model.workload import name_problem
from tests.plan.golden_plans import golden


def test_a_place_says_what_it_knows() -> None:
    assert str(SourceLocation("a.sql")) == "a.sql"
    assert str(SourceLocation("a.sql", 3)) == "a.sql, line 3"
    assert str(SourceLocation("a.sql", 3, 2)) == "a.sql, line 3, statement 2"


def test_errors_say_where_and_what() -> None:
    where = SourceLocation("a.sql", 3)
    error = BadInputError("wrong", where)
    assert (str(error), error.message, error.where) == ("a.sql, line 3: wrong", "wrong", where)
    assert str(BadInputError("wrong")) == "wrong"
    refused = WorkloadRefusedError((Problem(where, "one"), Problem(SourceLocation("b.sql"), "two")))
    assert str(refused) == "a.sql, line 3: one\nb.sql: two"
    assert isinstance(refused, BadInputError)
    assert RetryableError("later", 2.5).after_s == 2.5
    assert all(issubclass(e, FunShareError) for e in (BadInputError, FatalError, NotReadyError, RetryableError))
    assert not any(issubclass(e, BadInputError) for e in (FatalError, NotReadyError, RetryableError))


def test_a_groupings_slots_are_its_groups() -> None:
    one = Group(GroupId("g"), (QueryName("a"), QueryName("b")), 2, None, "")
    two = Group(GroupId("c"), (QueryName("c"),), 3, None, "")
    found = Grouping("s", (one, two))
    assert found.slots == 5
    assert (one.is_shared, two.is_shared) == (True, False)
    assert found.group_of("b") is one


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("a", True),
        ("odd;sink#2", True),
        ("x" * 200, True),
        ("", False),
        (" a", False),
        ("a\nb", False),
        ("x" * 201, False),
    ],
)
def test_names(name: str, good: bool) -> None:
    assert (name_problem(name) is None) == good


def test_a_workload_knows_its_queries() -> None:
    workload = golden("window").workload
    assert [q.name for q in workload.queries][:2] == ["tumble_plain", "tumble_swapped"]
    assert workload.by_name(QueryName("hop_plain")).statement.text.startswith("INSERT INTO")
    with pytest.raises(BadInputError, match="no query 'x'; its queries are: tumble_plain, "):
        workload.by_name("x")
