"""Reads a rates file: figures for `funshare plan` before anything runs.

topics:
  auction: {rate_rps: 600}
  bid: {rate_rps: 9200}
joins:
  - {topics: [auction, bid], matches: 15}     # rows of the second topic that a row of the first meets, before filters
queries:
  category_average: {selectivity: {bid: 0.1}, tail_us: 2.0}   # a side without a filter passes everything
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from funshare_flink.flink import yaml_nodes
from funshare_flink.flink.workload_files import read_text
from funshare_flink.model.errors import BadInputError, SourceLocation

KEYS = ("topics", "joins", "queries")
TOPIC_KEYS = ("rate_rps",)
JOIN_KEYS = ("topics", "matches")
QUERY_KEYS = ("selectivity", "tail_us")


@dataclass(frozen=True)
class QueryRates:
    """Stated of one query. `selectivity`: share of the rows that its filter keeps, by topic."""

    selectivity: Mapping[str, float]
    tail_us: float | None
    where: SourceLocation


@dataclass(frozen=True)
class Rates:
    """A rates file. `matches` by (first topic, second topic)."""

    file: str
    topics: Mapping[str, float]
    matches: Mapping[tuple[str, str], float]
    queries: Mapping[str, QueryRates]

    def matches_of(self, left: str, right: str) -> float | None:
        """Rows of `right` that a row of `left` meets; also from the figure of the other direction."""
        if (left, right) in self.matches:
            return self.matches[left, right]
        other = self.matches.get((right, left))
        rates = self.topics.get(left), self.topics.get(right)
        return None if other is None or not rates[0] or rates[1] is None else other * rates[1] / rates[0]


def load_rates(path: Path) -> Rates:
    """Raises BadInputError with file and line."""
    root = yaml_nodes.parse_yaml(read_text(path), str(path), KEYS)
    topics = {e.key: _positive(e.mapping(TOPIC_KEYS), "rate_rps") for e in _entries(root, "topics")}
    joins = root.get("joins")
    matches = dict(_join(j) for j in joins.mappings(JOIN_KEYS)) if joins else {}
    queries = {e.key: _query(e.mapping(QUERY_KEYS)) for e in _entries(root, "queries")}
    return Rates(str(path), topics, matches, queries)


def _entries(root: yaml_nodes.Mapping, key: str) -> tuple[yaml_nodes.Entry, ...]:
    entry = root.get(key)
    return entry.mapping().entries if entry else ()


def _join(node: yaml_nodes.Mapping) -> tuple[tuple[str, str], float]:
    topics = node.get("topics")
    names = topics.texts() if topics else ()
    if len(names) != 2:
        raise BadInputError("a join needs `topics`, a list of its two topics", node.where)
    return (names[0], names[1]), _positive(node, "matches")


def _query(node: yaml_nodes.Mapping) -> QueryRates:
    selectivity = node.get("selectivity")
    shares = {e.key: _share(e) for e in selectivity.mapping().entries} if selectivity else {}
    tail_us = _positive(node, "tail_us") if node.get("tail_us") else None
    return QueryRates(shares, tail_us, node.where)


def _positive(node: yaml_nodes.Mapping, key: str) -> float:
    entry = node.get(key)
    if entry is None:
        raise BadInputError(f"{key} is missing", node.where)
    value = _number(entry)
    if not 0 < value < 1e15:
        raise BadInputError(f"{key} must be above 0, not {value:g}", entry.where)
    return value


def _share(entry: yaml_nodes.Entry) -> float:
    value = _number(entry)
    if not 0 <= value <= 1:
        raise BadInputError(f"the selectivity of {entry.key} must lie between 0 and 1, not {value:g}", entry.where)
    return value


def _number(entry: yaml_nodes.Entry) -> float:
    value = entry.scalar()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInputError(f"{entry.key} must be a number, not {value!r}", entry.where)
    return float(value)
