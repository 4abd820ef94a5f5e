"""Refuses a workload whose topics are not there, before anything is started."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from funshare_flink.model.errors import BadInputError
from funshare_flink.plan.preflight import TopicUse
from funshare_flink.ports import Topics


def require_topics(
    uses: Sequence[TopicUse], topics_at: Callable[[str], Topics], create_partitions: int | None = None
) -> None:
    """Ask each broker once. A source's topic must exist. A sink's must exist too, unless the broker makes topics
    itself or `create_partitions` says to make it. Raises BadInputError naming topic, table and query."""
    for bootstrap in dict.fromkeys(u.bootstrap for u in uses):
        topics = topics_at(bootstrap)
        here = [u for u in uses if u.bootstrap == bootstrap]
        missing = set(topics.missing(tuple(dict.fromkeys(u.topic for u in here))))
        sources = [u for u in here if u.topic in missing and not u.is_sink]
        sinks = [u for u in here if u.topic in missing and u.is_sink]
        if sources:
            raise BadInputError("\n".join(_missing(u) for u in sources))
        if sinks and create_partitions is not None:
            topics.create(tuple(dict.fromkeys(u.topic for u in sinks)), create_partitions)
        elif sinks and not topics.creates_topics_itself():
            raise BadInputError("\n".join(_missing(u) for u in sinks))


def _missing(use: TopicUse) -> str:
    what = "write it; create it, or run with --create-topics" if use.is_sink else "read it; create it"
    return f"topic {use.topic} does not exist at {use.bootstrap}: query {use.query} (table {use.table}) would {what}"
