"""Compiles `golden/*.sql` with Flink's planner and writes `golden/*.json`. Run: python -m tests.plan.make_golden"""

from __future__ import annotations

from funshare_flink.flink.planner import compile_workload
from funshare_flink.wiring import Place, prepare_planner
from tests.plan.golden_plans import FOLDER, SCRIPTS, as_json, as_text, golden_workload


def main() -> None:
    prepare_planner(Place.of(None, None))
    for name in SCRIPTS:
        raw = as_json(compile_workload(golden_workload(name)))
        (FOLDER / f"{name}.json").write_text(as_text(raw))
        print(f"{name}: {len(raw['queries'])} queries, {len(raw['rejected'])} rejected")


if __name__ == "__main__":
    main()
