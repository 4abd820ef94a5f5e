"""What all tests share: the planner's home, prepared once for each run, and the checkout on the import path."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # `pytest` alone does not put the checkout there, `python -m pytest` does
    sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def planner_home() -> Path:
    """A Flink home for this process's one JVM. Tests that use it are marked `planner`."""
    from funshare_flink.wiring import Place, prepare_planner

    with warnings.catch_warnings():  # PyFlink warns of its own deprecated classes while it is imported
        warnings.simplefilter("ignore")
        import pyflink.table  # noqa: F401

    return prepare_planner(Place.of(None, None))
