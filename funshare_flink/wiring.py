"""Builds adapters and hands them to the commands. The only place that knows which adapter stands behind a port."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from funshare_flink.embedded import cluster as embedded
from funshare_flink.embedded.artifacts import fetch, fetch_for_planner
from funshare_flink.embedded.config import EmbeddedConfig
from funshare_flink.embedded.flink_home import build_home, find_wheel
from funshare_flink.embedded.state import ClusterState
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.flink.session import use_flink_home
from funshare_flink.flink.submission import FlinkJobs
from funshare_flink.kafka.nexmark import GeneratorProgram, NexmarkGenerator, NexmarkSettings
from funshare_flink.model.errors import BadInputError
from funshare_flink.store.run_records import RunRecords

_CHECKOUT = Path(__file__).resolve().parent.parent
_JARS = {
    "FUNSHARE_KERNEL_JAR": "jobs/kernel/target/funshare-kernel.jar",
    "FUNSHARE_WORKLOAD_JAR": "jobs/workload-udf/target/funshare-workload-udf.jar",
    "FUNSHARE_NEXMARK_JAR": "jobs/nexmark/target/funshare-nexmark.jar",
}
_PLANNER_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A planner's JVM lives for seconds: the optimising compiler would cost more than it saves (128 queries: less than
half of the CPU without it)."""


@dataclass(frozen=True)
class Place:
    """Where state lives and which cluster is meant. `flink_url` None: the embedded cluster of `state_dir`."""

    state_dir: Path
    flink_url: str | None = None

    @staticmethod
    def of(state_dir: str | None, flink_url: str | None) -> Place:
        """From the command line, else FUNSHARE_STATE_DIR and FUNSHARE_FLINK_URL, else .funshare in the checkout or
        in the current folder."""
        chosen = state_dir or os.environ.get("FUNSHARE_STATE_DIR")
        default = _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else Path.cwd()
        url = flink_url or os.environ.get("FUNSHARE_FLINK_URL")
        return Place(Path(chosen).absolute() if chosen else default / ".funshare", url)


def jar(variable: str) -> Path:
    """A jar that this project builds: the one that `variable` names, else the checkout's."""
    named = os.environ.get(variable)
    path = Path(named) if named else _CHECKOUT / _JARS[variable]
    if not path.is_file():
        raise BadInputError(f"{path} is not there; build it with `make setup`, or name another with {variable}")
    return path


def prepare_planner(place: Place) -> Path:
    """A Flink home for this process's planner, from the wheel and the fetched connector; PyFlink of this process
    will use it. Its name tells its content, so that a rebuilt kernel never changes a home that is in use."""
    kernel = jar("FUNSHARE_KERNEL_JAR")
    jars = (fetch(place.state_dir).connector_jar, *fetch_for_planner(place.state_dir), *user_jars())
    wheel = find_wheel()
    stamp = hashlib.sha256(
        b"".join([kernel.read_bytes(), str(wheel).encode(), _PLANNER_JVM.encode(), *(str(j).encode() for j in jars)])
    )
    home = place.state_dir / "planner-homes" / stamp.hexdigest()[:12]
    if not home.is_dir():
        draft = home.with_name(f"{home.name}.{os.getpid()}")
        build_home(draft, wheel, jars, f"env.java.opts.all: {wheel.java_opts} {_PLANNER_JVM}\n", kernel)
        try:
            draft.rename(home)
        except OSError:  # another process was first
            shutil.rmtree(draft)
    use_flink_home(home)
    return home


def user_jars() -> tuple[Path, ...]:
    """Jars for every class path: the workloads' functions if built, and what FUNSHARE_JARS lists (path separator)."""
    listed = [Path(p) for p in os.environ.get("FUNSHARE_JARS", "").split(os.pathsep) if p]
    missing = [str(p) for p in listed if not p.is_file()]
    if missing:
        raise BadInputError(f"FUNSHARE_JARS names files that are not there: {', '.join(missing)}")
    own = _CHECKOUT / _JARS["FUNSHARE_WORKLOAD_JAR"]
    return (*([own] if own.is_file() else []), *listed)


def running_cluster(place: Place) -> ClusterState:
    """The embedded cluster of this place. Raises BadInputError when it is not up."""
    state = embedded.status(place.state_dir)
    if state is None:
        raise BadInputError(f"no embedded cluster runs in {place.state_dir}; start it with `funshare up`")
    if state.dead:
        raise BadInputError(
            f"the embedded cluster is broken ({', '.join(state.dead)} died); mend it with `funshare up`"
        )
    return state


def flink_url(place: Place) -> str:
    return place.flink_url or running_cluster(place).rest_url


def reader(place: Place) -> FlinkRest:
    return FlinkRest(flink_url(place))


def runtime(place: Place) -> FlinkJobs:
    return FlinkJobs(flink_url(place))


def run_records(place: Place) -> RunRecords:
    return RunRecords(place.state_dir / "runs")


def embedded_config(place: Place, slots: int = 32) -> EmbeddedConfig:
    """The embedded cluster with at least this many task slots, in two task managers."""
    return EmbeddedConfig(
        state_dir=place.state_dir,
        slots_per_task_manager=-(-slots // 2),
        kernel_jar=jar("FUNSHARE_KERNEL_JAR"),
        extra_jars=user_jars(),
    )


def nexmark(place: Place, settings: NexmarkSettings) -> NexmarkGenerator:
    """The event generator of this checkout, on the broker's own client jars."""
    program = GeneratorProgram(jar("FUNSHARE_NEXMARK_JAR"), fetch(place.state_dir).kafka_libs)
    return NexmarkGenerator(program, settings)


def remember_workload(place: Place, file: str) -> None:
    """Keep the workload's path for commands that are called without one."""
    place.state_dir.mkdir(parents=True, exist_ok=True)
    (place.state_dir / "last-workload").write_text(str(Path(file).absolute()), encoding="utf-8")


def remembered_workload(place: Place) -> str:
    path = place.state_dir / "last-workload"
    if not path.is_file():
        raise BadInputError("no workload was planned or run here yet; name one with --workload")
    return path.read_text(encoding="utf-8")
