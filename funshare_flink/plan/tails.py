"""What follows the shared join: one interface, so that cheaper tails can join the first grade (design, section 3).

A tail is attached to the joined rows and ends in sinks. The first grade, `UnchangedTail`, is right for every
query: a route gives back exactly the row type that the query's own join had, and the query's own operators follow
node for node.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Protocol

from funshare_flink.plan import rex
from funshare_flink.plan.builder import VARCHAR, PlanBuilder, calc_of_type, first_id
from funshare_flink.plan.graph import Json
from funshare_flink.plan.join_shape import output_width
from funshare_flink.plan.layout import Carried
from funshare_flink.plan.members import BitLayout, Member
from funshare_flink.plan.sinks import SinkIdentity, with_identity

BIGINT = "BIGINT NOT NULL"
BOOLEAN = "BOOLEAN NOT NULL"


@dataclass(frozen=True)
class Joined:
    """The rows that leave the shared part: node id, where each side's carried columns begin, and the columns of
    the query set's words (none when no member filters anything: then every row is everyone's)."""

    node_id: int
    first: Carried
    second: Carried
    second_at: int
    words_at: tuple[int, ...]
    bits: BitLayout


class Tail(Protocol):
    """One way to bring joined rows to the sinks of one or more members."""

    def attach(self, builder: PlanBuilder, joined: Joined) -> None:
        """Add the tail's nodes, reading `joined`."""


@dataclass(frozen=True)
class UnchangedTail:
    """First grade: the member's own tail behind its route."""

    member: Member
    identity: SinkIdentity

    def attach(self, builder: PlanBuilder, joined: Joined) -> None:
        shape, start = self.member.query.shape, first_id(self.member.number)
        ids = {shape.join.id: builder.add(route(self.member, joined), start, joined.node_id)}
        for offset, node_id in enumerate(shape.tail, start=1):
            ids[node_id] = start + offset
            node = with_identity(shape.graph.nodes[node_id].json, self.identity)
            builder.add(node, ids[node_id], *(ids[i] for i in shape.graph.inputs[node_id]))


def route(member: Member, joined: Joined) -> Json:
    """The calc that gives a member its own join's output: its bit, its residual, its columns."""
    columns = _own_columns(member, joined)
    residual = [rex.substitute(term, columns) for term in member.query.shape.residual]
    condition = rex.all_of(_guarded(member, joined, residual))
    description = f"Route({member.query.name})"
    return calc_of_type(columns, condition, member.query.shape.output_type, description)


def _guarded(member: Member, joined: Joined, residual: list[Json]) -> list[Json]:
    """The residual behind the member's bit: it is evaluated for no pair that the query alone would not have. What
    passes is counted by `QS_ROUTE`, which therefore stands last."""
    if not joined.words_at:
        return residual
    word = rex.input_ref(joined.words_at[joined.bits.word(member.bit)], BIGINT)
    mask = rex.literal(joined.bits.mask(member.bit), BIGINT)
    counted = rex.system_call("QS_ROUTE", [rex.literal(metric_label(member.query.name), VARCHAR), word, mask], BOOLEAN)
    if not residual:
        return [counted]
    return [rex.system_call("QS_HAS", [word, mask], BOOLEAN), *residual, counted]


def metric_label(name: str) -> str:
    """The query's name in metric ids, which must not hold blanks, commas and the like; different names give
    different labels.

    >>> metric_label("clicks"), metric_label("a b")
    ('clicks', 'a_b-806c5cd3')
    """
    clean = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return clean if clean == name else f"{clean}-{zlib.crc32(name.encode()):08x}"


def _own_columns(member: Member, joined: Joined) -> list[Json]:
    """The member's join output columns over the joined row."""
    shape, swapped = member.query.shape, member.query.swapped
    left_width, right_width = output_width(shape)
    left_carried, left_at = (joined.second, joined.second_at) if swapped else (joined.first, 0)
    right_carried, right_at = (joined.first, 0) if swapped else (joined.second, joined.second_at)
    left = [_resolve(c, left_carried, left_at) for c in shape.left.columns[:left_width]]
    right = [_resolve(c, right_carried, right_at) for c in shape.right.columns[:right_width]]
    return left + right


def _resolve(expression: Json, carried: Carried, at: int) -> Json:
    """An expression over a side's base row as one over the joined row."""
    index = carried.index(expression)
    if index is not None:
        return rex.input_ref(at + index, carried.fields[index].type)
    result: Json = rex.map_refs(
        expression, lambda r: rex.input_ref(at + carried.position(r), carried.fields[carried.position(r)].type)
    )
    return result
