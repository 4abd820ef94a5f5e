"""`funshare check`: one line a query."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from funshare_flink import wiring
from funshare_flink.cli.printing import note, print_rows
from funshare_flink.flink.planner import compile_workload, refuse_bad_text
from funshare_flink.flink.workload_files import load_workload
from funshare_flink.model.errors import WorkloadRefusedError
from funshare_flink.model.verdict import Verdict, VerdictKind
from funshare_flink.model.workload import WorkloadSpec

COLUMNS = ("query", "verdict", "share_class", "reason", "left", "right")


def check(args: argparse.Namespace) -> int:
    """Exit code 2 when a query or the whole workload is rejected; the verdicts are printed all the same."""
    workload = load_workload(Path(args.workload))
    try:
        refuse_bad_text(workload)
        wiring.prepare_planner(wiring.Place.of(args.state_dir, args.flink_url))
        verdicts = compile_workload(workload).verdicts()
    except WorkloadRefusedError as e:
        print_rows(map(row_of, _all_rejected(workload, e)), COLUMNS, args.json)
        raise
    print_rows(rows_of(verdicts), COLUMNS, args.json, f"{workload.name}: {len(verdicts)} queries")
    if not args.json:
        for v in verdicts:
            for text in v.notes:
                note(f"note: {v.query}: {text}")
    return 2 if any(v.kind is VerdictKind.REJECTED for v in verdicts) else 0


def _all_rejected(workload: WorkloadSpec, error: WorkloadRefusedError) -> list[Verdict]:
    """When a script is refused, none of its queries may run."""
    own = {(p.where.file, p.where.statement): p for p in error.problems}
    first = error.problems[0]
    result = []
    for query in workload.queries:
        problem = own.get((query.location.file, query.location.statement))
        reason = problem.message if problem else f"the workload is refused: {first}"
        result.append(Verdict(query.name, VerdictKind.REJECTED, reason, query.location))
    return result


def rows_of(verdicts: Sequence[Verdict]) -> list[dict[str, object]]:
    """The documented fields of each verdict, and the other queries that may share with it."""
    by_class: dict[str, list[str]] = {}
    for v in verdicts:
        if v.share_class is not None:
            by_class.setdefault(v.share_class, []).append(str(v.query))
    return [
        {**row_of(v), "shares_with": [q for q in by_class.get(v.share_class or "", []) if q != v.query]}
        for v in verdicts
    ]


def row_of(v: Verdict) -> dict[str, object]:
    return {
        "query": str(v.query),
        "verdict": v.kind.value,
        "share_class": v.share_class,
        "reason": v.reason,
        "left": v.left,
        "right": v.right,
        "residual": v.residual,
        "shares_with": [],
        "notes": list(v.notes),
        "file": v.location.file,
        "line": v.location.line,
        "statement": v.location.statement,
    }
