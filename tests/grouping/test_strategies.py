"""Laws of every strategy, and what an explicit grouping is refused for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.flink.grouping_files import load_grouping
from funshare_flink.grouping.strategies import STRATEGIES, WITHOUT_KNOWLEDGE
from funshare_flink.grouping.strategies.explicit import WishedGroup, grouping_from
from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import QueryName, ShareClassId

WHERE = SourceLocation("g.yaml", 3)


def candidate(name: str, share_class: str | None = "c1", slots: int = 1, pinned: bool = False) -> Candidate:
    return Candidate(
        QueryName(name), slots, ShareClassId(share_class) if share_class else None,
        "" if share_class else "outer join", pinned,
    )  # fmt: skip


@st.composite
def candidates(draw: st.DrawFn) -> tuple[Candidate, ...]:
    names = draw(st.lists(st.text("abc#", min_size=1, max_size=3), max_size=9, unique=True))
    classes = st.sampled_from([None, "c1", "c2", "c3"])
    return tuple(candidate(n, draw(classes), draw(st.integers(1, 4)), draw(st.booleans())) for n in names)


@st.composite
def wishes(draw: st.DrawFn, given_candidates: tuple[Candidate, ...]) -> tuple[WishedGroup, ...]:
    """Groups that keep the rules: some queries of one class together."""
    free = [c for c in given_candidates if c.share_class is not None and not c.pinned]
    result = []
    for share_class in sorted({str(c.share_class) for c in free}):
        members = [c for c in free if c.share_class == share_class]
        chosen = draw(st.lists(st.sampled_from(members), unique=True, min_size=1))
        slots = draw(st.none() | st.integers(1, sum(c.slots for c in chosen)))
        result.append(WishedGroup(f"wish-{share_class}", tuple(str(c.name) for c in chosen), slots, WHERE))
    return tuple(result)


def check_laws(found: Grouping, given_candidates: tuple[Candidate, ...]) -> None:
    by_name = {c.name: c for c in given_candidates}
    members = [m for g in found.groups for m in g.members]
    assert sorted(members) == sorted(by_name), "a partition"
    assert len({g.id for g in found.groups}) == len(found.groups), "groups have names of their own"
    for g in found.groups:
        assert 1 <= g.slots <= sum(by_name[m].slots for m in g.members), "never more slots than alone"
        assert g.reason
        if g.is_shared:
            assert len({by_name[m].share_class for m in g.members}) == 1, "classes are never mixed"
            assert g.share_class is not None
            assert not any(by_name[m].pinned for m in g.members), "pinned queries stay alone"
    assert found.slots <= sum(c.slots for c in given_candidates)


@pytest.mark.parametrize("name", WITHOUT_KNOWLEDGE)
@given(case=candidates())
def test_laws_of_strategies(name: str, case: tuple[Candidate, ...]) -> None:
    check_laws(STRATEGIES[name](case), case)


@given(st.data())
def test_laws_of_explicit_groupings(data: st.DataObject) -> None:
    case = data.draw(candidates())
    wished = data.draw(wishes(case))
    found = grouping_from(wished, case)
    check_laws(found, case)
    for w in wished:
        group = next(g for g in found.groups if g.id == w.name)
        assert set(group.members) == set(w.queries)
        assert w.slots in (None, group.slots)


@pytest.mark.parametrize("name", WITHOUT_KNOWLEDGE)
@given(case=candidates(), chance=st.randoms(use_true_random=False))
def test_the_order_of_candidates_does_not_matter(name: str, case: tuple[Candidate, ...], chance: Any) -> None:
    shuffled = list(case)
    chance.shuffle(shuffled)
    one, two = STRATEGIES[name](case), STRATEGIES[name](tuple(shuffled))
    assert {frozenset(g.members): g.slots for g in one.groups} == {frozenset(g.members): g.slots for g in two.groups}


def test_full_sharing_shares_all_that_can() -> None:
    case = (
        candidate("a"),
        candidate("b", slots=3),
        candidate("c", None),
        candidate("d", "c2"),
        candidate("e", pinned=True),
    )
    found = STRATEGIES["full"](case)
    assert [set(g.members) for g in found.groups] == [{"a", "b"}, {"c"}, {"d"}, {"e"}]
    assert [g.slots for g in found.groups] == [3, 1, 1, 1]
    assert [g.reason for g in found.groups] == [
        "same share class",
        "outer join",
        "no other query has its join",
        "pinned",
    ]
    assert found.group_of("b") is found.groups[0]
    assert found.group_of("nobody") is None


CASE = (
    candidate("a"),
    candidate("b", slots=2),
    candidate("c", "c2"),
    candidate("d", None),
    candidate("e", pinned=True),
)


@pytest.mark.parametrize(
    ("queries", "slots", "message"),
    [
        (("a", "z"), None, "group g: no runnable query is named z; there are: a, b, c, d, e"),
        (("a", "a"), None, "query a is in group g and in group g"),
        (("a", "c"), None, r"group g: queries a and c do other joins \(share classes c1 and c2\)"),
        (("a", "d"), None, "group g: query d cannot share: outer join"),
        (("a", "e"), None, "group g: query e is pinned and must run alone"),
        (("a", "b"), 4, r"group g: 4 slots are more than its queries have alone together \(3\)"),
        (("a",), 2, "2 slots are more"),
        ((), None, "group g has no queries"),
    ],
)
def test_wishes_that_cannot_be_granted(queries: tuple[str, ...], slots: int | None, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        grouping_from([WishedGroup("g", queries, slots, WHERE)], CASE)
    assert str(caught.value).startswith("g.yaml, line 3: ")


def test_a_query_in_two_groups() -> None:
    wished = [WishedGroup("g", ("a",), None, WHERE), WishedGroup("h", ("a", "b"), None, WHERE)]
    with pytest.raises(BadInputError, match="query a is in group g and in group h"):
        grouping_from(wished, CASE)


@pytest.mark.parametrize("names", [("g", "g"), ("c", "h")])
def test_two_groups_of_one_name(names: tuple[str, str]) -> None:
    """A query that is named in no group is a group of its own name."""
    wished = [WishedGroup(names[0], ("a",), None, WHERE), WishedGroup(names[1], ("b",), None, WHERE)]
    with pytest.raises(BadInputError, match=f"two groups are named {names[0]}"):
        grouping_from(wished, CASE)


def test_a_pinned_query_may_be_named_alone() -> None:
    found = grouping_from([WishedGroup("g", ("e",), None, WHERE)], CASE)
    assert [g.id for g in found.groups] == ["g", "a", "b", "c", "d"]
    assert [g.reason for g in found.groups][1:] == ["not in the grouping file"] * 3 + ["outer join"]


Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str) -> Path:
        path = tmp_path / "g.yaml"
        path.write_text(text)
        return path

    return write_file


def test_a_grouping_file(write: Write) -> None:
    path = write("groups:\n  - name: hot\n    queries: [a, 'b#2']\n    slots: 2\n  - {name: cold, queries: c}\n")
    found = load_grouping(path)
    assert [(w.name, w.queries, w.slots) for w in found] == [("hot", ("a", "b#2"), 2), ("cold", ("c",), None)]
    assert (found[0].where.file, found[0].where.line) == (str(path), 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("groups: [", "this is not YAML"),
        ("- a\n", "must be a mapping"),
        ("group:\n  - name: hot\n", "group"),
        ("{}", "groups is missing"),
        ("groups:\n  - queries: [a]\n", "line 2: name is missing"),
        ("groups:\n  - name: hot\n", "line 2: queries is missing"),
        (
            "groups:\n  - name: hot\n    queries: [a]\n    slots: 0\n",
            "line 4: slots must be a whole number of 1 or more",
        ),
        ("groups:\n  - name: hot\n    queries: [a]\n    slots: -3\n", "line 4: slots must be"),
        ("groups:\n  - name: hot\n    queries: [a]\n    slots: two\n", "line 4: slots must be"),
        ("groups:\n  - name: ' '\n    queries: [a]\n", "line 2: .*name"),
        ("groups:\n  - name: hot\n    queries: [a]\n    colour: red\n", "line 4: .*colour"),
        ("groups: hot\n", "line 1: groups must be a list"),
        ("groups:\n  - name: hot\n    queries: [[a]]\n", "line 3: queries"),
    ],
)
def test_grouping_files_that_say_nothing_useful(write: Write, text: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        load_grouping(write(text))


def test_a_grouping_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"nowhere\.yaml"):
        load_grouping(tmp_path / "nowhere.yaml")
