"""Flink's processes: how each is started, and when the session cluster is whole."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.state import JOB_MANAGER

REST_TIMEOUT_S = 3.0
INHERITED_OPTIONS = ("FLINK_", "HADOOP_", "HBASE_", "YARN_", "JVM_ARGS", "_FLINK_", "PYFLINK_")
"""Variables of the caller that would change the cluster behind its configuration's back."""


@dataclass(frozen=True)
class TaskManagerInfo:
    """One registered task manager, as the job manager sees it."""

    resource_id: str
    slots: int


def flink_command(layout: Layout, name: str, resource_id: str) -> tuple[str, ...]:
    """Start script of the job manager or of one task manager; the script becomes the JVM (same pid)."""
    bin_dir = layout.flink_home / "bin"
    if name == JOB_MANAGER:
        return (str(bin_dir / "jobmanager.sh"), "start-foreground")
    resource = f"taskmanager.resource-id={resource_id}"
    return (str(bin_dir / "taskmanager.sh"), "start-foreground", "-D", resource)


def flink_env(base: Mapping[str, str], layout: Layout, name: str, java_home: Path) -> dict[str, str]:
    """The child's environment. Each process has its own pid folder: Flink's scripts count pids to number
    their log files, and a fixed number keeps a process's logs under one name. Output goes to a file beside
    the log, where Flink's REST interface finds the print connector's rows.
    """
    kept = {key: value for key, value in base.items() if not key.startswith(INHERITED_OPTIONS)}
    return kept | {
        "JAVA_HOME": str(java_home),
        "FLINK_HOME": str(layout.flink_home),
        "FLINK_CONF_DIR": str(layout.flink_home / "conf"),
        "FLINK_LOG_DIR": str(layout.logs),
        "FLINK_PID_DIR": str(pid_folder(layout, name)),
        "FLINK_IDENT_STRING": name,
        "HOSTNAME": "localhost",
        "STD_REDIRECT_TO_FILE": "true",
    }


def pid_folder(layout: Layout, name: str) -> Path:
    """Where Flink's start script of this process keeps its pid file."""
    return layout.flink_data / "pids" / name


def log_files(layout: Layout, name: str) -> tuple[Path, ...]:
    """All current log files of a process, the one written last first."""
    found = [*layout.logs.glob(f"{name}.*"), *layout.logs.glob(f"flink-{name}-*")]
    files = [path for path in found if path.suffix in (".log", ".out", ".err") and path.stat().st_size > 0]
    return tuple(sorted(files, key=lambda path: path.stat().st_mtime, reverse=True))


def task_managers(rest_url: str) -> tuple[TaskManagerInfo, ...]:
    """The registered task managers. Raises OSError or ValueError when Flink does not answer."""
    content = _get(f"{rest_url}/taskmanagers")
    return tuple(
        TaskManagerInfo(resource_id=str(t["id"]), slots=int(t["slotsNumber"])) for t in content["taskmanagers"]
    )


def not_ready(rest_url: str, resource_ids: frozenset[str], slots: int) -> str | None:
    """None when exactly these task managers are registered with all slots, else why not (for people).

    A killed task manager stays registered until its heartbeat is missed; only then is the cluster whole.
    """
    try:
        registered = task_managers(rest_url)
    except (OSError, ValueError, KeyError, TypeError) as err:
        return f"Flink on {rest_url} does not answer: {err}"
    found = sum(t.slots for t in registered)
    if {t.resource_id for t in registered} == resource_ids and found == slots:
        return None
    return f"Flink on {rest_url} has {len(registered)} of {len(resource_ids)} task managers, {found} of {slots} slots"


def caller_environment() -> dict[str, str]:
    """The environment that children start from."""
    return dict(os.environ)


def _get(url: str) -> dict[str, list[dict[str, str | int]]]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback: never by a proxy
    try:
        with opener.open(url, timeout=REST_TIMEOUT_S) as answer:
            content = json.load(answer)
    except urllib.error.HTTPError as err:
        err.close()
        raise
    if not isinstance(content, dict):
        raise TypeError(f"{url} did not answer with an object")
    return content
