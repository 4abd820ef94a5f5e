"""One input of a join: from the scan to the join, with everything in between expressed over one virtual row.

The *base row* of a side is the scan's row, followed by what a window table function adds (window_start,
window_end, window_time). Calcs are folded away: each join input column becomes an expression over the base row,
each condition a filter over it. Two queries' sides can then be compared although Flink gave them other calcs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from funshare_flink.plan import rex
from funshare_flink.plan.graph import ExecGraph, ExecNode, Json
from funshare_flink.plan.sources import not_shareable_source, scan_identity
from funshare_flink.plan.types import Field, is_proctime, row_fields

SCAN = "table-source-scan"
_WINDOW = "window-table-function"
_WINDOWS = ("TumblingWindow", "HoppingWindow", "CumulativeWindow")
"""Windows that are assigned row by row. A session depends on the rows beside it, so on what was filtered before."""
_PASS_THROUGH = ("mini-batch-assigner",)
_REASONS = {
    "correlate": "UNNEST or table function below the join",
    "python-correlate": "table function below the join",
    "python-calc": "Python UDF below the join",
    "changelog-normalize": "changelog input",
    "drop-update-before": "changelog input",
    "watermark-assigner": "watermark is not assigned in the source",
    "values": "constant input",
    "union": "input is a union",
}


class NotShareable(Exception):  # noqa: N818 - a verdict on the way up, not an error
    """The query stays alone; the text is the reason that the user reads."""


@dataclass(frozen=True)
class Side:
    """One join input over its base row.

    `columns[i]` is the expression of the join's i-th column of this side and `column_types[i]` its field;
    `filters` are this query's conditions in the order in which Flink evaluates them.
    """

    scan: ExecNode
    assigners: tuple[ExecNode, ...]
    window: ExecNode | None
    window_time: Json | None
    base: tuple[Field, ...]
    columns: tuple[Json, ...]
    column_fields: tuple[Field, ...]
    filters: tuple[Json, ...]

    @property
    def scan_width(self) -> int:
        return len(row_fields(self.scan.json["outputType"]))

    def source_identity(self) -> str:
        """Equal texts: the same rows with the same watermarks reach the calcs."""
        window = None
        if self.window is not None and self.window_time is not None:
            windowing = dict(
                normal_windowing(self.window.json["windowing"]), timeAttributeIndex=rex.canonical(self.window_time)
            )
            window = {"windowing": windowing, "configuration": self.window.json.get("configuration")}
        assigners = [
            {k: v for k, v in n.json.items() if k not in ("id", "description", "outputType", "inputProperties")}
            for n in self.assigners
        ]
        return json.dumps(
            {"scan": scan_identity(self.scan.json), "assigners": assigners, "window": window}, sort_keys=True
        )


@dataclass
class _Fold:
    """The state of a fold from the scan upwards."""

    base: tuple[Field, ...]
    columns: tuple[Json, ...]
    fields: tuple[Field, ...]
    filters: tuple[Json, ...] = ()
    window: ExecNode | None = None
    window_time: Json | None = None
    assigners: tuple[ExecNode, ...] = ()


def read_side(graph: ExecGraph, join_input: int) -> Side:
    """Fold the chain below one join input. Raises NotShareable with the reason when it is no simple chain."""
    chain = _chain(graph, join_input)
    scan = chain[0]
    if (reason := not_shareable_source(scan.json)) is not None:
        raise NotShareable(reason)
    fields = row_fields(scan.json["outputType"])
    state = _Fold(fields, tuple(rex.input_ref(i, f.type) for i, f in enumerate(fields)), fields)
    for node in chain[1:]:
        _fold(state, node)
    return Side(
        scan, state.assigners, state.window, state.window_time,
        state.base, state.columns, state.fields, state.filters,
    )  # fmt: skip


def _chain(graph: ExecGraph, node_id: int) -> list[ExecNode]:
    """Nodes from the scan up to `node_id`."""
    node = graph.nodes[node_id]
    inputs = graph.inputs[node_id]
    if node.kind == SCAN:
        return [node]
    if len(inputs) != 1:
        raise NotShareable(_REASONS.get(node.kind, _unknown_reason(node.kind)))
    if node.kind not in ("calc", "exchange", _WINDOW, *_PASS_THROUGH):
        raise NotShareable(_REASONS.get(node.kind, _unknown_reason(node.kind)))
    return [*_chain(graph, inputs[0]), node]


def _unknown_reason(kind: str) -> str:
    if "aggregate" in kind:
        return "aggregated input"
    if "join" in kind:
        return "more than two inputs"
    return f"not understood below the join: {kind}"


def _fold(state: _Fold, node: ExecNode) -> None:
    if node.kind == "calc":
        _fold_calc(state, node.json)
    elif node.kind == _WINDOW:
        _fold_window(state, node)
    elif node.kind in _PASS_THROUGH:
        state.assigners += (node,)


def _fold_calc(state: _Fold, calc: Json) -> None:
    if calc["condition"] is not None:
        state.filters += rex.conjuncts(rex.substitute(calc["condition"], state.columns))
    state.columns = tuple(rex.substitute(p, state.columns) for p in calc["projection"])
    state.fields = row_fields(calc["outputType"])


def normal_windowing(windowing: Json) -> Json:
    """A windowing without an offset of zero, which is what no offset means."""
    window = {k: v for k, v in windowing["window"].items() if (k, v) != ("offset", "PT0S")}
    return {**windowing, "window": window}


def _fold_window(state: _Fold, node: ExecNode) -> None:
    if state.window is not None:
        raise NotShareable("two window functions below the join")
    windowing = node.json["windowing"]
    if windowing.get("strategy") != "TimeAttribute" or is_proctime(windowing["timeAttributeType"]):
        raise NotShareable("processing-time or nested window below the join")
    if windowing["window"]["type"] not in _WINDOWS:
        raise NotShareable("session window below the join: its windows depend on the query's own filter")
    added = row_fields(node.json["outputType"])[len(state.columns) :]
    state.window = node
    state.window_time = state.columns[windowing["timeAttributeIndex"]]
    first = len(state.base)
    state.base += added
    state.columns += tuple(rex.input_ref(first + i, f.type) for i, f in enumerate(added))
    state.fields = row_fields(node.json["outputType"])
