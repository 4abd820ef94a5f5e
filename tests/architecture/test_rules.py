"""The rules of the house that no linter knows: who may import whom, sizes, docstrings, nothing of one machine."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import warnings
from pathlib import Path

import importlinter.cli
import pytest

import funshare_flink

ROOT = Path(__file__).parents[2]
MAX_LINES = 400
LONGER: frozenset[str] = frozenset()
"""Files that may be longer. This set may only shrink."""

_HOSTS = (
    "pypi" + r"\.org",
    "python" + "hosted",
    r"repo1?\.maven",
    r"registry\.npm",
    r"docker" + r"\.io/",
    r"conda\.an",
)
_PLACES = (r"(?<![\w.])/ro" + "ot/", r"(?<![\w.])/home/[a-z]", r"(?<![\w.])/wo" + "rk/", "/tmp/pro" + "be")
FORBIDDEN = re.compile("|".join((*_HOSTS, *_PLACES)))


def tracked() -> list[Path]:
    """Files that git knows, and those that it would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [p for name in listed.stdout.splitlines() if (p := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def test_a_layer_imports_only_what_stands_below_it() -> None:
    assert importlinter.cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True) == 0


def test_no_file_is_too_long() -> None:
    sources = [p for p in tracked() if p.suffix in (".py", ".java")]
    assert len(sources) > 100
    long = {str(p.relative_to(ROOT)): n for p in sources if (n := len(text_of(p).splitlines())) > MAX_LINES}
    assert set(long) == set(LONGER), f"longer than {MAX_LINES} lines, or no longer so: {long}"


def test_nothing_names_this_machine_or_a_package_registry() -> None:
    found = [
        f"{p.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for p in tracked()
        for number, line in enumerate(text_of(p).splitlines(), start=1)
        if FORBIDDEN.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["see https://" + "pypi" + ".org/x", "cd /wo" + "rk/main", "/ro" + "ot/.cache"])
def test_the_pattern_finds_what_it_is_for(text: str) -> None:
    assert FORBIDDEN.search(text)


def test_every_module_says_its_duty_in_its_first_line() -> None:
    modules = [p for top in ("funshare_flink", "tests") for p in (ROOT / top).rglob("*.py")]
    without = [
        str(p.relative_to(ROOT))
        for p in modules
        if not (ast.get_docstring(ast.parse(text_of(p))) or "").split("\n")[0].strip()
    ]
    assert len(modules) > 80
    assert not without, f"no docstring: {without}"


def test_the_examples_in_docstrings_hold() -> None:
    attempted = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # modules of the shell import PyFlink, which warns of itself
        names = [m.name for m in pkgutil.walk_packages(funshare_flink.__path__, "funshare_flink.")]
        modules = [importlib.import_module(n) for n in names if not n.endswith("__main__")]
    for module in modules:
        result = doctest.testmod(module)
        assert result.failed == 0, f"{module.__name__}: run python -m doctest -v on it"
        attempted += result.attempted
    assert attempted >= 10, "the examples were not found"
