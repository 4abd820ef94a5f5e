"""What must be on the machine, and the jars that are brought onto it with Maven, once.

The pip wheel of Flink holds no Kafka connector and no broker. Both come from Maven's central repository by
their coordinates; a folder or jar appears under its final name only when it is whole.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from funshare_flink.model.errors import BadInputError, FatalError

KAFKA_VERSION = "4.1.0"
CONNECTOR_VERSION = "5.0.0-2.2"
LOG4J_VERSION = "2.24.3"
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
MIN_JAVA = 17
MAVEN_TIMEOUT_S = 600
CONNECTOR_JAR = f"flink-sql-connector-kafka-{CONNECTOR_VERSION}.jar"
HOW_TO_INSTALL = "on Debian or Ubuntu: apt-get install openjdk-17-jdk-headless maven"

BROKER = (
    f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}",
    f"org.apache.kafka:kafka-tools:{KAFKA_VERSION}",
    f"org.apache.logging.log4j:log4j-core:{LOG4J_VERSION}",
    f"org.apache.logging.log4j:log4j-slf4j-impl:{LOG4J_VERSION}",
)

PLANNER_ONLY = (
    "org.apache.flink:flink-connector-jdbc-core:4.0.0-2.0",
    "org.apache.flink:flink-connector-jdbc-postgres:4.0.0-2.0",
)
"""Connectors that workloads often name beside Kafka: with them on its class path the planner can judge such queries.
A cluster that runs them needs them too."""


@dataclass(frozen=True)
class Tools:
    """Programs found on this machine; `maven` is None when it is missing and was not asked for."""

    java: Path
    java_home: Path
    maven: Path | None


@dataclass(frozen=True)
class Artifacts:
    """What was fetched: the connector's jar and the folder with the broker's jars."""

    connector_jar: Path
    kafka_libs: Path


def check_prerequisites(maven: bool = True) -> Tools:
    """Find Linux's /proc, Java 17 or newer, and Maven when asked.

    Raises BadInputError: one line that names all that is missing and what to install.
    """
    java = _find_java()
    found_maven = shutil.which("mvn")
    missing = []
    if not Path("/proc/self/stat").exists():
        missing.append("Linux (processes are recognised by /proc)")
    if java is None:
        missing.append(f"Java {MIN_JAVA} or newer (no java on PATH or in JAVA_HOME)")
    elif (version := java_version(java)) is None or version < MIN_JAVA:
        missing.append(f"Java {MIN_JAVA} or newer ({java} is {version or 'of an unknown version'})")
    if maven and found_maven is None:
        missing.append("Maven (no mvn on PATH)")
    if missing or java is None:
        raise BadInputError(f"the embedded cluster needs {' and '.join(missing)}; {HOW_TO_INSTALL}")
    return Tools(java, java.parent.parent, Path(found_maven) if found_maven else None)


def java_version(java: Path) -> int | None:
    """Major version that `java -version` prints: 8 for "1.8.0_402", 17 for "17.0.15"; None if unreadable."""
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_java_version(run.stderr + run.stdout)


def parse_java_version(text: str) -> int | None:
    """Major version in the text of `java -version`."""
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else None


def present(folder: Path) -> bool:
    """Is all there already, so that Maven is not needed?"""
    artifacts = _artifacts(folder)
    return artifacts.connector_jar.is_file() and (artifacts.kafka_libs / _broker_jar()).is_file()


def fetch(folder: Path) -> Artifacts:
    """Bring what is missing into `folder`/jars and `folder`/kafka-libs; a no-op when all is there.

    Raises BadInputError without Maven, FatalError when Maven fails (with its last lines).
    """
    artifacts = _artifacts(folder)
    if present(folder):
        return artifacts
    maven = check_prerequisites(maven=True).maven
    assert maven is not None  # check_prerequisites raises otherwise
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if not artifacts.connector_jar.is_file():
            _fetch_connector(maven, folder, artifacts.connector_jar)
        if not (artifacts.kafka_libs / _broker_jar()).is_file():
            _fetch_broker(maven, folder, artifacts.kafka_libs)
    return artifacts


def fetch_for_planner(folder: Path) -> tuple[Path, ...]:
    """The jars of `PLANNER_ONLY` in `folder`/planner-jars, sorted; fetched once.

    Raises BadInputError without Maven, FatalError when Maven fails (with its last lines).
    """
    jars = folder / "planner-jars"
    if not jars.is_dir():
        maven = check_prerequisites(maven=True).maven
        assert maven is not None  # check_prerequisites raises otherwise
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder), tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as work:
            copied = _copy_dependencies(maven, Path(work), PLANNER_ONLY, transitive=False)
            if not jars.is_dir():
                copied.rename(jars)
    return tuple(sorted(jars.glob("*.jar")))


def pom(coordinates: tuple[str, ...]) -> str:
    """A Maven project whose only use is to depend on these `group:artifact:version`."""
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>"
        for group, artifact, version in (c.split(":") for c in coordinates)
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>funshare</groupId><artifactId>embedded</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )


def _artifacts(folder: Path) -> Artifacts:
    return Artifacts(folder / "jars" / CONNECTOR_JAR, folder / "kafka-libs")


def _broker_jar() -> str:
    return f"kafka_2.13-{KAFKA_VERSION}.jar"


def _find_java() -> Path | None:
    home = os.environ.get("JAVA_HOME")
    candidate = Path(home) / "bin" / "java" if home else None
    if candidate is not None and os.access(candidate, os.X_OK):
        return candidate
    on_path = shutil.which("java")
    return Path(on_path).resolve() if on_path else None


def _fetch_connector(maven: Path, folder: Path, jar: Path) -> None:
    coordinate = f"org.apache.flink:flink-sql-connector-kafka:{CONNECTOR_VERSION}"
    jar.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as work:
        copied = _copy_dependencies(maven, Path(work), (coordinate,), transitive=False)
        (copied / jar.name).replace(jar)


def _fetch_broker(maven: Path, folder: Path, libs: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder, prefix="fetch-") as work:
        copied = _copy_dependencies(maven, Path(work), BROKER, transitive=True)
        if libs.exists():  # of another version
            libs.rename(Path(work) / "old")
        copied.rename(libs)


def _copy_dependencies(maven: Path, work: Path, coordinates: tuple[str, ...], transitive: bool) -> Path:
    (work / "pom.xml").write_text(pom(coordinates), encoding="utf-8")
    target = work / "libs"
    command = [
        str(maven),
        "--batch-mode",
        "--quiet",
        "-Dstyle.color=never",
        f"{DEPENDENCY_PLUGIN}:copy-dependencies",
        f"-DoutputDirectory={target}",
        "-DincludeScope=runtime",
        f"-DexcludeTransitive={'false' if transitive else 'true'}",
    ]
    _run_maven(command, work, " ".join(coordinates))
    return target


def _run_maven(command: list[str], work: Path, what: str) -> None:
    try:
        run = subprocess.run(
            command,
            cwd=work,
            capture_output=True,
            text=True,
            timeout=MAVEN_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as err:
        raise FatalError(
            f"Maven did not fetch {what} within {MAVEN_TIMEOUT_S} s; check the network and try again"
        ) from err
    if run.returncode != 0:
        last = "\n".join((run.stdout + run.stderr).strip().splitlines()[-8:])
        raise FatalError(
            f"Maven could not fetch {what}; check the network or Maven's settings. Its last lines:\n{last}"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "artifacts.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
