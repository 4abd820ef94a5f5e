"""The PyFlink entry point of every job: load a compiled plan and start it, detached."""

from __future__ import annotations

from typing import Any


def start(env: Any, plan: str) -> str:
    """Submit the plan (JSON text) through a table environment; returns Flink's job id.

    PyFlink 2.2 forgets to hand the environment to a plan that was loaded, and needs it to execute.
    """
    from pyflink.table import PlanReference

    compiled = env.load_plan(PlanReference.from_json_string(plan))
    compiled._t_env = env
    result = compiled.execute()
    return str(result.get_job_client().get_job_id())
