"""Compiles workload scripts with Flink's planner; run as a child, so that its JVM has its own class path.

Standard input: JSON {name: script}. Standard output, last line: JSON {name: {sink: [[node type, description], …]}}.
Arguments: jars that the scripts need.
"""

from __future__ import annotations

import json
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment


def compile_script(script: str, jars: list[str]) -> dict[str, list[list[str]]]:
    table_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table_env.get_config().set("pipeline.jars", ";".join(f"file://{jar}" for jar in jars))
    plans: dict[str, list[list[str]]] = {}
    for statement in script.split(";\n"):
        text = "\n".join(line for line in statement.splitlines() if not line.startswith("--")).strip()
        if text.startswith("INSERT"):
            nodes = json.loads(table_env.compile_plan_sql(text).as_json_string())["nodes"]
            plans[text.split()[2]] = [[node["type"], node.get("description", "")] for node in nodes]
        elif text:
            table_env.execute_sql(text)
    return plans


if __name__ == "__main__":
    scripts = json.load(sys.stdin)
    print(json.dumps({name: compile_script(script, sys.argv[1:]) for name, script in scripts.items()}))
