"""Reads a grouping file: which queries the user wants to run together.

groups:
  - name: hot
    queries: [q1, q2]
    slots: 2          # optional
"""

from __future__ import annotations

from pathlib import Path

from funshare_flink.flink.workload_files import read_text
from funshare_flink.flink.yaml_nodes import Entry, Mapping, parse_yaml
from funshare_flink.grouping.strategies.explicit import WishedGroup
from funshare_flink.model.errors import BadInputError
from funshare_flink.plan.directives import checked_name, checked_slots

_KEYS = ("groups",)
_GROUP_KEYS = ("name", "queries", "slots")


def load_grouping(path: Path) -> tuple[WishedGroup, ...]:
    """The groups of a YAML file. Raises BadInputError with file and line."""
    root = parse_yaml(read_text(path), str(path), _KEYS)
    groups = _required(root, "groups")
    return tuple(_group(item) for item in groups.mappings(_GROUP_KEYS))


def _group(node: Mapping) -> WishedGroup:
    name, slots = _required(node, "name"), node.get("slots")
    return WishedGroup(
        name=checked_name(name.scalar(), name.where),
        queries=_required(node, "queries").texts(),
        slots=checked_slots(slots.scalar(), slots.where) if slots else None,
        where=node.where,
    )


def _required(node: Mapping, key: str) -> Entry:
    entry = node.get(key)
    if entry is None:
        raise BadInputError(f"{key} is missing", node.where)
    return entry
