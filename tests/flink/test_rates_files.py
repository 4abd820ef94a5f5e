"""Rates files: what they say, and what they may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from funshare_flink.flink.rates_files import load_rates
from funshare_flink.model.errors import BadInputError

WHOLE = """
topics:
  auction: {rate_rps: 500}
  bid: {rate_rps: 10000}
joins:
  - {topics: [auction, bid], matches: 40}
queries:
  high: {selectivity: {bid: 0.1, auction: 0}, tail_us: 2.5}
"""


def rates_of(text: str, tmp_path: Path) -> Path:
    path = tmp_path / "rates.yaml"
    path.write_text(text)
    return path


def test_a_whole_file(tmp_path: Path) -> None:
    rates = load_rates(rates_of(WHOLE, tmp_path))
    assert rates.topics == {"auction": 500.0, "bid": 10_000.0}
    assert rates.queries["high"].selectivity == {"bid": 0.1, "auction": 0.0}
    assert rates.queries["high"].tail_us == 2.5


def test_matches_hold_in_both_directions_for_the_same_pairs(tmp_path: Path) -> None:
    """500 auctions that meet 40 bids each are 20,000 pairs a second; so 10,000 bids meet 2 auctions each."""
    rates = load_rates(rates_of(WHOLE, tmp_path))
    assert rates.matches_of("auction", "bid") == 40.0
    assert rates.matches_of("bid", "auction") == 2.0
    assert rates.matches_of("auction", "person") is None


def test_the_example_can_be_read() -> None:
    rates = load_rates(Path(__file__).parents[2] / "examples" / "rates.yaml")
    assert rates.matches_of("auction", "bid") is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic:\n  a: {rate_rps: 1}\n", "line 1.*topic"),
        ("topics:\n  a: {rate: 1}\n", "line 2.*rate"),
        ("topics:\n  a: {}\n", "line 2: rate_rps is missing"),
        ("topics:\n  a: {rate_rps: 0}\n", "rate_rps must be above 0, not 0"),
        ("topics:\n  a: {rate_rps: .nan}\n", "above 0, not nan"),
        ("topics:\n  a: {rate_rps: .inf}\n", "rate_rps must be"),
        ("topics:\n  a: {rate_rps: many}\n", "must be a number, not 'many'"),
        ("topics:\n  a: {rate_rps: yes}\n", "must be a number, not True"),
        ("joins:\n  - {topics: [a], matches: 1}\n", "line 2: a join needs `topics`, a list of its two topics"),
        ("joins:\n  - {topics: [a, b]}\n", "line 2: matches is missing"),
        ("queries:\n  q: {selectivity: {a: 1.5}}\n", "selectivity of a must lie between 0 and 1, not 1.5"),
        ("queries:\n  q: {selectivity: {a: -0.1}}\n", "between 0 and 1"),
        ("queries:\n  q: {tail_us: -1}\n", "tail_us must be above 0"),
        ("topics: [", "not YAML"),
    ],
)
def test_bad_files_are_named_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=message):
        load_rates(rates_of(text, tmp_path))
