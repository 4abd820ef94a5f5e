"""`funshare plan` on stated rates: every strategy, what is not stated, and the story of one query. No JVM: the plans
are stored ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from funshare_flink import wiring
from funshare_flink.cli import main as cli
from funshare_flink.cli import plan as plan_command
from funshare_flink.grouping.strategies import STRATEGIES
from tests.plan.golden_plans import FOLDER, golden

GROUP = {"group", "slots", "queries", "share_class", "reason"}
PREDICTED = {"slots_alone", "load_slots", "reads_share"}
TOLD = {"kind", "queries", "group", "reason", "numbers"}
JOINS = """
topics:
  picks: {rate_rps: 2000}
  scales: {rate_rps: 3000}
joins:
  - {topics: [picks, scales], matches: 4}
"""
SOME = """queries:
  near_filters: {selectivity: {picks: 0.1, scales: 0.2}}
  near_window_totals: {selectivity: {scales: 0.5}, tail_us: 3}
"""
Plan = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(wiring, "prepare_planner", lambda _: None)
    monkeypatch.setattr(plan_command, "compile_workload", lambda _: golden("interval"))
    monkeypatch.setenv("FUNSHARE_STATE_DIR", str(tmp_path / "state"))
    path = tmp_path / "interval.sql"
    path.write_text((FOLDER / "tables.ddl").read_text() + (FOLDER / "interval.sql").read_text())
    return str(path)


@pytest.fixture
def planned(workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Plan:
    """`funshare plan --json` with a rates file of this text; its lines."""

    def run(rates: str, *args: str) -> list[dict[str, Any]]:
        file = tmp_path / "rates.yaml"
        file.write_text(rates)
        assert cli.main(["plan", workload, "--json", "--rates", str(file), *args]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def group_of(lines: list[dict[str, Any]], query: str) -> dict[str, Any]:
    (found,) = [g for g in lines if query in g["queries"]]
    return found


def test_with_rates_the_strategy_is_funshare_and_groups_have_their_load(planned: Plan) -> None:
    lines = planned(JOINS + SOME)
    assert all(set(g) == GROUP | PREDICTED for g in lines)
    together = group_of(lines, "near_plain")
    assert {"near_plain", "near_filters", "near_window_totals"} <= set(together["queries"])
    assert 0 < together["load_slots"] < together["slots"] <= together["slots_alone"]
    assert together["reads_share"] == 1.0


def test_what_is_not_stated_keeps_a_query_alone_and_is_named(planned: Plan) -> None:
    lines = planned(JOINS + SOME)
    swapped, own = group_of(lines, "near_swapped"), group_of(lines, "near_self")
    assert swapped["queries"] == ["near_swapped"]
    assert "selectivity of" in swapped["reason"]
    assert "note" in swapped["reason"]
    assert swapped["reason"].endswith("on scales")
    assert swapped["load_slots"] is None
    assert "matches of the join [picks, picks]" in own["reason"]
    assert "not stated in" in own["reason"]


def test_a_join_of_a_topic_with_itself_is_told_by_topic_only_where_both_sides_keep_the_same(planned: Plan) -> None:
    joins = JOINS + "  - {topics: [picks, picks], matches: 2}\n"
    one_side = "queries:\n  near_self: {selectivity: {picks: 0.3}}\n  near_self_later: {selectivity: {picks: 0.2}}\n"
    assert set(group_of(planned(joins + one_side), "near_self")["queries"]) == {"near_self", "near_self_later"}


def test_without_rates_for_a_topic_nothing_of_its_joins_is_known(planned: Plan) -> None:
    lines = planned("topics:\n  picks: {rate_rps: 10}\n")
    assert all(len(g["queries"]) == 1 for g in lines)
    assert "rate_rps of scales; matches of the join" in group_of(lines, "near_plain")["reason"]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_holds_every_query_once(planned: Plan, strategy: str) -> None:
    lines = planned(JOINS + SOME, "--strategy", strategy)
    names = [q for g in lines for q in g["queries"]]
    assert sorted(names) == sorted(q.spec.name for q in golden("interval").queries)
    if strategy == "isolated":
        assert {g["reason"] for g in lines if g["load_slots"] is not None} == {"strategy isolated"}


def test_a_low_threshold_merges_less(planned: Plan) -> None:
    assert len(planned(JOINS + SOME, "--threshold", "0.01")) > len(planned(JOINS + SOME))


def test_a_rate_that_an_owner_asks_for_is_planned_for(
    planned: Plan, monkeypatch: pytest.MonkeyPatch, workload: str
) -> None:
    from dataclasses import replace

    before = group_of(planned(JOINS + SOME, "--strategy", "isolated"), "near_plain")["load_slots"]
    compiled = golden("interval")
    asked = tuple(
        replace(q, spec=replace(q.spec, min_rate_rps=10_000.0)) if q.spec.name == "near_filters" else q
        for q in compiled.queries
    )
    monkeypatch.setattr(plan_command, "compile_workload", lambda _: replace(compiled, queries=asked))
    after = group_of(planned(JOINS + SOME, "--strategy", "isolated"), "near_plain")["load_slots"]
    assert 2 * before < after <= 4 * before, "twice the rate: rows twice, pairs four times"


def test_why_as_rows(planned: Plan) -> None:
    lines = planned(JOINS + SOME, "--why", "near_filters")
    assert all(set(x) == TOLD for x in lines)
    assert lines[0]["kind"] == "outcome"
    merges = [x for x in lines if x["kind"] == "merge"]
    assert merges
    for merge in merges:
        assert "near_filters" in merge["queries"]
        numbers = merge["numbers"]
        assert numbers["cost"] == max(numbers["into_first"], numbers["into_second"]) < numbers["threshold"] == 0.9
        assert numbers["load_union_us_ps"] > 0
    (slots,) = [x for x in lines if x["kind"] == "slots"]
    assert slots["numbers"]["slots"] == lines[0]["numbers"]["slots"]


def test_why_for_people(workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rates.yaml"
    file.write_text(JOINS + SOME)
    assert cli.main(["plan", workload, "--rates", str(file), "--why", "near_filters"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("near_filters runs in group share-")
    assert "below the threshold of 0.9" in out
    assert cli.main(["plan", workload, "--rates", str(file), "--why", "nobody"]) == 2
    assert "no query is named nobody" in capsys.readouterr().err


def test_an_own_grouping_is_shown_with_its_load(planned: Plan, tmp_path: Path) -> None:
    groups = tmp_path / "groups.yaml"
    groups.write_text("groups:\n  - name: mine\n    queries: [near_plain, near_filters]\n")
    lines = planned(JOINS + SOME, "--grouping", str(groups))
    assert group_of(lines, "near_plain")["group"] == "mine"
    assert group_of(lines, "near_plain")["load_slots"] > 0


def test_for_people_the_table_has_the_load(workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rates.yaml"
    file.write_text(JOINS + SOME)
    assert cli.main(["plan", workload, "--rates", str(file)]) == 0
    captured = capsys.readouterr()
    assert "load_slots" in captured.out
    assert "strategy funshare" in captured.out
    assert "task slots in" in captured.err


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ("queries:\n  nobody: {tail_us: 1}\n", "line 2: the workload has no query nobody"),
        (
            "queries:\n  near_plain: {selectivity: {picsk: 0.1}}\n",
            "line 2: query near_plain: no shareable query reads topic picsk",
        ),
    ],
)
def test_a_figure_of_what_is_not_there_is_bad_input(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], rates: str, message: str
) -> None:
    file = tmp_path / "rates.yaml"
    file.write_text(rates)
    assert cli.main(["plan", workload, "--rates", str(file)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"isolated", "full"}))
def test_a_strategy_that_decides_on_loads_asks_for_them_before_anything_starts(
    workload: str, strategy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("Flink was started")

    monkeypatch.setattr(wiring, "prepare_planner", refuse)
    assert cli.main(["plan", workload, "--strategy", strategy]) == 2
    assert "--rates FILE" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["0", "1.1", "-1", "nan", "x"])
def test_a_threshold_out_of_range_is_refused(workload: str, wrong: str) -> None:
    with pytest.raises(SystemExit) as refused:
        cli.main(["plan", workload, "--threshold", wrong])
    assert refused.value.code == 2
