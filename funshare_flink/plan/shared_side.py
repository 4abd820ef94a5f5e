"""One input of a shared join: scan, window if any, tag, and dropping rows that no query wants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.builder import VARCHAR, PlanBuilder, calc
from funshare_flink.plan.graph import Json
from funshare_flink.plan.layout import Carried
from funshare_flink.plan.members import BitLayout, Member
from funshare_flink.plan.side import Side
from funshare_flink.plan.tagging import Tag, make_tag, side_filter
from funshare_flink.plan.types import Field, row_type

BIGINT = "BIGINT NOT NULL"
BOOLEAN = "BOOLEAN NOT NULL"


@dataclass(frozen=True)
class SharedSide:
    """What reaches the exchange: node id, carried columns, all fields (words last), and the words' columns."""

    node_id: int
    carried: Carried
    fields: tuple[Field, ...]
    words: tuple[int, ...]


@dataclass(frozen=True)
class _Stream:
    """A node's rows: where each base column stands in them."""

    node_id: int
    position: Mapping[int, int]
    fields: tuple[Field, ...]

    def read(self, expression: Json) -> Json:
        """An expression over the base row as one over this node's rows."""
        result: Json = rex.map_refs(
            expression,
            lambda r: rex.input_ref(self.position[r["inputIndex"]], self.fields[self.position[r["inputIndex"]]].type),
        )
        return result


def add_scan(builder: PlanBuilder, side: Side) -> int:
    """The side's scan with its mini-batch assigner, if it has one."""
    node_id = builder.add(side.scan.json, builder.shared_id())
    for node in side.assigners:
        assigner = {**node.json, "outputType": side.scan.json["outputType"]}
        node_id = builder.add(assigner, builder.shared_id(), node_id)
    return node_id


def add_side(
    builder: PlanBuilder, scan_id: int, members: Sequence[Member], carried: Carried, second: bool
) -> SharedSide:
    """Everything between the scan and the exchange."""
    side = members[0].query.second if second else members[0].query.first
    tag = _tag(members, second)
    needed = sorted({*carried.base_refs(), *(i for a in (tag.arguments if tag else ()) for i in rex.refs(a))})
    width = side.scan_width
    stream = _Stream(scan_id, {i: i for i in range(width)}, side.base[:width])
    if side.window is not None:
        stream = _add_window(builder, stream, side, needed)
    if tag is None:
        projection = [stream.read(e) for e in carried.expressions]
        node = calc(projection, None, carried.fields, "Calc(columns of all members)")
        return SharedSide(builder.add(node, builder.shared_id(), stream.node_id), carried, carried.fields, ())
    return _add_tag(builder, stream, carried, tag)


def _tag(members: Sequence[Member], second: bool) -> Tag | None:
    bits = BitLayout.of(members)
    filters = {}
    for m in members:
        side = m.query.second if second else m.query.first
        filters[bits.carried_bit(m.bit)] = side_filter(side.filters, side.base)
    base = (members[0].query.second if second else members[0].query.first).base
    return make_tag(filters, base, len(bits.words))


def _add_tag(builder: PlanBuilder, stream: _Stream, carried: Carried, tag: Tag) -> SharedSide:
    """Two calcs, so that the tag is computed once per row: Flink does not reuse a call between the projection and
    the condition of one calc."""
    kept = carried.base_refs()
    tag_type = "ROW<" + ", ".join(f"`w{w}` {BIGINT}" for w in range(tag.words)) + "> NOT NULL"
    arguments = [rex.literal(tag.spec, VARCHAR), *(stream.read(a) for a in tag.arguments)]
    fields = (*(Field(f"c{i}", stream.fields[stream.position[i]].type) for i in kept), Field("qs", tag_type))
    projection = [
        *(rex.input_ref(stream.position[i], stream.fields[stream.position[i]].type) for i in kept),
        rex.system_call("QS_TAG", arguments, tag_type),
    ]
    tag_id = builder.add(calc(projection, None, fields, "Tag(query set)"), builder.shared_id(), stream.node_id)
    tagged = _Stream(tag_id, {i: at for at, i in enumerate(kept)}, fields)
    words = [
        {"kind": "FIELD_ACCESS", "name": f"w{w}", "expr": rex.input_ref(len(kept), tag_type)} for w in range(tag.words)
    ]
    wanted = rex.any_of([rex.system_call("QS_ANY", [w], BOOLEAN) for w in words])
    out = carried.fields + tuple(Field(f"{_prefix(carried)}qs{w}", BIGINT) for w in range(tag.words))
    node = calc([*(tagged.read(e) for e in carried.expressions), *words], wanted, out, "DropUntagged")
    node_id = builder.add(node, builder.shared_id(), tag_id)
    at = len(carried.fields)
    return SharedSide(node_id, carried, out, tuple(range(at, at + tag.words)))


def _prefix(carried: Carried) -> str:
    return carried.fields[0].name[0] if carried.fields else "x"


def _add_window(builder: PlanBuilder, stream: _Stream, side: Side, needed: Sequence[int]) -> _Stream:
    """The window table function over the needed scan columns; adds window_start, window_end, window_time."""
    assert side.window is not None
    assert side.window_time is not None
    width = side.scan_width
    time_refs = rex.refs(side.window_time)
    kept = sorted({i for i in needed if i < width} | time_refs)
    fields = tuple(Field(f"c{i}", side.base[i].type) for i in kept)
    projection = [stream.read(rex.input_ref(i, side.base[i].type)) for i in kept]
    time_at = kept.index(next(iter(time_refs))) if rex.is_ref(side.window_time) else len(kept)
    if time_at == len(kept):
        time_type = side.window.json["windowing"]["timeAttributeType"]
        fields += (Field("rowtime", time_type),)
        projection.append(stream.read(side.window_time))
    calc_id = builder.add(calc(projection, None, fields, "Calc(window input)"), builder.shared_id(), stream.node_id)
    windowing = {**side.window.json["windowing"], "timeAttributeIndex": time_at}
    added = side.base[width:]
    node = {**side.window.json, "windowing": windowing, "outputType": row_type(fields + added)}
    node_id = builder.add(node, builder.shared_id(), calc_id)
    position = {i: at for at, i in enumerate(kept)} | {width + i: len(fields) + i for i in range(len(added))}
    return _Stream(node_id, position, fields + added)
