"""Which nodes ask for managed memory, and how much."""

from __future__ import annotations

from funshare_flink.plan.memory import BYTES_PER_OPERATOR, managed_memory_needed, memory_operators

WINDOW = {"type": "stream-exec-local-window-aggregate_1"}
GLOBAL = {"type": "stream-exec-global-window-aggregate_1"}
CALC = {"type": "stream-exec-calc_1"}
PYTHON = {"type": "stream-exec-python-calc_1"}


def test_window_operators_are_counted_and_nothing_else() -> None:
    assert memory_operators([WINDOW, CALC, GLOBAL, {"type": "stream-exec-group-aggregate_1"}]) == 2


def test_a_plan_without_windows_needs_none() -> None:
    assert managed_memory_needed([[CALC], [CALC]]) == 0


def test_plans_add_up() -> None:
    assert managed_memory_needed([[WINDOW, GLOBAL], [WINDOW]]) == 3 * BYTES_PER_OPERATOR
    assert BYTES_PER_OPERATOR > 1024 * 1024, "Flink wants strictly more than the buckets' 1 MiB"


def test_python_functions_in_the_slot_take_their_share() -> None:
    assert managed_memory_needed([[WINDOW], [PYTHON]]) == round(BYTES_PER_OPERATOR / 0.7)
