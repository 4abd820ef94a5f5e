"""One plan for a sharing group, built from its members' plans (shared design, section 3).

    scan -> [window] -> tag -> drop untagged -> exchange \\
                                                          join -> meet -> route per member -> own tail -> own sink
    scan -> [window] -> tag -> drop untagged -> exchange /

A side on which no member filters carries no query set. Pairs with an empty intersection are dropped in the join's
own condition.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.builder import ALONE_OFFSET, PlanBuilder, calc, first_id, hash_exchange
from funshare_flink.plan.graph import ExecGraph, Json
from funshare_flink.plan.join_shape import INTERVAL, WINDOW, interval_bounds, join_spec, window_columns
from funshare_flink.plan.layout import Carried, carried_columns, ordered_keys
from funshare_flink.plan.members import BitLayout, Member
from funshare_flink.plan.shared_side import SharedSide, add_scan, add_side
from funshare_flink.plan.sinks import SinkIdentity, with_identity
from funshare_flink.plan.tails import BIGINT, BOOLEAN, Joined, Tail, UnchangedTail
from funshare_flink.plan.types import Field, row_type


@dataclass(frozen=True)
class GroupPlan:
    """A plan that Flink can load, and how many scans and joins it must show in the running job."""

    text: str
    scans: int
    joins: int


def group_plan(members: Sequence[Member], workload: str, generation: int) -> GroupPlan:
    """The plan of one group. All members are of one share class and at least one; order does not matter.

    `workload` and `generation` make the sinks' transactional ids unique.
    """
    ordered = sorted(members, key=lambda m: m.number)
    builder = PlanBuilder(ordered[0].query.shape.graph.flink_version)
    joined, scans = _shared_part(builder, ordered)
    for tail in tails_of(ordered, workload, generation):
        tail.attach(builder, joined)
    return GroupPlan(builder.text(), scans, 1)


def tails_of(members: Sequence[Member], workload: str, generation: int) -> tuple[Tail, ...]:
    """The tails of a group, cheapest grade first where there is a choice. Today: each unchanged."""
    return tuple(UnchangedTail(m, SinkIdentity(workload, str(m.query.name), generation)) for m in members)


def alone_plan(graph: ExecGraph, number: int, identity: SinkIdentity, tail: Sequence[int] = ()) -> GroupPlan:
    """A query's own plan, in its own range of ids. Nodes of `tail` (the nodes above a shareable join) get the ids
    that they would have in a group, so that their state can move between the two."""
    builder = PlanBuilder(graph.flink_version)
    start = first_id(number)
    ids = {node_id: start + offset for offset, node_id in enumerate(tail, start=1)}
    rest = (node_id for node_id in graph.nodes if node_id not in ids)
    ids.update({node_id: start + ALONE_OFFSET + offset for offset, node_id in enumerate(rest)})
    for node_id, node in graph.nodes.items():
        builder.add(with_identity(node.json, identity), ids[node_id], *(ids[i] for i in graph.inputs[node_id]))
    scans = len(graph.of_kind("table-source-scan"))
    joins = len([n for n in graph.nodes.values() if "join" in n.kind])
    return GroupPlan(builder.text(), scans, joins)


def _shared_part(builder: PlanBuilder, members: Sequence[Member]) -> tuple[Joined, int]:
    """Scans to joined rows; also the number of scans (a self-join reads its topic once)."""
    bits = BitLayout.of(members)
    lead = members[0].query
    first_scan = add_scan(builder, lead.first)
    same = lead.first.source_identity() == lead.second.source_identity()
    second_scan = first_scan if same else add_scan(builder, lead.second)
    first = add_side(builder, first_scan, members, carried_columns(members, second=False), second=False)
    second = add_side(builder, second_scan, members, carried_columns(members, second=True), second=True)
    exchanges = [_add_exchange(builder, members[0], side, is_second) for side, is_second in
                 ((first, False), (second, True))]  # fmt: skip
    join_id = builder.add(_join_node(members[0], first, second), builder.shared_id(), *exchanges)
    return _meet(builder, join_id, first, second, bits), 1 if same else 2


def _add_exchange(builder: PlanBuilder, lead: Member, side: SharedSide, second: bool) -> int:
    keys = _key_positions(lead, side.carried, second)
    names = ", ".join(side.fields[k].name for k in keys)
    node = hash_exchange(keys, side.fields, f"Exchange(hash[{names}])")
    return builder.add(node, builder.shared_id(), side.node_id)


def _key_positions(lead: Member, carried: Carried, second: bool) -> list[int]:
    pairs = ordered_keys(lead.query.shape, lead.query.swapped)
    return [carried.position(p[1] if second else p[0]) for p in pairs]


def _join_node(lead: Member, first: SharedSide, second: SharedSide) -> Json:
    """The lead's join, over the carried columns of both sides."""
    shape, swapped = lead.query.shape, lead.query.swapped
    node = copy.deepcopy(shape.join.json)
    spec = node["intervalJoinSpec"]["joinSpec"] if shape.join.kind == INTERVAL else node["joinSpec"]
    spec.update(join_spec(shape.join))
    spec["leftKeys"] = _key_positions(lead, first.carried, second=False)
    spec["rightKeys"] = _key_positions(lead, second.carried, second=True)
    spec["filterNulls"] = [not p[4] for p in ordered_keys(shape, swapped)]
    spec["nonEquiCondition"] = _meets(first, second)
    if shape.join.kind == INTERVAL:
        _set_bounds(node, lead, first, second)
    elif shape.join.kind == WINDOW:
        _set_windows(node, lead, first, second)
    for state, ttl in zip(node.get("state", []), shape.ttl[::-1] if swapped else shape.ttl, strict=True):
        state["ttl"] = ttl
    for key in ("leftUpsertKeys", "rightUpsertKeys"):
        node.pop(key, None)
    node["outputType"] = row_type(first.fields + second.fields)
    node["description"] = f"SharedJoin({shape.join.description})"
    return node


def _set_bounds(node: Json, lead: Member, first: SharedSide, second: SharedSide) -> None:
    low, high, first_time, second_time = interval_bounds(lead.query.shape, lead.query.swapped)
    node["intervalJoinSpec"]["windowBounds"].update(
        leftLowerBound=low,
        leftUpperBound=high,
        leftTimeIndex=first.carried.position(first_time),
        rightTimeIndex=second.carried.position(second_time),
    )


def _set_windows(node: Json, lead: Member, first: SharedSide, second: SharedSide) -> None:
    shape, swapped = lead.query.shape, lead.query.swapped
    names = ("rightWindowing", "leftWindowing") if swapped else ("leftWindowing", "rightWindowing")
    windowings = []
    for name, side in zip(names, (first, second), strict=True):
        start, end = window_columns(shape, name)
        positions = {"windowStart": side.carried.position(start), "windowEnd": side.carried.position(end)}
        windowings.append({**shape.join.json[name], **positions})
    node["leftWindowing"], node["rightWindowing"] = windowings


def _meets(first: SharedSide, second: SharedSide) -> Json | None:
    """Whether the two sides' query sets have a query in common; None when one side is everyone's."""
    if not (first.words and second.words):
        return None
    shift = len(first.fields)
    return rex.any_of(
        [
            rex.system_call("QS_MEETS", [rex.input_ref(a, BIGINT), rex.input_ref(shift + b, BIGINT)], BOOLEAN)
            for a, b in zip(first.words, second.words, strict=True)
        ]
    )


def _meet(builder: PlanBuilder, join_id: int, first: SharedSide, second: SharedSide, bits: BitLayout) -> Joined:
    """The joined rows; where both sides carry query sets, a calc intersects them once for all routes."""
    shift = len(first.fields)
    if not (first.words and second.words):
        words = first.words or tuple(shift + w for w in second.words)
        return Joined(join_id, first.carried, second.carried, shift, words, bits)
    kept = list(range(len(first.carried.fields))) + [shift + i for i in range(len(second.carried.fields))]
    fields = first.fields + second.fields
    projection = [rex.input_ref(i, fields[i].type) for i in kept]
    both = [
        rex.system_call("QS_AND", [rex.input_ref(a, BIGINT), rex.input_ref(shift + b, BIGINT)], BIGINT)
        for a, b in zip(first.words, second.words, strict=True)
    ]
    names = tuple(fields[i] for i in kept) + tuple(Field(f"qs{w}", BIGINT) for w in range(len(both)))
    node_id = builder.add(calc(projection + both, None, names, "Meet(query sets)"), builder.shared_id(), join_id)
    words = tuple(len(kept) + w for w in range(len(both)))
    return Joined(node_id, first.carried, second.carried, len(first.carried.fields), words, bits)
