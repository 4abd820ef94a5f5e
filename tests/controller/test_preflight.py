"""A workload whose topics are not there is refused before anything is started."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from funshare_flink.controller.preflight import require_jars, require_topics
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Group, Grouping
from funshare_flink.model.ids import GroupId, QueryName, ShareClassId
from funshare_flink.plan.preflight import TopicUse

READS = TopicUse("one:1", "picks", "picks_table", "q1", False)
READS_TOO = TopicUse("one:1", "picks", "picks_table", "q2", False)
WRITES = TopicUse("one:1", "totals", "totals_table", "q1", True)
ELSEWHERE = TopicUse("two:2", "picks", "far_table", "q3", False)


class FakeTopics:
    """A broker with these topics."""

    def __init__(self, *there: str, auto: bool = False) -> None:
        self.there, self.auto, self.made, self.asked = set(there), auto, list[tuple[tuple[str, ...], int]](), 0

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        self.asked += 1
        assert len(names) == len(set(names))
        return tuple(n for n in names if n not in self.there)

    def partitions(self, names: tuple[str, ...]) -> Mapping[str, int]:
        return {n: 1 for n in names if n in self.there}

    def creates_topics_itself(self) -> bool:
        return self.auto

    def create(self, names: tuple[str, ...], partitions: int) -> None:
        self.made.append((names, partitions))


def check(broker: FakeTopics, *uses: TopicUse, create: int | None = None) -> None:
    require_topics(uses, lambda _: broker, create)


def test_all_there() -> None:
    broker = FakeTopics("picks", "totals")
    check(broker, READS, READS_TOO, WRITES)
    assert broker.asked == 1
    assert broker.made == []


def test_a_missing_source_names_topic_broker_query_and_table() -> None:
    expected = r"topic picks does not exist at one:1: query q1 \(table picks_table\) would read it; create it"
    with pytest.raises(BadInputError, match=expected) as caught:
        check(FakeTopics("totals", auto=True), READS, READS_TOO, WRITES, create=3)
    assert "query q2" in str(caught.value)


def test_a_missing_sink_is_refused_unless_somebody_makes_it() -> None:
    with pytest.raises(BadInputError, match=r"topic totals .*would write it; .*--create-topics"):
        check(FakeTopics("picks"), READS, WRITES)
    check(FakeTopics("picks", auto=True), READS, WRITES)
    broker = FakeTopics("picks")
    check(broker, READS, WRITES, WRITES, create=4)
    assert broker.made == [(("totals",), 4)]


def test_nothing_is_made_when_a_source_is_missing() -> None:
    broker = FakeTopics()
    with pytest.raises(BadInputError):
        check(broker, READS, WRITES, create=4)
    assert broker.made == []


def test_each_broker_is_asked_for_its_own() -> None:
    brokers = {"one:1": FakeTopics("picks"), "two:2": FakeTopics()}
    with pytest.raises(BadInputError, match="topic picks does not exist at two:2"):
        require_topics([READS, ELSEWHERE], brokers.__getitem__)
    assert [b.asked for b in brokers.values()] == [1, 1]


def test_nothing_is_made_when_another_brokers_source_is_missing() -> None:
    brokers = {"one:1": FakeTopics("picks"), "two:2": FakeTopics()}
    with pytest.raises(BadInputError):
        require_topics([READS, WRITES, ELSEWHERE], brokers.__getitem__, 2)
    assert brokers["one:1"].made == []


SHARED = Grouping("full", (Group(GroupId("g"), (QueryName("a"), QueryName("b")), 1, ShareClassId("c"), ""),))
ALONE = Grouping("isolated", (Group(GroupId("a"), (QueryName("a"),), 1, None, ""),))


@pytest.mark.parametrize(
    ("grouping", "connectors", "jars", "missing"),
    [
        (SHARED, ["kafka"], ("flink-dist.jar",), "lacks the jar of connector 'kafka' .* and FunShare's kernel"),
        (SHARED, ["print"], ("flink-dist.jar",), "lacks FunShare's kernel"),
        (ALONE, ["upsert-kafka", "kafka"], ("funshare-kernel.jar",), "lacks the jar of connector"),
        (ALONE, ["jdbc"], ("flink-sql-connector-kafka-5.jar",), "connector 'jdbc' .connector-jdbc."),
        (SHARED, ["kafka"], ("funshare-kernel.jar", "flink-sql-connector-kafka-5.jar"), None),
        (ALONE, ["blackhole"], ("flink-dist.jar",), None),
        (SHARED, ["kafka"], (), None),
    ],
)
def test_a_jar_that_the_cluster_lacks_is_named(
    grouping: Grouping, connectors: list[str], jars: tuple[str, ...], missing: str | None
) -> None:
    """A class path that the cluster does not tell is taken as whole."""
    if missing is None:
        require_jars(grouping, connectors, jars)
        return
    with pytest.raises(BadInputError, match=missing):
        require_jars(grouping, connectors, jars)
