"""Flink's processes: how each is started, and when the session cluster is whole."""

from __future__ import annotations

import json
import os
import shlex
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from funshare_flink.embedded.layout import Layout
from funshare_flink.embedded.state import JOB_MANAGER, TASK_MANAGER
from funshare_flink.model.errors import FatalError

REST_TIMEOUT_S = 3.0
MAIN_CLASSES = {
    JOB_MANAGER: "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
    TASK_MANAGER: "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
}
INHERITED_OPTIONS = ("FLINK_", "HADOOP_", "HBASE_", "YARN_", "JVM_ARGS", "_FLINK_", "PYFLINK_")
"""Variables of the caller that would change the cluster behind its configuration's back."""


@dataclass(frozen=True)
class TaskManagerInfo:
    """One registered task manager, as the job manager sees it."""

    resource_id: str
    slots: int


def flink_command(layout: Layout, name: str, resource_id: str, java: Path) -> tuple[str, ...]:
    """Command line of the job manager or of one task manager, with the sizes of the written config.yaml."""
    home = layout.flink_home
    conf = read_conf(home)
    logging = (
        f"-Dlog.file={layout.logs / name}.log",
        f"-Dlog4j.configurationFile=file:{home}/conf/log4j-console.properties",
        "-Dconsole.log.level=OFF",
    )
    role = JOB_MANAGER if name == JOB_MANAGER else TASK_MANAGER
    options = (*_sizes(role, conf), *_java_opts(role, conf), *logging)
    arguments: tuple[str, ...] = ("--configDir", str(home / "conf"))
    if role == TASK_MANAGER:
        arguments += ("-D", f"taskmanager.resource-id={resource_id}")
    return (str(java), *options, "-cp", class_path(home), MAIN_CLASSES[role], *arguments)


def flink_env(base: Mapping[str, str], layout: Layout, java_home: Path) -> dict[str, str]:
    """The child's environment: the caller's, without what would change Flink, with where its parts are."""
    home = layout.flink_home
    kept = {key: value for key, value in base.items() if not key.startswith(INHERITED_OPTIONS)}
    return kept | {
        "JAVA_HOME": str(java_home),
        "FLINK_HOME": str(home),
        "FLINK_CONF_DIR": str(home / "conf"),
        "FLINK_BIN_DIR": str(home / "bin"),
        "FLINK_LIB_DIR": str(home / "lib"),
        "FLINK_OPT_DIR": str(home / "opt"),
        "FLINK_PLUGINS_DIR": str(home / "plugins"),
        "FLINK_LOG_DIR": str(layout.logs),
    }


def class_path(home: Path) -> str:
    """All jars of lib/, by name, flink-dist last, as Flink's own scripts order them."""
    jars = sorted((home / "lib").glob("*.jar"), key=lambda jar: (jar.name.startswith("flink-dist"), jar.name))
    return ":".join(map(str, jars))


def read_conf(home: Path) -> dict[str, str]:
    """The flat config.yaml of this home. Raises FatalError when it is gone or unreadable."""
    path = home / "conf" / "config.yaml"
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return {str(key): str(value) for key, value in content.items()}
    except (OSError, yaml.YAMLError, AttributeError) as err:
        raise FatalError(f"cannot read {path} ({err}); run down, then up") from err


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


def _sizes(role: str, conf: Mapping[str, str]) -> tuple[str, ...]:
    """The JVM's limits that belong to the configured parts (flat sizes like `512m`)."""

    def megabytes(*parts: str) -> int:
        try:
            return sum(int(conf[f"{role}.memory.{part}"].removesuffix("m")) for part in parts)
        except (KeyError, ValueError) as err:
            raise FatalError(f"config.yaml of the running cluster is not of this version ({err}); run down") from err

    metaspace = f"-XX:MaxMetaspaceSize={megabytes('jvm-metaspace.size')}m"
    if role == JOB_MANAGER:
        return (f"-Xmx{megabytes('heap.size')}m", "-Xms256m", metaspace)
    heap = megabytes("framework.heap.size", "task.heap.size")
    direct = megabytes("framework.off-heap.size", "task.off-heap.size", "network.max")
    return (f"-Xmx{heap}m", f"-Xms{heap}m", f"-XX:MaxDirectMemorySize={direct}m", metaspace)


def _java_opts(role: str, conf: Mapping[str, str]) -> tuple[str, ...]:
    keys = ("env.java.opts.all", f"env.java.opts.{role}")
    given = [option for key in keys for option in shlex.split(conf.get(key, ""))]
    return ("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseG1GC", *given)
