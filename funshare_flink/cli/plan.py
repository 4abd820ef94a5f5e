"""`funshare plan` and `funshare explain`: what would run, before anything does."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from funshare_flink import wiring
from funshare_flink.cli.printing import Row, note, print_rows
from funshare_flink.cli.stated_knowledge import missing_figures, stated_knowledge
from funshare_flink.estimate.load import SLOT_US_PS
from funshare_flink.flink.grouping_files import load_grouping
from funshare_flink.flink.planner import compile_workload, refuse_bad_text
from funshare_flink.flink.rates_files import load_rates
from funshare_flink.flink.workload_files import load_workload
from funshare_flink.grouping.decision import Decision
from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies import WITHOUT_KNOWLEDGE, decide
from funshare_flink.grouping.strategies.explicit import grouping_from
from funshare_flink.grouping.tuning import Tuning
from funshare_flink.grouping.why import story
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Candidate, Group, Grouping
from funshare_flink.model.ids import QueryName
from funshare_flink.plan.graph import parse_plan
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.plan.picture import mermaid_picture, text_picture

COLUMNS = ("group", "slots", "queries", "share_class", "reason")
WITH_RATES = ("group", "slots", "slots_alone", "load_slots", "reads_share", "queries", "share_class", "reason")


@dataclass(frozen=True)
class Planned:
    """A workload with the grouping that the command line asks for. `knowledge`: what a rates file states, if any."""

    planner: WorkloadPlanner
    decision: Decision
    slots_alone: int
    knowledge: Knowledge | None = None

    @property
    def grouping(self) -> Grouping:
        return self.decision.grouping


def planned(args: argparse.Namespace, workload_file: str) -> Planned:
    """Read, compile and group. Raises BadInputError; nothing is started."""
    workload = load_workload(Path(workload_file))
    refuse_bad_text(workload)
    wishes = load_grouping(Path(args.grouping)) if args.grouping else None
    rates = load_rates(Path(args.rates)) if args.rates else None
    strategy = args.strategy or ("funshare" if rates else "full")
    if rates is None and strategy not in WITHOUT_KNOWLEDGE:
        raise BadInputError(
            f"strategy {strategy} decides on loads: give --rates FILE with the topics' rates, the joins' matches and "
            "the filters' selectivities (docs/plan.md); strategies isolated and full need none"
        )
    wiring.prepare_planner(wiring.Place.of(args.state_dir, args.flink_url))
    planner = WorkloadPlanner(compile_workload(workload))
    candidates = planner.candidates()
    knowledge = stated_knowledge(planner, rates, Tuning(merge_threshold=args.threshold)) if rates else None
    if wishes is not None:
        decision = Decision(0.0, grouping_from(wishes, candidates), True)
    else:
        decision = decide(strategy, candidates, knowledge)
        if rates is not None and strategy != "isolated":
            decision = _with_gaps(decision, missing_figures(planner, rates), candidates)
    return Planned(planner, decision, sum(c.slots for c in candidates), knowledge)


def _with_gaps(decision: Decision, missing: Mapping[QueryName, str], candidates: Iterable[Candidate]) -> Decision:
    """Queries that are alone since something was not stated say what."""
    told = {c.name: missing[c.name] for c in candidates if c.name in missing and not c.pinned}
    groups = tuple(
        g if g.is_shared or g.members[0] not in told else replace(g, reason=told[g.members[0]])
        for g in decision.grouping.groups
    )
    return replace(decision, grouping=replace(decision.grouping, groups=groups))


def report_rejected(plan: Planned) -> int:
    """Say which queries Flink refuses; exit code 2 if there are any, else 0."""
    rejected = plan.planner.compiled.rejected
    for v in rejected:
        note(f"rejected: {v.location}: query {v.query}: {v.reason}")
    return 2 if rejected else 0


def plan(args: argparse.Namespace) -> int:
    result = planned(args, args.workload)
    if args.why:
        return _why(result.decision, args.why, args.json)
    wiring.remember_workload(wiring.Place.of(args.state_dir, args.flink_url), args.workload)
    rows = [_row(g, result) for g in result.grouping.groups]
    columns = COLUMNS if result.knowledge is None else WITH_RATES
    print_rows(rows, columns, args.json, f"strategy {result.grouping.strategy}")
    if not args.json:
        note(f"{result.grouping.slots} task slots in {len(rows)} jobs; alone: {result.slots_alone} slots")
        for g in result.grouping.groups:
            for text in result.planner.job(g, 1).notes:
                note(f"note: group {g.id}: {text}")
    return report_rejected(result)


def _row(group: Group, result: Planned) -> Row:
    """One group as `--json` prints it; stable names, see docs/plan.md."""
    row = {
        "group": str(group.id),
        "slots": group.slots,
        "queries": [str(m) for m in group.members],
        "share_class": group.share_class,
        "reason": group.reason,
    }
    return row if result.knowledge is None else {**row, **_predicted(group, result, result.knowledge)}


def _predicted(group: Group, result: Planned, knowledge: Knowledge) -> Row:
    """What the stated rates say of the group; what they do not say is null."""
    alone = {c.name: c.slots for c in result.planner.candidates()}
    load = knowledge.load(group.share_class, group.members)
    return {
        "slots_alone": sum(alone[m] for m in group.members),
        "load_slots": None if load is None else load.total_us_ps / SLOT_US_PS,
        "reads_share": None if load is None else min(1.0, load.sustained_factor(group.slots)),
    }


def _why(decision: Decision, query: str, as_json: bool) -> int:
    lines = story(decision, query)
    if not as_json:
        print("\n".join(lines))
        return 0
    group = decision.grouping.group_of(query)
    steps = [s for s in decision.steps if query in s.queries]
    rejected = [r for r in decision.rejected if query in r.queries]
    rows: list[Row] = [_told("outcome", group.members, group.id, group.reason, {"slots": group.slots})] if group else []
    for s in steps:
        numbers = dict((*(s.cost.numbers if s.cost else ()), *s.numbers))
        rows.append(_told(s.kind, s.queries, s.group, s.because, numbers))
    rows += [_told("rejected", r.queries, None, r.because, dict(r.cost.numbers if r.cost else ())) for r in rejected]
    print_rows(rows, (), as_json=True)
    return 0


def _told(kind: str, queries: Sequence[str], group: str | None, reason: str, numbers: Mapping[str, float]) -> Row:
    return {"kind": kind, "queries": list(queries), "group": group, "reason": reason, "numbers": dict(numbers)}


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
