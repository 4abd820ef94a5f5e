"""YAML as nodes that still know their lines: every message about a key can say where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.plan.directives import unknown_key

_SIMPLE = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool"}


@dataclass(frozen=True)
class Entry:
    """A key of a mapping and its value, which is read through the methods."""

    key: str
    where: SourceLocation
    node: yaml.Node

    @property
    def value_line(self) -> int:
        """The line of the file where the value's text begins; a block (`|`) begins below its mark."""
        line: int = self.node.start_mark.line + 1
        is_block = isinstance(self.node, yaml.ScalarNode) and self.node.style in ("|", ">")
        return line + 1 if is_block else line

    def scalar(self) -> object:
        """The value as YAML reads it: text, number, truth value or None; BadInputError for a list or mapping."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise BadInputError(f"{self.key} must be one value, not a list or mapping", self.where)
        try:
            value: object = yaml.SafeLoader("").construct_object(self.node)
        except (yaml.YAMLError, ValueError) as err:
            raise BadInputError(f"{self.key}: cannot read {self.node.value!r}: {err}", self.where) from err
        return value

    def text(self) -> str:
        """The value as text that is not empty."""
        value = self.scalar()
        if not isinstance(value, str) or not value.strip():
            raise BadInputError(f"{self.key} must be text, not {value!r}", self.where)
        return value

    def raw(self) -> str:
        """The value exactly as written, for options: `1.10` stays `1.10`, `true` stays `true`."""
        if not isinstance(self.node, yaml.ScalarNode) or self.node.tag not in _SIMPLE:
            raise BadInputError(f"the option {self.key!r} needs one value; put it in quotes", self.where)
        return str(self.node.value)

    def texts(self) -> tuple[str, ...]:
        """One text or a list of them."""
        if not isinstance(self.node, yaml.SequenceNode):
            return (self.text(),)
        return tuple(Entry(self.key, _place(item, self.where.file), item).text() for item in self.node.value)

    def mapping(self, known: Sequence[str] = ()) -> Mapping:
        """The value as a mapping; keys that are not in `known` (if given) are an error."""
        return read_mapping(self.node, self.where, self.key, known)

    def mappings(self, known: Sequence[str]) -> tuple[Mapping, ...]:
        """The value as a list of mappings."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise BadInputError(f"{self.key} must be a list, each item beginning with a dash", self.where)
        file = self.where.file
        return tuple(read_mapping(n, _place(n, file), f"each of {self.key}", known) for n in self.node.value)


@dataclass(frozen=True)
class Mapping:
    """The entries of a mapping in order, and the place where it begins."""

    entries: tuple[Entry, ...]
    where: SourceLocation

    def get(self, key: str) -> Entry | None:
        """The entry of `key`; None if there is none or nothing stands behind it."""
        for entry in self.entries:
            if entry.key == key and entry.node.tag != "tag:yaml.org,2002:null":
                return entry
        return None


def parse_yaml(text: str, file: str, known: Sequence[str]) -> Mapping:
    """The mapping that makes up a whole file. BadInputError says what YAML dislikes, and in which line."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        where = SourceLocation(file, mark.line + 1 if mark else None)
        raise BadInputError(f"this is not YAML: {err.problem or err.context}", where) from err
    except (yaml.YAMLError, RecursionError) as err:
        raise BadInputError(f"this is not YAML: {' '.join(str(err).split())}", SourceLocation(file)) from err
    if root is None:
        raise BadInputError("the file is empty; a workload needs `queries`", SourceLocation(file))
    return read_mapping(root, SourceLocation(file, root.start_mark.line + 1), "a workload", known)


def read_mapping(node: yaml.Node, where: SourceLocation, what: str, known: Sequence[str]) -> Mapping:
    """The entries of `node`; BadInputError for another shape, a key said twice, or an unknown one."""
    if not isinstance(node, yaml.MappingNode):
        raise BadInputError(f"{what} must be a mapping of key: value", where)
    entries: dict[str, Entry] = {}
    for key_node, value_node in node.value:
        place = _place(key_node, where.file)
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadInputError("a key must be one word", place)
        key = str(key_node.value)
        if known and key not in known:
            raise unknown_key(key, known, place)
        if key in entries:
            raise BadInputError(f"the key {key!r} stands here again, first in {entries[key].where}", place)
        entries[key] = Entry(key, place, value_node)
    return Mapping(tuple(entries.values()), where)


def _place(node: yaml.Node, file: str) -> SourceLocation:
    return SourceLocation(file, node.start_mark.line + 1)
