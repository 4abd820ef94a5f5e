"""Child processes that outlive their parent: start, recognise, end.

A pid alone names nobody: the kernel gives it out again, at the latest after a reboot. So a process is known
by its pid, its start time in kernel ticks and the boot it was started in (proc(5), /proc/PID/stat field 22).
Besides, each process carries its owner in its environment, so that one that was started but never written
down (its parent was killed in between) can still be found and ended.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
OWNER_VARIABLE = "FUNSHARE_EMBEDDED"
POLL_S = 0.05
ROUNDS = 20
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class ProcessId:
    """A process that cannot be taken for another one."""

    pid: int
    start_ticks: int
    boot_id: str


@dataclass(frozen=True)
class ProcStat:
    """What is read of /proc/PID/stat; ticks are SC_CLK_TCK a second."""

    state: str
    cpu_ticks: int
    start_ticks: int


@dataclass(frozen=True)
class Launch:
    """How to start one process: `owner` and `name` mark it, output goes to `log`."""

    owner: str
    name: str
    command: tuple[str, ...]
    cwd: Path
    log: Path
    env: Mapping[str, str]


def parse_stat(text: str) -> ProcStat:
    """Read a /proc/PID/stat line; the command's name in parentheses may hold blanks and parentheses.

    CPU counts user and system time, the process's own and that of its children that have ended.
    """
    fields = text[text.rindex(")") + 2 :].split()
    return ProcStat(state=fields[0], cpu_ticks=sum(map(int, fields[11:15])), start_ticks=int(fields[19]))


def read_stat(pid: int) -> ProcStat | None:
    """The process's stat, or None when there is none (or it is not ours to see)."""
    try:
        return parse_stat((PROC / str(pid) / "stat").read_text())
    except (OSError, ValueError):
        return None


def boot_id() -> str:
    """The kernel's random name for this boot."""
    return (PROC / "sys/kernel/random/boot_id").read_text().strip()


def identify(pid: int) -> ProcessId | None:
    """The identity of the process that has this pid now; None when it is gone or a zombie."""
    stat = read_stat(pid)
    if stat is None or stat.state in "ZX":
        return None
    return ProcessId(pid, stat.start_ticks, boot_id())


def alive(process: ProcessId) -> bool:
    """Does this very process still run? A reused pid and a zombie both say no."""
    _reap(process.pid)
    return identify(process.pid) == process


def start(launch: Launch) -> ProcessId:
    """Start a process in a session of its own, so that the terminal's Ctrl-C does not reach it.

    The shell only changes the folder and then becomes the command, under the same pid. Raises OSError.
    """
    env = {**launch.env, OWNER_VARIABLE: _mark(launch.owner, launch.name)}
    script = 'cd "$1" && shift && exec "$@"'
    log_flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    pid = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", script, "sh", str(launch.cwd), *launch.command],
        env,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(launch.log), log_flags, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGHUP, signal.SIGPIPE],
    )
    return identify(pid) or ProcessId(pid, -1, boot_id())


def terminate(processes: Iterable[ProcessId], grace_s: float) -> tuple[ProcessId, ...]:
    """End these processes: SIGTERM to all, SIGKILL after `grace_s` to who is left. Returns who ran."""
    running = tuple(dict.fromkeys(p for p in processes if alive(p)))
    _signal(running, signal.SIGTERM)
    left = _wait(running, grace_s)
    _signal(left, signal.SIGKILL)
    _wait(left, grace_s)
    return running


def end_owned(owner: str, names: Sequence[str] | None, grace_s: float) -> tuple[ProcessId, ...]:
    """End all that carries this mark, again until nobody is found: a process may start a child while it is
    being looked for. Returns who ran."""
    ended: list[ProcessId] = []
    for _ in range(ROUNDS):
        found = owned(owner, names)
        if not found:
            break
        ended += terminate(found, grace_s)
    return tuple(ended)


def owned(owner: str, names: Sequence[str] | None = None) -> tuple[ProcessId, ...]:
    """All living processes that carry this owner's mark, children of marked ones among them.

    `names` narrows to processes of these names. Ours only: the mark holds the owner in full.
    """
    wanted = None if names is None else {_mark(owner, name).encode() for name in names}
    found = []
    for folder in PROC.iterdir():
        mark = _mark_of(folder) if folder.name.isdigit() else None
        if mark is None or not mark.startswith(_mark(owner, "").encode()):
            continue
        process = identify(int(folder.name)) if wanted is None or mark in wanted else None
        if process is not None:
            found.append(process)
    return tuple(found)


def cpu_seconds(processes: Iterable[ProcessId]) -> float:
    """User and system CPU seconds of these processes and of their children that have ended."""
    stats = [read_stat(process.pid) for process in processes]
    return sum(stat.cpu_ticks for stat in stats if stat is not None) / _TICKS_PER_S


def _mark(owner: str, name: str) -> str:
    return f"{owner}|{name}"


def _mark_of(folder: Path) -> bytes | None:
    try:
        variables = (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    prefix = f"{OWNER_VARIABLE}=".encode()
    return next((v.removeprefix(prefix) for v in variables if v.startswith(prefix)), None)


def _signal(processes: Iterable[ProcessId], number: signal.Signals) -> None:
    for process in processes:
        if alive(process):
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)


def _wait(processes: tuple[ProcessId, ...], timeout_s: float) -> tuple[ProcessId, ...]:
    """Wait until they are gone; returns who still runs."""
    deadline = time.monotonic() + timeout_s
    left = tuple(p for p in processes if alive(p))
    while left and time.monotonic() < deadline:
        time.sleep(POLL_S)
        left = tuple(p for p in left if alive(p))
    return left


def _reap(pid: int) -> None:
    """Take a dead child off the process table; a no-op when it is not our child."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
