"""Designs of samples: the budget is kept, both sides get their half, keys are many or rows are."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.design import WANTED_ROWS, choose_design
from funshare_flink.estimate.sample import SamplingDesign

counts = st.integers(1, 10**7)


@settings(max_examples=1000, deadline=None)
@given(counts, counts, counts, st.floats(0.001, 1.0))
def test_a_design_keeps_its_budget_and_is_no_larger_than_the_input(
    keys: int, left: int, right: int, share: float
) -> None:
    assume(keys <= left + right)
    found = choose_design(keys, left, right, share)
    shares = (found.key_share, *found.row_shares)
    assert all(0 < s <= 1 for s in shares)
    kept = found.key_share * (found.row_shares[0] * left + found.row_shares[1] * right)
    assert kept <= share * (left + right) * (1 + 1e-9)


def test_few_keys_are_all_taken_and_rows_of_both_sides_alike() -> None:
    found = choose_design(500, 3_000_000, 3_000_000, 0.02)
    assert found.key_share == 1.0
    assert found.row_shares == pytest.approx((0.02, 0.02))


def test_of_many_short_lived_keys_some_are_taken_and_a_row_of_each_side() -> None:
    """An auction and its ten bids: the auction, and one bid."""
    found = choose_design(400_000, 400_000, 4_000_000, 0.02)
    assert found.row_shares == pytest.approx((1.0, 0.1))
    assert found.key_share == pytest.approx(0.11)


def test_of_keys_in_between_enough_rows_are_taken_to_show_how_long_they_live() -> None:
    found = choose_design(10_000, 1_000_000, 1_000_000, 0.02)
    assert found.key_share * 10_000 == pytest.approx(20_000 / WANTED_ROWS)
    assert found.row_shares[0] * 100 == pytest.approx(WANTED_ROWS)


def test_nothing_is_known_of_no_rows_and_no_share_is_no_sample() -> None:
    assert choose_design(0, 0, 0, 0.02) == SamplingDesign(1.0, 0.02)
    with pytest.raises(ValueError, match="share"):
        choose_design(1, 1, 1, 0.0)
