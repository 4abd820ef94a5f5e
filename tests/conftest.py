"""What all tests share: the planner's home, prepared once for each run, and the checkout on the import path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The machine is shared: a slow example is no finding. For a long search: --hypothesis-profile=long
settings.register_profile("funshare", deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile("funshare")

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # `pytest` alone does not put the checkout there, `python -m pytest` does
    sys.path.insert(0, str(ROOT))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PyFlink and what it imports warn of their own deprecated classes and leave sockets to the end of the process;
    where they are used, warnings are no errors."""
    for item in items:
        if item.get_closest_marker("planner") or item.get_closest_marker("integration"):
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def planner_home() -> Path:
    """A Flink home for this process's one JVM. Tests that use it are marked `planner`."""
    from funshare_flink.wiring import Place, prepare_planner

    return prepare_planner(Place.of(None, None))
