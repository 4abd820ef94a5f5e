"""A plan as a picture: text for a terminal, Mermaid for a document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from funshare_flink.plan.graph import ExecGraph, ExecNode

_SHARED_BELOW = 1000


def text_picture(graph: ExecGraph) -> str:
    """The plan from its sinks' side up: shared part first, then one indented line per operator of each tail."""
    shared = [n for n in graph.nodes.values() if n.id < _SHARED_BELOW]
    lines = ["shared:"] if shared else []
    lines += [_line(graph, n, "  ") for n in shared]
    for start in _tail_starts(graph):
        lines.append(f"{_owner(graph.nodes[start])}:")
        lines += [_line(graph, graph.nodes[i], "  ") for i in (start, *graph.downstream(start))]
    if not shared:
        lines += [_line(graph, n, "") for n in graph.nodes.values()]
    return "\n".join(lines)


def mermaid_picture(graph: ExecGraph) -> str:
    """The plan as a Mermaid flowchart, chains of single operators kept apart."""
    lines = ["flowchart LR"]
    lines += [f'  n{n.id}["{_mermaid_text(n)}"]' for n in graph.nodes.values()]
    lines += [f"  n{i} --> n{n}" for n in graph.nodes for i in graph.inputs[n]]
    return "\n".join(lines)


def counts(graph: ExecGraph) -> tuple[int, int, int]:
    """Scans, joins and sinks."""
    joins = sum(1 for n in graph.nodes.values() if n.kind.endswith("join"))
    return len(graph.of_kind("table-source-scan")), joins, len(graph.of_kind("sink"))


def _tail_starts(graph: ExecGraph) -> Iterator[int]:
    """Nodes outside the shared part that read it."""
    for n in graph.nodes:
        inputs = graph.inputs[n]
        if n >= _SHARED_BELOW and inputs and all(i < _SHARED_BELOW for i in inputs):
            yield n


def _owner(node: ExecNode) -> str:
    return node.description.removeprefix("Route(").removesuffix(")")


def _line(graph: ExecGraph, node: ExecNode, indent: str) -> str:
    inputs = ", ".join(str(i) for i in graph.inputs[node.id])
    source = f"  <- {inputs}" if inputs else ""
    return f"{indent}[{node.id}] {_short(node)}{source}"


def _short(node: ExecNode, width: int = 150) -> str:
    text = re.sub(r"\[\[default_catalog, default_database, ", "[[", node.description)
    return text if len(text) <= width else text[: width - 3] + "..."


def _mermaid_text(node: ExecNode) -> str:
    return _short(node, 80).replace('"', "'").replace("[", "(").replace("]", ")")
