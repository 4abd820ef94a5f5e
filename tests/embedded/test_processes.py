"""A process is known by pid, start time and boot; a mark finds the ones nobody wrote down."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from funshare_flink.embedded import processes
from funshare_flink.embedded.processes import Launch, ProcessId, parse_stat

STAT = "42 (a (b) c) S 1 42 42 0 -1 4194560 100 200 0 0 150 50 30 20 20 0 9 0 987654 1000 200"

Start = Callable[..., ProcessId]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a shell script as a marked process; ends all of them after the test."""
    started: list[ProcessId] = []

    def run(script: str = "exec sleep 60", owner: str = "", name: str = "one") -> ProcessId:
        command = ("/bin/sh", "-c", script)
        launch = Launch(owner or str(tmp_path), name, command, tmp_path, tmp_path / f"{name}.out", dict(os.environ))
        started.append(processes.start(launch))
        return started[-1]

    yield run
    processes.terminate(started, grace_s=0.5)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 5
    while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_command_name_with_blanks_and_parentheses_is_read() -> None:
    stat = parse_stat(STAT)
    assert (stat.state, stat.cpu_ticks, stat.start_ticks) == ("S", 250, 987654)


def test_a_started_process_lives_in_its_own_session_and_folder_until_it_is_ended(start: Start, tmp_path: Path) -> None:
    process = start("pwd; echo oops >&2; exec sleep 60")
    assert processes.alive(process)
    assert os.getsid(process.pid) == process.pid
    wait_for(tmp_path / "one.out")
    assert processes.terminate([process], grace_s=5) == (process,)
    assert not processes.alive(process)
    assert (tmp_path / "one.out").read_text().splitlines() == [str(tmp_path), "oops"]


@pytest.mark.parametrize("change", [{"start_ticks": 1}, {"boot_id": "the one before"}])
def test_a_reused_pid_is_another_process_and_is_not_ended(start: Start, change: dict[str, object]) -> None:
    process = start()
    stale = replace(process, **change)  # type: ignore[arg-type]
    assert not processes.alive(stale)
    assert processes.terminate([stale], grace_s=1) == ()
    assert processes.alive(process)


def test_a_dead_child_is_not_alive_and_leaves_no_zombie(start: Start) -> None:
    process = start()
    os.kill(process.pid, signal.SIGKILL)
    while processes.alive(process):
        time.sleep(0.01)
    assert processes.read_stat(process.pid) is None


def test_a_process_that_ignores_the_request_is_killed(start: Start, tmp_path: Path) -> None:
    process = start("trap '' TERM; echo ready; while :; do sleep 0.05; done")
    wait_for(tmp_path / "one.out")
    processes.terminate([process], grace_s=0.3)
    assert not processes.alive(process)


def test_ending_nobody_or_the_same_twice_is_a_no_op(start: Start) -> None:
    process = start()
    assert processes.terminate([], grace_s=1) == ()
    assert processes.terminate([process, process], grace_s=5) == (process,)
    assert processes.terminate([process], grace_s=5) == ()


def test_the_mark_finds_own_processes_and_their_children_only(start: Start, tmp_path: Path) -> None:
    parent = start("sleep 60 & echo $!; wait", name="parent")
    other = start(name="other")
    stranger = start(owner=f"{tmp_path}-2")
    wait_for(tmp_path / "parent.out")
    child = processes.identify(int((tmp_path / "parent.out").read_text()))
    assert set(processes.owned(str(tmp_path))) == {parent, child, other}
    assert set(processes.owned(str(tmp_path), ["parent"])) == {parent, child}
    assert processes.owned(f"{tmp_path}-2") == (stranger,)
    processes.terminate(processes.owned(str(tmp_path)), grace_s=5)
    assert processes.owned(str(tmp_path)) == ()


def test_cpu_seconds_count_what_was_burnt(start: Start) -> None:
    process = start("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exec sleep 60")
    deadline = time.monotonic() + 10
    while processes.cpu_seconds([process]) <= 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes.cpu_seconds([process]) > 0
    assert processes.cpu_seconds([ProcessId(2**22 + 1, 1, "none")]) == 0
