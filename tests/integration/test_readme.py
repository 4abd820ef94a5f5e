"""The tour in README.md, run as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WRITTEN_PORT = "9092"
FETCHED = ("jars", "kafka-libs", "planner-jars")

pytestmark = pytest.mark.integration


def tour() -> list[str]:
    """The tour's commands; set-up has been done by whoever runs the tests."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## A tour.*?```\n(.*?)```", text, re.DOTALL)
    assert block, "the README has no tour"
    lines = [line.partition("#")[0].strip() for line in block[1].splitlines()]
    return [line for line in lines if line and not line.startswith(("make setup", "source "))]


def free_port() -> str:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Path]:
    """A folder with the examples on a port of its own and a state directory that has the downloads already."""
    state = tmp_path / ".funshare"
    state.mkdir()
    for name in FETCHED:
        (state / name).symlink_to(ROOT / ".funshare" / name)
    port = free_port()
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (tmp_path / "examples").iterdir():
        file.write_text(file.read_text(encoding="utf-8").replace(WRITTEN_PORT, port), encoding="utf-8")
    (tmp_path / "port").write_text(port, encoding="utf-8")
    yield tmp_path
    run("funshare down", tmp_path)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One line of the tour as a shell runs it, with the virtual environment's programs first."""
    programs = str(Path(sys.executable).parent)
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PYFLINK", "FUNSHARE"))},
        "PATH": programs + os.pathsep + os.environ["PATH"],
        "FUNSHARE_STATE_DIR": str(folder / ".funshare"),
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_tour_of_the_readme(visitor: Path) -> None:
    port = (visitor / "port").read_text(encoding="utf-8")
    commands = tour()
    outputs = {}
    for command in commands:
        done = run(command.replace(WRITTEN_PORT, port), visitor)
        assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        outputs[command] = done.stdout + done.stderr
    assert len(commands) >= 9
    checked = next(text for command, text in outputs.items() if command.startswith("funshare check"))
    assert checked.count("shareable") >= 5
    assert "channel_counts" in checked
    started = next(text for command, text in outputs.items() if command.startswith("funshare status"))
    assert "category_average" in started
