"""A table environment in this process: one JVM with Flink's planner, from a Flink home of our own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

KERNEL_FUNCTIONS = {
    "QS_TAG": "QsTag",
    "QS_ANY": "QsAny",
    "QS_HAS": "QsHas",
    "QS_AND": "QsAnd",
    "QS_MEETS": "QsMeets",
    "QS_ROUTE": "QsRoute",
}


def use_flink_home(home: Path) -> None:
    """Make PyFlink of this process start its JVM from `home`. Must come before the first table environment."""
    os.environ["FLINK_HOME"] = str(home)
    os.environ["FLINK_CONF_DIR"] = str(home / "conf")
    os.environ["FLINK_LIB_DIR"] = str(home / "lib")


def table_environment(options: Mapping[str, str]) -> Any:
    """A fresh streaming table environment (pyflink.table.TableEnvironment) with these options set."""
    from pyflink.table import EnvironmentSettings, TableEnvironment

    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    config = env.get_config()
    config.set("python.executable", sys.executable)
    config.set("python.client.executable", sys.executable)
    for key, value in options.items():
        config.set(key, value)
    return env


def register_kernel(env: Any) -> None:
    """Register the kernel's functions; its jar must be in the Flink home's lib."""
    for name, class_name in KERNEL_FUNCTIONS.items():
        env.execute_sql(f"CREATE TEMPORARY SYSTEM FUNCTION {name} AS 'org.funshare.kernel.{class_name}'")
