"""Prerequisites in one line; jars come whole or not at all; FLINK_HOME never touches site-packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from funshare_flink.embedded import artifacts, flink_cluster, flink_home
from funshare_flink.embedded.layout import Layout
from funshare_flink.model.errors import BadInputError, FatalError


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH; no JAVA_HOME."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", lambda name: str(folder / name) if (folder / name).exists() else None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


def java(path: Path, version: str) -> Path:
    return script(path, f"echo 'openjdk version \"{version}\"' >&2")


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21-ea"', 21),
        ("command not understood", None),
    ],
)
def test_java_versions_old_and_new(text: str, major: int | None) -> None:
    assert artifacts.parse_java_version(text) == major


def test_all_that_is_missing_stands_in_one_line(machine: Path) -> None:
    with pytest.raises(BadInputError) as error:
        artifacts.check_prerequisites()
    message = str(error.value)
    assert "\n" not in message
    assert "Java 17 or newer (no java on PATH or in JAVA_HOME) and Maven (no mvn on PATH)" in message
    assert "apt-get install openjdk-17-jdk-headless maven" in message


def test_an_old_java_is_named_with_its_version(machine: Path) -> None:
    java(machine / "java", "11.0.2")
    script(machine / "mvn", "exit 0")
    with pytest.raises(BadInputError, match=r"needs Java 17 or newer \(.*java is 11\)"):
        artifacts.check_prerequisites()


def test_java_home_is_asked_before_the_path(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java(machine / "java", "11.0.2")
    home = tmp_path / "jdk"
    java(home / "bin" / "java", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    tools = artifacts.check_prerequisites(maven=False)
    assert (tools.java_home, tools.maven) == (home, None)


FAKE_MVN = """
for option; do case "$option" in -DoutputDirectory=*) out="${option#*=}";; esac; done
mkdir -p "$out"
grep -q flink-sql-connector pom.xml && echo jar > "$out/CONNECTOR"
grep -q kafka-tools pom.xml && echo jar > "$out/BROKER"
echo run >> "$COUNT"
"""


@pytest.fixture
def maven(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven that copies one jar a call; returns the file in which it counts its calls."""
    java(machine / "java", "17.0.1")
    names = {"CONNECTOR": artifacts.CONNECTOR_JAR, "BROKER": f"kafka_2.13-{artifacts.KAFKA_VERSION}.jar"}
    text = FAKE_MVN
    for key, name in names.items():
        text = text.replace(key, name)
    script(machine / "mvn", text)
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    return tmp_path / "count"


def test_jars_are_fetched_once(maven: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert not artifacts.present(folder)
    fetched = artifacts.fetch(folder)
    assert fetched.connector_jar.is_file()
    assert len(list(fetched.kafka_libs.iterdir())) == 1
    assert artifacts.fetch(folder) == fetched
    assert maven.read_text().split() == ["run", "run"]
    assert sorted(path.name for path in folder.iterdir()) == ["artifacts.lock", "jars", "kafka-libs"]


def test_another_version_of_the_broker_is_replaced(maven: Path, tmp_path: Path) -> None:
    libs = tmp_path / "state" / "kafka-libs"
    libs.mkdir(parents=True)
    (libs / "kafka_2.13-3.0.0.jar").touch()
    artifacts.fetch(tmp_path / "state")
    assert [path.name for path in libs.iterdir()] == [f"kafka_2.13-{artifacts.KAFKA_VERSION}.jar"]


def test_a_failed_fetch_leaves_nothing_and_shows_maven_s_last_lines(machine: Path, tmp_path: Path) -> None:
    java(machine / "java", "17.0.1")
    script(machine / "mvn", "echo no route to repository; exit 1")
    with pytest.raises(FatalError, match=r"could not fetch org\.apache\.flink:flink-sql-connector(?s:.*)no route"):
        artifacts.fetch(tmp_path / "state")
    assert not artifacts.present(tmp_path / "state")
    assert not list((tmp_path / "state").glob("fetch-*"))


@pytest.fixture
def wheel(tmp_path: Path) -> flink_home.Wheel:
    root = tmp_path / "pyflink"
    for name in ("lib/flink-dist-2.2.1.jar", "opt/flink-python-2.2.1.jar", "plugins/metrics-x/x.jar", "bin/config.sh"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "conf").mkdir()
    (root / "conf" / "log4j-console.properties").write_text("a=b")
    return flink_home.Wheel(root, "2.2.1", "")


def test_the_home_links_to_the_wheel_and_owns_its_configuration(wheel: flink_home.Wheel, tmp_path: Path) -> None:
    connector, kernel = tmp_path / "connector.jar", tmp_path / "kernel.jar"
    connector.touch()
    kernel.write_text("kernel")
    home = tmp_path / "home"
    for _ in range(2):
        flink_home.build_home(home, wheel, (connector,), "a.b: c\n", kernel)
    in_lib = sorted(path.name for path in (home / "lib").iterdir())
    assert in_lib == ["connector.jar", "flink-dist-2.2.1.jar", "flink-python-2.2.1.jar", "kernel.jar"]
    assert (home / "lib/flink-dist-2.2.1.jar").resolve() == (wheel.root / "lib/flink-dist-2.2.1.jar").resolve()
    assert not (home / "lib/kernel.jar").is_symlink()
    assert (home / "plugins/metrics-x").is_dir()
    assert not (home / "plugins/metrics-x").is_symlink()
    assert not (home / "bin/config.sh").is_symlink()
    assert (home / "conf/config.yaml").read_text() == "a.b: c\n"


def test_the_installed_wheel_is_found() -> None:
    wheel = flink_home.find_wheel()
    assert wheel.version.startswith("2.")
    assert "--add-opens=java.base/java.util=ALL-UNNAMED" in wheel.java_opts


def test_a_child_does_not_inherit_options_that_change_flink() -> None:
    base = {"PATH": "/bin", "FLINK_ENV_JAVA_OPTS": "-Xmx1m", "JVM_ARGS": "-Xmx1m", "HADOOP_HOME": "/h", "LANG": "C"}
    env = flink_cluster.flink_env(base, Layout(Path("/state")), Path("/jdk"))
    assert (env["PATH"], env["LANG"], env["JAVA_HOME"]) == ("/bin", "C", "/jdk")
    assert not {"FLINK_ENV_JAVA_OPTS", "JVM_ARGS", "HADOOP_HOME"} & env.keys()
    assert env["FLINK_PLUGINS_DIR"] == "/state/cluster/flink-home/plugins"
