"""`funshare simulate`: the daemon's own loop in virtual time, files, tables and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from funshare_flink.cli import main as cli
from funshare_flink.cli import simulate
from funshare_flink.cli.simulated_loop import drive
from funshare_flink.sim.figures import workloads
from funshare_flink.sim.figures.baselines import FULL, FUNSHARE, ISOLATED, SHARING_BASELINES
from funshare_flink.sim.figures.bench import Bench, Order
from funshare_flink.sim.figures.paper_cluster import LOOP_STARTS_S
from funshare_flink.sim.figures.registry import FIGURES
from funshare_flink.sim.figures.results import Figure, Line, Panel, Row, Verdict
from funshare_flink.sim.figures.timeline import serving_slots

PANEL = Panel("t", "x", "y", (Line("FunShare", (1.0,), (2.0,)),))


def small(bench: Bench) -> Figure:
    rows: tuple[Row, ...] = ({"queries": 16, "slots": bench.seed},)
    return Figure("6a", "small", rows, (PANEL,), (Verdict("6a", "holds", "1", False, "not here"),))


@pytest.fixture
def _small_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "FIGURES", {"6a": small, "8": small})
    monkeypatch.setattr(simulate, "across", lambda _: (Verdict("6", "over all", "2", True),))


def test_every_figure_of_the_paper_is_there() -> None:
    wanted = {"2", "6a", "6b", "6c", "6d", "6e", "7a", "7b", "8", "9", "10a", "10b", "11a", "11b", "table1"}
    assert set(FIGURES) == wanted


@pytest.mark.usefixtures("_small_figures")
def test_one_figure_is_printed_as_rows_and_verdicts_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "folder"
    assert cli.main(["simulate", "6a", "--json", "--seed", "5", "--out", str(out)]) == 0
    row, verdict = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert row == {"kind": "row", "figure": "6a", "queries": 16, "slots": 5}
    assert verdict == {
        "kind": "verdict", "figure": "6a", "claim": "holds", "measured": "1", "holds": False, "because": "not here",
        "anchor": False,
    }  # fmt: skip
    assert (out / "fig6a.csv").read_text() == "queries,slots\n16,5\n"
    assert (out / "fig6a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("_small_figures")
def test_all_gives_every_verdict_and_those_over_several_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["simulate", "all", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(v["kind"], v["figure"]) for v in found] == [("verdict", "6a"), ("verdict", "6a"), ("verdict", "6")]


@pytest.mark.usefixtures("_small_figures")
def test_an_out_that_is_no_folder_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert cli.main(["simulate", "6a", "--out", str(file)]) == 2
    assert "--out" in capsys.readouterr().err


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(SystemExit) as refused:
        cli.main(["simulate", "12z"])
    assert refused.value.code == 2


def test_the_loop_merges_in_virtual_time_and_keeps_the_promise_on_slots() -> None:
    world = workloads.w1(8, (0.1, 0.1), 1)
    run = drive(world, Order(FUNSHARE, 160.0))
    isolated = sum(q.slots for q in world.queries)
    before = [m for m in run.moments if m.at_s <= LOOP_STARTS_S + 60.0]
    assert {serving_slots(m) for m in before} == {isolated}
    assert serving_slots(run.last) < isolated
    assert all(serving_slots(m) <= isolated for m in run.moments)
    assert run.changes
    assert sorted(q for g in run.last.groups for q in g.members) == [q.name for q in world.queries]


def test_the_same_world_gives_the_same_run_and_other_filters_another() -> None:
    order = Order(FUNSHARE, 160.0)
    first, again = (drive(workloads.w1(8, (0.1, 0.1), 1), order) for _ in range(2))
    assert first == again
    assert first.moments != drive(workloads.w1(8, (0.1, 0.1), 2), order).moments


@pytest.mark.parametrize("strategy", [ISOLATED, *SHARING_BASELINES])
def test_a_baseline_runs_in_the_same_loop_and_is_chosen_at_the_first_merge_step(strategy: str) -> None:
    world = workloads.w2(6, 1)
    run = drive(world, Order(strategy, 110.0, constrained=True))
    assert run.at(LOOP_STARTS_S + 60.0).read_rps.keys() == {q.name for q in world.queries}
    if strategy == ISOLATED:
        assert not run.changes
    if strategy == FULL:
        assert [len(g.members) for g in run.last.groups] == [6]
    assert serving_slots(run.last) <= sum(q.slots for q in world.queries)
