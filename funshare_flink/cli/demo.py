"""`funshare demo`: sixteen queries alone, then in one group, on the same Nexmark data."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from funshare_flink import wiring
from funshare_flink.cli.printing import console, note, print_rows
from funshare_flink.controller import bounded_run
from funshare_flink.controller.bounded_run import BoundedRun, run_to_end
from funshare_flink.controller.launch import fit_memory
from funshare_flink.embedded import cluster as embedded
from funshare_flink.embedded.state import ClusterState
from funshare_flink.flink.planner import compile_workload
from funshare_flink.flink.submission import FlinkJobs
from funshare_flink.grouping.strategies import STRATEGIES
from funshare_flink.kafka.nexmark import DeliverySettings, GeneratorReport, NexmarkSettings
from funshare_flink.kafka.outputs import Difference, difference, read_rows
from funshare_flink.kafka.topics import KafkaTopics
from funshare_flink.plan.group_jobs import WorkloadPlanner
from funshare_flink.plan.query_names import script_workload
from funshare_flink.workloads import Workload, WorkloadParams, build_workload

COLUMNS = ("strategy", "jobs", "slots", "cpu_seconds", "records_read", "rows_out", "seconds")
STRATEGY_NAMES = ("isolated", "full")


@dataclass(frozen=True)
class Watch:
    """Time of this process and CPU of the embedded task managers."""

    state: ClusterState

    def now_s(self) -> float:
        return time.monotonic()

    def cpu_s(self) -> float:
        return embedded.cpu_seconds(self.state)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def demo(args: argparse.Namespace) -> int:
    """Exit code 1 if any query's output differs between the two runs."""
    place = wiring.Place.of(args.state_dir, None)
    was_up = embedded.status(place.state_dir) is not None
    note("starting the embedded Flink cluster and Kafka broker")
    state = embedded.up(wiring.embedded_config(place, slots=max(args.queries, 16)))
    try:
        return _demo(args, place, state)
    finally:
        if not (args.keep or was_up):
            note("stopping the cluster (--keep leaves it running)")
            embedded.down(place.state_dir)


def _demo(args: argparse.Namespace, place: wiring.Place, state: ClusterState) -> int:
    tag = f"demo{int(time.time())}-"
    params = WorkloadParams(
        "W1", queries=args.queries, bootstrap_servers=state.bootstrap_servers, topic_prefix=tag, bounded=True,
        exactly_once=True, window_s=1,
    )  # fmt: skip
    workload = build_workload(params)
    topics = KafkaTopics(state.bootstrap_servers)
    try:
        with _progress(args.json) as bars:
            _generate(args.events, workload, state, place, bars)
            runs = _run_both(workload, state, topics, place, bars)
            rows = {s: _rows(workload, state, s) for s in STRATEGY_NAMES}
    finally:
        topics.delete(tuple(t for t in _all_topics(workload)))
    return _report(args, workload, runs, rows)


def _all_topics(workload: Workload) -> list[str]:
    sinks = [f"{t}.{s}" for t in workload.sink_topics for s in STRATEGY_NAMES]
    return [*workload.source_topics, workload.params.topic_prefix + "person", *sinks]


def _progress(quiet: bool) -> Progress:
    columns = (TextColumn("{task.description:<34}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console(), disable=quiet)


def _generate(events: int, workload: Workload, state: ClusterState, place: wiring.Place, bars: Progress) -> None:
    """Fill the source topics: all input is in Kafka before the first query starts, so both runs read the same."""
    delivery = DeliverySettings(state.bootstrap_servers, topic_prefix=workload.params.topic_prefix)
    settings = NexmarkSettings.from_hint(workload.hint, delivery, events)
    bar = bars.add_task(f"Nexmark: {events:,} events into Kafka", total=events)

    def advance(report: GeneratorReport) -> None:
        bars.update(bar, completed=report.events)

    wiring.nexmark(place, settings).run(on_progress=advance)
    bars.update(bar, completed=events)


def _run_both(
    workload: Workload, state: ClusterState, topics: KafkaTopics, place: wiring.Place, bars: Progress
) -> list[BoundedRun]:
    wiring.prepare_planner(place)
    compiling = bars.add_task(f"Flink's planner: {len(workload.queries)} queries", total=1)
    compiled = compile_workload(script_workload(workload.script, "demo.sql", "demo"))
    bars.update(compiling, completed=1)
    topics.create(tuple(_all_topics(workload)), 1)
    jobs, watch = FlinkJobs(state.rest_url), Watch(state)
    _warm_up(WorkloadPlanner(compiled.writing_to(".warm-up")), topics, workload, jobs, watch)
    runs = []
    for strategy in STRATEGY_NAMES:
        planner = WorkloadPlanner(compiled.writing_to(f".{strategy}"))
        grouping = fit_memory(planner, STRATEGIES[strategy](planner.candidates()), jobs).grouping
        shown = "one job each" if strategy == "isolated" else _shared(len(grouping.groups))
        bar = bars.add_task(f"{strategy}: {shown}", total=None)
        runs.append(run_to_end(planner, grouping, jobs, watch, _generation(strategy), _advance(bars, bar)))
    return runs


def _shared(jobs: int) -> str:
    return "1 shared job" if jobs == 1 else f"{jobs} shared jobs"


def _generation(strategy: str) -> int:
    """The two runs' jobs need names and transactional ids of their own."""
    return int(time.time()) + STRATEGY_NAMES.index(strategy)


def _advance(bars: Progress, bar: object) -> Callable[[bounded_run.Progress], None]:
    def advance(now: bounded_run.Progress) -> None:
        bars.update(bar, completed=now.over, total=now.jobs)  # type: ignore[arg-type]

    return advance


def _warm_up(planner: WorkloadPlanner, topics: KafkaTopics, workload: Workload, jobs: FlinkJobs, watch: Watch) -> None:
    """Both shapes once before anything is measured, so that neither pays for the JVM's start."""
    names = tuple(f"{t}.warm-up" for t in workload.sink_topics)
    topics.create(names, 1)
    try:
        for number, strategy in enumerate(STRATEGY_NAMES):
            grouping = STRATEGIES[strategy](planner.candidates()[:2])
            run_to_end(planner, grouping, jobs, watch, int(time.time()) + 10 + number)
    finally:
        topics.delete(names)


def _rows(workload: Workload, state: ClusterState, strategy: str) -> dict[str, Counter[bytes]]:
    """Every query's committed output in one run."""
    return {
        q.name: read_rows(state.bootstrap_servers, f"{q.topic}.{strategy}")
        for q in workload.queries
        if q.topic is not None
    }


def _report(
    args: argparse.Namespace,
    workload: Workload,
    runs: list[BoundedRun],
    rows: dict[str, dict[str, Counter[bytes]]],
) -> int:
    table = [
        {
            "strategy": r.strategy,
            "jobs": r.jobs,
            "slots": r.slots,
            "cpu_seconds": round(r.cpu_s, 1),
            "records_read": r.read,
            "rows_out": sum(sum(c.values()) for c in rows[r.strategy].values()),
            "seconds": round(r.wall_s, 1),
        }
        for r in runs
    ]
    print_rows(table, COLUMNS, args.json, f"{len(workload.queries)} queries of W1, the same input twice")
    compared = sum(sum(c.values()) for c in rows["isolated"].values())
    differences = {name: d for name, c in rows["isolated"].items() if (d := difference(c, rows["full"][name]))}
    equal = not differences and compared > 0
    if args.json:
        print_rows([{"outputs_equal": equal, "rows_compared": compared}], (), as_json=True)
    else:
        _explain_result(runs, compared, differences)
    return 0 if equal else 1


def _explain_result(runs: list[BoundedRun], compared: int, differences: dict[str, Difference]) -> None:
    out = console()
    if compared == 0:
        out.print("outputs equal: no (no rows came out, so nothing was proved)")
    elif not differences:
        out.print(f"outputs equal: yes ({compared:,} rows compared)")
    for name, d in differences.items():
        out.print(f"outputs equal: no: {name}: {sum(d.missing.values())} rows missing, {sum(d.extra.values())} extra")
    alone, shared = runs
    if shared.cpu_s > 0:
        out.print(
            f"In one group the same answers took {alone.cpu_s / shared.cpu_s:.1f} times less CPU "
            f"and {shared.slots} task slot{'s' if shared.slots > 1 else ''} instead of {alone.slots}."
        )
