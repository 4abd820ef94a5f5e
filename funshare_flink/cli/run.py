"""`funshare run` and `funshare stop`."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from funshare_flink import wiring
from funshare_flink.cli.plan import Planned, planned, report_rejected
from funshare_flink.cli.printing import note
from funshare_flink.cli.status import print_status
from funshare_flink.controller.launch import (
    RunningGroup,
    fit_memory,
    launch,
    next_generation,
    require_not_running,
    require_slots,
)
from funshare_flink.controller.preflight import partitions_of, require_jars, require_topics
from funshare_flink.kafka.topics import KafkaTopics
from funshare_flink.model.errors import BadInputError, FunShareError
from funshare_flink.plan.group_jobs import GroupJob
from funshare_flink.plan.preflight import connectors_used, topics_used
from funshare_flink.store.run_records import GroupRecord, RunRecord

_FOLLOW_S = 10.0


def run(args: argparse.Namespace) -> int:
    """Submit the groups; then follow them until Ctrl-C, or leave at once with --once. The jobs go on either way."""
    place = wiring.Place.of(args.state_dir, args.flink_url)
    flink = wiring.runtime(place)
    plan = planned(args, args.workload)
    name = plan.planner.compiled.workload.name
    refused = report_rejected(plan)
    if refused and (args.strict or not plan.grouping.groups):
        raise BadInputError("nothing was started: Flink refuses the queries above")
    require_not_running(name, flink)
    fit = fit_memory(plan.planner, plan.grouping, flink)
    for text in fit.notes:
        note(f"note: {text}")
    plan = replace(plan, decision=replace(plan.decision, grouping=fit.grouping))
    require_slots(plan.grouping, flink.cluster())
    uses = topics_used(plan.planner.compiled.queries)
    require_jars(plan.grouping, connectors_used(plan.planner.compiled.queries), flink.class_path())
    require_topics(uses, KafkaTopics, args.create_topics)
    records = wiring.run_records(place)
    previous = records.load(name)
    generation = next_generation(name, previous.generation if previous else 0, flink)
    planner = plan.planner.with_partitions(partitions_of(uses, KafkaTopics))
    started = launch(planner, plan.grouping, flink, generation, _say)
    records.save(_record(plan, started, flink.url, args.workload, generation))
    wiring.remember_workload(place, args.workload)
    note(f"{len(started)} jobs of workload {name} run on {plan.grouping.slots} slots; stop them: funshare stop {name}")
    if not args.once:
        _follow(place, name)
    return refused


def _say(job: GroupJob) -> None:
    note(f"starting {job.group.id}")
    for text in job.notes:
        note(f"note: group {job.group.id}: {text}")


def _record(
    plan: Planned, started: tuple[RunningGroup, ...], url: str, workload_file: str, generation: int
) -> RunRecord:
    groups = (GroupRecord(str(g.group.id), g.job, g.name, g.group.slots, g.group.members) for g in started)
    file = str(Path(workload_file).absolute())
    name = plan.planner.compiled.workload.name
    return RunRecord(name, file, url, plan.grouping.strategy, generation, tuple(groups))


def _follow(place: wiring.Place, name: str) -> None:
    """Print the status again and again until Ctrl-C or until every job is over."""
    try:
        while print_status(place, [name], seconds=2.0, as_json=False):
            time.sleep(_FOLLOW_S)
    except KeyboardInterrupt:
        note(f"left; the jobs go on. funshare status {name}, funshare stop {name}")


def stop(args: argparse.Namespace) -> int:
    """Stop with a savepoint, one job after another; one that cannot be stopped does not keep the others."""
    place = wiring.Place.of(args.state_dir, args.flink_url)
    records = wiring.run_records(place)
    name = Path(args.workload).stem if args.workload not in records.names() else args.workload
    record = records.load(name)
    if record is None:
        known = ", ".join(records.names()) or "none"
        raise BadInputError(f"no workload {name} was run here; running or run before: {known}")
    chosen = [g for g in record.groups if args.group in (None, g.id)]
    if not chosen:
        raise BadInputError(f"workload {name} has no group {args.group}: {', '.join(g.id for g in record.groups)}")
    flink = wiring.runtime(place)
    states = {j.id: j for j in flink.jobs()}
    failed = 0
    for group in chosen:
        job = states.get(group.job)
        if job is None or job.is_over:
            note(f"{group.id}: already over ({job.state if job else 'not known to Flink'})")
            continue
        try:
            print(f"{group.id}: stopped, savepoint {flink.stop_with_savepoint(group.job)}")
        except FunShareError as e:
            note(f"{group.id}: {e}")
            failed += 1
    return 1 if failed else 0
