"""`funshare status`: queries, groups, jobs, slots, rates, lag."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence

from funshare_flink import wiring
from funshare_flink.cli.printing import note, print_rows
from funshare_flink.controller.observe import GroupStatus, Reading, read_job, status_between
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.model.errors import BadInputError, FatalError
from funshare_flink.ports import JobOverview
from funshare_flink.store.run_records import GroupRecord, RunRecord

COLUMNS = ("workload", "query", "group", "state", "slots", "read_rps", "query_rps", "lag", "job")


def status(args: argparse.Namespace) -> int:
    place = wiring.Place.of(args.state_dir, args.flink_url)
    records = wiring.run_records(place)
    names = [args.workload] if args.workload else list(records.names())
    if args.workload and args.workload not in records.names():
        raise BadInputError(
            f"no workload {args.workload} was run here; there are: {', '.join(records.names()) or 'none'}"
        )
    if not names:
        note("no workload was run here yet: funshare run WORKLOAD")
        return 0
    print_status(place, names, args.seconds, args.json)
    return 0


def print_status(place: wiring.Place, names: Sequence[str], seconds: float, as_json: bool) -> bool:
    """Print the workloads' status; whether any of their jobs is still alive."""
    flink = wiring.reader(place)
    records = [r for r in map(wiring.run_records(place).load, names) if r is not None]
    jobs = {j.id: j for j in flink.jobs()}
    groups = [(r, g, jobs.get(g.job)) for r in records for g in r.groups]
    statuses = _measure(flink, groups, seconds)
    rows = [row for (r, g, _), s in zip(groups, statuses, strict=True) for row in _rows(r, g, s)]
    print_rows(rows, COLUMNS, as_json)
    for (_, g, _), s in zip(groups, statuses, strict=True):
        if s.failure and not as_json:
            note(f"{g.id}: {s.failure}")
    return any(j is not None and not j.is_over for _, _, j in groups)


Watched = tuple[RunRecord, GroupRecord, JobOverview | None]


def _measure(flink: FlinkRest, groups: Sequence[Watched], seconds: float) -> list[GroupStatus]:
    """Two readings of every live job, `seconds` apart."""
    first, at = {g.job: _read(flink, g, j) for _, g, j in groups}, time.monotonic()
    if any(r is not None for r in first.values()):
        time.sleep(seconds)
    result = []
    for _, g, job in groups:
        state = job.state if job else "UNKNOWN"
        before, after = first[g.job], _read(flink, g, job)
        if before is None or after is None:
            failure = flink.failure(g.job) if job and state in ("FAILED", "RESTARTING") else None
            result.append(GroupStatus(state, g.slots, None, None, {}, failure))
        else:
            result.append(status_between(state, g.slots, before, after, time.monotonic() - at))
    return result


def _read(flink: FlinkRest, group: GroupRecord, job: JobOverview | None) -> Reading | None:
    """None for a job that is over, unknown, or gone while it was being read."""
    if job is None or job.is_over:
        return None
    try:
        return read_job(flink, group.job, group.queries)
    except FatalError:
        return None


def _rows(record: RunRecord, group: GroupRecord, status: GroupStatus) -> Iterable[dict[str, object]]:
    for query in group.queries:
        yield {
            "workload": record.workload,
            "query": str(query),
            "group": group.id,
            "state": status.state,
            "slots": status.slots,
            "read_rps": status.read_rps,
            "query_rps": status.query_rps.get(query),
            "lag": status.lag,
            "job": str(group.job),
            "strategy": record.strategy,
            "generation": record.generation,
            "failure": status.failure,
        }
