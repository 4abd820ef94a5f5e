"""Refuses a workload whose topics or jars are not there, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Grouping
from funshare_flink.plan.preflight import TopicUse
from funshare_flink.ports import Topics


def require_topics(
    uses: Sequence[TopicUse], topics_at: Callable[[str], Topics], create_partitions: int | None = None
) -> None:
    """Ask each broker once. A source's topic must exist. A sink's must exist too, unless the broker makes topics
    itself or `create_partitions` says to make it; none is made before all have been asked for. Raises BadInputError
    naming topic, table and query."""
    brokers = {b: topics_at(b) for b in dict.fromkeys(u.bootstrap for u in uses)}
    missing = [u for b, topics in brokers.items() for u in _missing_at(topics, [u for u in uses if u.bootstrap == b])]
    waiting = {u.bootstrap for u in missing if u.is_sink}
    made = {b for b in waiting if create_partitions is not None or brokers[b].creates_topics_itself()}
    refused = [u for u in missing if not (u.is_sink and u.bootstrap in made)]
    if refused:
        raise BadInputError("\n".join(_missing(u) for u in refused))
    if create_partitions is not None:
        for bootstrap in made:
            sinks = dict.fromkeys(u.topic for u in missing if u.bootstrap == bootstrap)
            brokers[bootstrap].create(tuple(sinks), create_partitions)


def _missing_at(topics: Topics, uses: Sequence[TopicUse]) -> list[TopicUse]:
    absent = set(topics.missing(tuple(dict.fromkeys(u.topic for u in uses))))
    return [u for u in uses if u.topic in absent]


def _missing(use: TopicUse) -> str:
    what = "write it; create it, or run with --create-topics" if use.is_sink else "read it; create it"
    return f"topic {use.topic} does not exist at {use.bootstrap}: query {use.query} (table {use.table}) would {what}"


def partitions_of(uses: Sequence[TopicUse], topics_at: Callable[[str], Topics]) -> dict[str, int]:
    """Partitions by topic. A topic's name that stands for two brokers' topics has the fewer of both."""
    result: dict[str, int] = {}
    for bootstrap in dict.fromkeys(u.bootstrap for u in uses):
        names = tuple(dict.fromkeys(u.topic for u in uses if u.bootstrap == bootstrap))
        for topic, count in topics_at(bootstrap).partitions(names).items():
            result[topic] = min(count, result.get(topic, count))
    return result


_JAR_OF = {"kafka": "connector-kafka", "upsert-kafka": "connector-kafka", "jdbc": "connector-jdbc"}
"""What the file name of a connector's jar holds; connectors that come with Flink are not here."""


def require_jars(grouping: Grouping, connectors: Iterable[str], class_path: Sequence[str]) -> None:
    """Refuse to start what would fail on the task managers for want of a jar. An unknown class path (empty) is taken
    as whole. Raises BadInputError naming the jars and where they go."""
    wanted = {_JAR_OF[c]: f"the jar of connector '{c}' ({_JAR_OF[c]})" for c in sorted(connectors) if c in _JAR_OF}
    if any(g.is_shared for g in grouping.groups):
        wanted["funshare-kernel"] = "FunShare's kernel (jobs/kernel/target/funshare-kernel.jar)"
    missing = [what for part, what in wanted.items() if not any(part in entry for entry in class_path)]
    if missing and class_path:
        raise BadInputError(
            f"the cluster's class path lacks {' and '.join(missing)}: put it into lib/ of the job manager and of every "
            "task manager, and restart them"
        )
