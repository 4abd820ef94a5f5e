"""Fitting: right when there is evidence, the prior when there is none, never below zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.estimate.coefficients import PRIOR, STAGES, Coefficient, Observation, fit


def observation(drawn: bytes) -> Observation:
    """Two bytes a number, zero or 0.001 to 10 million: one draw for all, as many small ones are slow."""
    numbers = np.frombuffer(drawn, dtype=np.uint16)
    *records, busy = np.where(numbers == 0, 0.0, 10 ** (numbers / 6553.5 - 3))
    return Observation(tuple(records), busy)


observations = st.binary(min_size=2 * len(STAGES) + 2, max_size=2 * len(STAGES) + 2).map(observation)


def test_nothing_observed_leaves_the_prior() -> None:
    assert fit(()) is PRIOR


def test_evidence_is_followed_and_errors_shrink() -> None:
    chance = np.random.default_rng(2)
    truth = np.array([2.0, 0.4, 0.7, 0.09, 0.01, 0.2, 0.9])
    rows = chance.random((400, len(STAGES))) * np.array([1e4, 1e4, 1e4, 1e6, 1e6, 1e5, 1e5])
    seen = [Observation(tuple(r), float(r @ truth * chance.normal(1, 0.02))) for r in rows]
    found = fit(seen, noise=0.02)
    for stage, value in zip(STAGES, truth, strict=True):
        fitted = getattr(found, stage)
        assert fitted.error_us <= getattr(PRIOR, stage).error_us
        assert abs(fitted.us - value) <= 4 * fitted.error_us
    assert found.probe.us == pytest.approx(0.09, rel=0.1)


def test_collinear_records_move_the_sum_and_not_what_cannot_be_told_apart() -> None:
    """Each record is decoded and tagged: only the sum of both costs shows."""
    seen = [Observation((1000.0, 1000.0, 0, 0, 0, 0, 0), 5000.0)] * 50
    found = fit(seen)
    assert found.decode.us + found.tag.us == pytest.approx(5.0, rel=0.02)
    together = found.error_us([1000.0, 1000.0, 0, 0, 0, 0, 0])
    assert together < 0.2 * 1000 * (found.decode.error_us + found.tag.error_us)
    assert found.probe.us == pytest.approx(PRIOR.probe.us)


@settings(max_examples=1000, deadline=None)
@given(st.lists(observations, max_size=6))
def test_no_coefficient_is_below_zero_or_less_certain_than_the_prior(seen: list[Observation]) -> None:
    found = fit(seen)
    for stage in STAGES:
        assert getattr(found, stage).us >= 0
        assert getattr(found, stage).error_us <= getattr(PRIOR, stage).error_us * (1 + 1e-6)


def test_records_that_are_not_sure_do_not_pull_their_coefficient_to_zero() -> None:
    """Counts that are half wrong, as those of a thin sample: the fit must not believe that pairs are cheap."""
    chance = np.random.default_rng(4)
    truth, pairs = 0.08, 10_000.0
    seen, believed = [], []
    for _ in range(200):
        wrong = pairs * max(0.0, chance.normal(1, 0.6))
        row = (0.0, 0.0, 0.0, wrong, 0.0, 0.0, 0.0)
        seen.append(Observation(row, pairs * truth, (0.0, 0.0, 0.0, 0.6 * wrong, 0.0, 0.0, 0.0)))
        believed.append(Observation(row, pairs * truth))
    prior = replace(PRIOR, probe=Coefficient(truth, 0.01))
    assert fit(believed, prior).probe.us < 0.9 * truth, "taken at their word they do"
    assert fit(seen, prior).probe.us > fit(believed, prior).probe.us
