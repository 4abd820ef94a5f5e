"""The shareable join in a query's plan: two sides, the join between them, the residual and the tail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.graph import ExecGraph, ExecNode, Json
from funshare_flink.plan.side import NotShareable, Side, normal_windowing, read_side
from funshare_flink.plan.types import FieldType, row_fields

JOIN, INTERVAL, WINDOW = "join", "interval-join", "window-join"
JOINS = (JOIN, INTERVAL, WINDOW)
_OTHERJOINS = {
    "temporal-join": "temporal join",
    "lookup-join": "lookup join",
    "delta-join": "delta join",
    "multi-join": "more than two inputs",
    "python-correlate": "no two-stream join",
    "correlate": "no two-stream join",
}
_TYPES = {"SEMI": "semi join", "ANTI": "anti join"}


@dataclass(frozen=True)
class KeyPair:
    """One equality of the join: an expression over each side's base row. `nulls_match`: IS NOT DISTINCT FROM."""

    left: Json
    right: Json
    nulls_match: bool
    left_type: FieldType
    right_type: FieldType


@dataclass(frozen=True)
class JoinShape:
    """A query's join in normal form.

    `residual`: conditions over both sides, over the join's own output row (left columns, then right columns).
    `ttl`: state time-to-live of left and right, as Flink writes it; empty for joins that clean up by time.
    """

    graph: ExecGraph
    join: ExecNode
    left: Side
    right: Side
    keys: tuple[KeyPair, ...]
    residual: tuple[Json, ...]
    ttl: tuple[str, ...]
    tail: tuple[int, ...]

    def spec(self) -> Json:
        return join_spec(self.join)

    @property
    def output_type(self) -> FieldType:
        """The row type that the tail reads."""
        result: FieldType = self.join.json["outputType"]
        return result


def join_spec(join: ExecNode) -> Json:
    spec: Json = join.json["intervalJoinSpec"]["joinSpec"] if join.kind == INTERVAL else join.json["joinSpec"]
    return spec


def read_join(graph: ExecGraph) -> JoinShape:
    """The one shareable join of a plan. Raises NotShareable with the reason when there is none."""
    join = _the_join(graph)
    spec = join_spec(join)
    if spec["joinType"] != "INNER":
        raise NotShareable(_TYPES.get(spec["joinType"], "outer join"))
    tail = graph.downstream(join.id)
    left_id, right_id = graph.inputs[join.id]
    left, right = read_side(graph, left_id), read_side(graph, right_id)
    _check_tail(graph, join, tail)
    _check_time(join)
    return JoinShape(
        graph, join, left, right, _keys(spec, left, right),
        rex.conjuncts(spec["nonEquiCondition"]), _ttl(join), tail,
    )  # fmt: skip


def _the_join(graph: ExecGraph) -> ExecNode:
    joins = graph.of_kind(*JOINS)
    for kind, reason in _OTHERJOINS.items():
        if graph.of_kind(kind) and (kind in ("temporal-join", "lookup-join", "multi-join") or not joins):
            raise NotShareable(reason)
    if not joins:
        raise NotShareable("no join")
    if len(joins) > 1:
        raise NotShareable("more than two inputs")
    return joins[0]


def _check_tail(graph: ExecGraph, join: ExecNode, tail: tuple[int, ...]) -> None:
    inside = {join.id, *tail}
    for node_id in tail:
        if any(i not in inside for i in graph.inputs[node_id]):
            raise NotShareable("more than two inputs: the query reads another input above the join")


def _check_time(join: ExecNode) -> None:
    if join.kind == INTERVAL and not join.json["intervalJoinSpec"]["windowBounds"]["isEventTime"]:
        raise NotShareable("processing-time join")
    if join.kind == WINDOW:
        for side in ("leftWindowing", "rightWindowing"):
            windowing = join.json[side]
            if windowing.get("strategy") != "WindowAttached" or not windowing.get("isRowtime", True):
                raise NotShareable("window join over processing time or a nested window")


def _keys(spec: Json, left: Side, right: Side) -> tuple[KeyPair, ...]:
    pairs = zip(spec["leftKeys"], spec["rightKeys"], spec["filterNulls"], strict=True)
    return tuple(
        KeyPair(
            left.columns[lk], right.columns[rk], not filter_nulls,
            left.column_fields[lk].type, right.column_fields[rk].type,
        )
        for lk, rk, filter_nulls in pairs
    )  # fmt: skip


def _ttl(join: ExecNode) -> tuple[str, ...]:
    return tuple(str(s["ttl"]) for s in sorted(join.json.get("state", []), key=lambda s: s["index"]))


def tail_kinds(shape: JoinShape) -> tuple[str, ...]:
    """Kinds of the nodes above the join, in plan order; for people and for choosing a tail's grade."""
    return tuple(shape.graph.nodes[n].kind for n in shape.tail)


def signature(shape: JoinShape, session: Mapping[str, str]) -> tuple[str, bool]:
    """Equal texts: the two joins may run as one. Also whether left and right were swapped to get it.

    The text is the smaller of the two orientations', so the order in which a query names its inputs does not
    matter. `session` are the options in force that change what operators compute.
    """
    straight, swapped = _oriented(shape, False), _oriented(shape, True)
    text = min(straight, swapped)
    return json.dumps([text, sorted(session.items())]), straight > swapped


def _oriented(shape: JoinShape, swap: bool) -> str:
    left, right = (shape.right, shape.left) if swap else (shape.left, shape.right)
    keys = sorted(
        (rex.canonical(b), rex.canonical(a), k.nulls_match) if swap
        else (rex.canonical(a), rex.canonical(b), k.nulls_match)
        for k in shape.keys
        for a, b in [(k.left, k.right)]
    )  # fmt: skip
    ttl = shape.ttl[::-1] if swap else shape.ttl
    return json.dumps(
        {
            "kind": shape.join.kind,
            "left": left.source_identity(),
            "right": right.source_identity(),
            "keys": keys,
            "ttl": ttl,
            "time": _time_identity(shape, swap),
            "configuration": shape.join.json.get("configuration"),
        },
        sort_keys=True,
    )


def _time_identity(shape: JoinShape, swap: bool) -> object:
    if shape.join.kind == INTERVAL:
        low, high, left_time, right_time = interval_bounds(shape, swap)
        return [low, high, rex.canonical(left_time), rex.canonical(right_time)]
    if shape.join.kind == WINDOW:
        first, second = ("rightWindowing", "leftWindowing") if swap else ("leftWindowing", "rightWindowing")
        return [_window_identity(shape, first), _window_identity(shape, second)]
    return None


def interval_bounds(shape: JoinShape, swap: bool) -> tuple[int, int, Json, Json]:
    """Lower and upper bound of left time minus right time in ms, and both time expressions, as oriented."""
    bounds = shape.join.json["intervalJoinSpec"]["windowBounds"]
    left_time = shape.left.columns[bounds["leftTimeIndex"]]
    right_time = shape.right.columns[bounds["rightTimeIndex"]]
    low, high = bounds["leftLowerBound"], bounds["leftUpperBound"]
    return (-high, -low, right_time, left_time) if swap else (low, high, left_time, right_time)


def window_columns(shape: JoinShape, windowing_key: str) -> tuple[Json, Json]:
    """The window_start and window_end expressions that the window join compares on one side."""
    side = shape.left if windowing_key == "leftWindowing" else shape.right
    windowing = shape.join.json[windowing_key]
    return side.columns[windowing["windowStart"]], side.columns[windowing["windowEnd"]]


def _window_identity(shape: JoinShape, windowing_key: str) -> object:
    windowing = shape.join.json[windowing_key]
    start, end = window_columns(shape, windowing_key)
    rest = {k: v for k, v in normal_windowing(windowing).items() if k not in ("windowStart", "windowEnd")}
    return [rest, rex.canonical(start), rex.canonical(end)]


def output_width(shape: JoinShape) -> tuple[int, int]:
    """Number of columns that the join's output takes from left and from right."""
    total = len(row_fields(shape.output_type))
    left = len(shape.left.columns)
    return left, total - left
