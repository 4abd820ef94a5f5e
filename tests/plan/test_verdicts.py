"""Verdicts of Flink's own planner on scripts of every kind: who may share with whom, and why not.

Each `verdicts/*.sql` stands behind `verdicts/tables.ddl`. A comment `-- expect QUERY: share LABEL` says that the
query shares with all of this label and with none of another; `alone TEXT` and `reject TEXT` that the reason holds the
text; `not LABEL` only that it does not share with the label.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from funshare_flink.flink.planner import compile_workload
from funshare_flink.flink.python_modules import with_python_modules
from funshare_flink.model.ids import QueryName
from funshare_flink.model.verdict import Verdict, VerdictKind
from funshare_flink.plan.query_names import script_workload

FOLDER = Path(__file__).with_name("verdicts")
SCRIPTS = tuple(sorted(p.stem for p in FOLDER.glob("*.sql")))
EXPECTED = re.compile(r"^-- expect (?P<query>\w+): (?P<kind>share|alone|reject|not) ?(?P<text>.*)$", re.MULTILINE)

pytestmark = [pytest.mark.planner, pytest.mark.usefixtures("planner_home")]


def verdicts_of(script: str) -> dict[str, Verdict]:
    text = (FOLDER / "tables.ddl").read_text() + (FOLDER / f"{script}.sql").read_text()
    workload = with_python_modules(script_workload(text, str(FOLDER / f"{script}.sql"), script, str(FOLDER)))
    return {str(v.query): v for v in compile_workload(workload).verdicts()}


def shown(verdicts: dict[str, Verdict]) -> str:
    return "\n".join(f"{v.query}: {v.kind.value} {v.share_class or ''} {v.reason}" for v in verdicts.values())


@pytest.mark.parametrize("script", SCRIPTS)
def test_verdicts(script: str) -> None:
    verdicts = verdicts_of(script)
    wanted = list(EXPECTED.finditer((FOLDER / f"{script}.sql").read_text()))
    assert set(verdicts) == {QueryName(m["query"]) for m in wanted}
    labels: dict[str, set[str | None]] = {}
    for m in wanted:
        if m["kind"] == "share":
            labels.setdefault(m["text"], set()).add(verdicts[m["query"]].share_class)
    problems = [p for m in wanted if (p := problem(m, verdicts[m["query"]], labels))]
    classes = [c for found in labels.values() for c in found]
    assert not problems, "\n".join(problems) + "\n\n" + shown(verdicts)
    assert len(classes) == len(set(classes)) == len(labels), f"labels are mixed up\n{shown(verdicts)}"


def problem(wanted: re.Match[str], found: Verdict, labels: dict[str, set[str | None]]) -> str | None:
    kind = {"share": VerdictKind.SHAREABLE, "alone": VerdictKind.ISOLATED, "reject": VerdictKind.REJECTED}
    if wanted["kind"] == "not":
        return None if found.share_class not in labels[wanted["text"]] else f"{found.query} must not share"
    if found.kind is not kind[wanted["kind"]]:
        return f"{found.query}: expected {wanted['kind']} {wanted['text']}, found {found.kind.value} {found.reason}"
    if wanted["kind"] != "share" and wanted["text"] not in found.reason:
        return f"{found.query}: expected the reason {wanted['text']!r}, found {found.reason!r}"
    return None
