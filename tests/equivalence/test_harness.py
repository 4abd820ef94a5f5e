"""The proof must be able to fail: what counts as equal, and what does not."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.equivalence.harness import _difference


@pytest.mark.parametrize(
    ("alone", "grouped"),
    [
        ({b'{"n": 1}': 2}, {b'{"n": 1}': 2}),
        ({b'{"w": 1.0000000001}': 1}, {b'{"w": 1.0000000002}': 1}),
        (
            {b'{"key": {"g": 1}, "value": {"w": 0.3}}': 1},
            {b'{"key": {"g": 1}, "value": {"w": 0.30000000000000004}}': 1},
        ),
    ],
)
def test_equal(alone: dict[bytes, int], grouped: dict[bytes, int]) -> None:
    assert _difference(Counter(alone), Counter(grouped)) == ([], [])


@pytest.mark.parametrize(
    ("alone", "grouped"),
    [
        ({b'{"n": 1}': 2}, {b'{"n": 1}': 1}),
        ({b'{"n": 1}': 1}, {}),
        ({}, {b'{"n": 1}': 1}),
        ({b'{"n": 1}': 1}, {b'{"n": 2}': 1}),
        ({b'{"n": 1000000001}': 1}, {b'{"n": 1000000002}': 1}),
        ({b'{"w": 1.00001}': 1}, {b'{"w": 1.00002}': 1}),
        ({b'{"w": 1.0, "g": 1}': 1}, {b'{"w": 1.0, "g": 2}': 1}),
        ({b'{"w": 1.0}': 2}, {b'{"w": 1.0}': 3}),
    ],
)
def test_different(alone: dict[bytes, int], grouped: dict[bytes, int]) -> None:
    assert _difference(Counter(alone), Counter(grouped)) != ([], [])
