"""`funshare plan` and `funshare explain`: what would run, before anything does."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from funshare_flink import wiring
from funshare_flink.cli.printing import note, print_rows
from funshare_flink.cli.stated_knowledge import stated_knowledge
from funshare_flink.flink.grouping_files import load_grouping
from funshare_flink.flink.planner import compile_workload, refuse_bad_text
from funshare_flink.flink.rates_files import load_rates
from funshare_flink.flink.workload_files import load_workload
from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.strategies import WITHOUT_KNOWLEDGE, decide
from funshare_flink.grouping.strategies.explicit import grouping_from
from funshare_flink.grouping.strategies.sharing import need
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.grouping.why import story
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Grouping
from funshare_flink.plan.graph import parse_plan
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.plan.picture import mermaid_picture, text_picture

COLUMNS = ("group", "slots", "queries", "share_class", "reason")


@dataclass(frozen=True)
class Planned:
    """A workload with the grouping that the command line asks for."""

    planner: WorkloadPlanner
    decision: Decision
    slots_alone: int

    @property
    def grouping(self) -> Grouping:
        return self.decision.grouping


def planned(args: argparse.Namespace, workload_file: str) -> Planned:
    """Read, compile and group. Raises BadInputError; nothing is started."""
    workload = load_workload(Path(workload_file))
    refuse_bad_text(workload)
    wishes = load_grouping(Path(args.grouping)) if args.grouping else None
    if args.strategy not in (None, *WITHOUT_KNOWLEDGE) and not args.rates:
        need(args.strategy, None)
    wiring.prepare_planner(wiring.Place.of(args.state_dir, args.flink_url))
    rates = load_rates(Path(args.rates)) if args.rates else None
    planner = WorkloadPlanner(compile_workload(workload))
    candidates = planner.candidates()
    slots_alone = sum(c.slots for c in candidates)
    if wishes is not None:
        return Planned(planner, Decision(0.0, grouping_from(wishes, candidates), True), slots_alone)
    knowledge = stated_knowledge(planner, rates, Tuning(merge_threshold=args.threshold)) if rates else None
    strategy = args.strategy or ("funshare" if rates else "full")
    return Planned(planner, decide(strategy, candidates, knowledge), slots_alone)


def report_rejected(plan: Planned) -> int:
    """Say which queries Flink refuses; exit code 2 if there are any, else 0."""
    rejected = plan.planner.compiled.rejected
    for v in rejected:
        note(f"rejected: {v.location}: query {v.query}: {v.reason}")
    return 2 if rejected else 0


def plan(args: argparse.Namespace) -> int:
    result = planned(args, args.workload)
    if args.why:
        print("\n".join(story(result.decision, args.why)))
        return 0
    wiring.remember_workload(wiring.Place.of(args.state_dir, args.flink_url), args.workload)
    rows = [
        {
            "group": str(g.id),
            "slots": g.slots,
            "queries": [str(m) for m in g.members],
            "share_class": g.share_class,
            "reason": g.reason,
        }
        for g in result.grouping.groups
    ]
    print_rows(rows, COLUMNS, args.json, f"strategy {result.grouping.strategy}")
    if not args.json:
        note(f"{result.grouping.slots} task slots in {len(rows)} jobs; alone: {result.slots_alone} slots")
        for g in result.grouping.groups:
            for text in result.planner.job(g, 1).notes:
                note(f"note: group {g.id}: {text}")
    return report_rejected(result)


def explain(args: argparse.Namespace) -> int:
    place = wiring.Place.of(args.state_dir, args.flink_url)
    workload = args.workload or wiring.remembered_workload(place)
    result = planned(args, workload)
    group = next((g for g in result.grouping.groups if g.id == args.group), result.grouping.group_of(args.group))
    if group is None:
        known = ", ".join(str(g.id) for g in result.grouping.groups)
        raise BadInputError(f"no group or query {args.group} in {workload}; groups: {known}")
    graph = parse_plan(result.planner.job(group, 1).plan.text)
    if args.mermaid:
        print(mermaid_picture(graph))
        return 0
    print(f"group {group.id}: {len(group.members)} queries, {group.slots} slots ({group.reason})")
    print(text_picture(graph))
    return 0
