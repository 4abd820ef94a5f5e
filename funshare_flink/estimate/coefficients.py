"""µs of CPU per record and stage, fitted on this cluster's own busy times and kept with their errors.

    busy(group) = sum over stages of records(stage) * coefficient(stage)

The paper's Load Estimator (section IV-D) rests on such a model per cluster; its authors' constants are of their machine
and must not be copied (background, section 5b). Before anything is measured a prior stands in, wide enough to be moved
by the first readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Coefficient:
    """µs of CPU per record, with its standard error in the same unit."""

    us: float
    error_us: float


@dataclass(frozen=True)
class Coefficients:
    """One per stage.

    decode       a record read from Kafka        tag          a record's filters evaluated
    insert       a record put into join state    probe        a pair looked at by the join, wanted or not
    route_check  a joined row looked at by one member's route
    routed       a row handed to a member        tail         a row in a member's tail that was not measured
    """

    decode: Coefficient
    tag: Coefficient
    insert: Coefficient
    probe: Coefficient
    route_check: Coefficient
    routed: Coefficient
    tail: Coefficient

    def error_us(self, records: Sequence[float]) -> float:
        """Standard error of sum(records x coefficient), µs; `records` in the order of `STAGES`."""
        errors = np.array([getattr(self, s).error_us for s in STAGES])
        return float(np.sqrt(((np.array(records) * errors) ** 2).sum()))


STAGES = tuple(f.name for f in fields(Coefficients))


@dataclass(frozen=True)
class FittedCoefficients(Coefficients):
    """Coefficients that were fitted together.

    `covariance` ([stages, stages], µs²): their errors depend on each other, so a load is often known better than its
    parts.
    """

    covariance: tuple[tuple[float, ...], ...] = ()

    def error_us(self, records: Sequence[float]) -> float:
        r = np.array(records, dtype=float)
        return float(np.sqrt(max(0.0, r @ np.array(self.covariance) @ r)))


PRIOR = Coefficients(
    decode=Coefficient(1.5, 1.0),
    tag=Coefficient(0.2, 0.2),
    insert=Coefficient(1.0, 1.0),
    probe=Coefficient(0.05, 0.05),
    route_check=Coefficient(0.02, 0.02),
    routed=Coefficient(0.3, 0.3),
    tail=Coefficient(0.5, 0.5),
)
"""Orders of magnitude of Flink 2.2 on one core of a server (JSON, heap state); the errors say that no more is known."""


@dataclass(frozen=True)
class Observation:
    """One group over one window: records per stage (in the order of `STAGES`) and the µs that its tasks were busy.

    `errors`: standard errors of the records, where they were estimated. An equation is worth as little as its records
    are sure: taken at their word, counts with errors would pull their coefficient towards zero (attenuation).
    """

    records: tuple[float, ...]
    busy_us: float
    errors: tuple[float, ...] = ()


def fit(observations: Sequence[Observation], prior: Coefficients = PRIOR, noise: float = 0.1) -> Coefficients:
    """Least squares towards the prior, none below zero.

    noise: relative standard error of one observed busy time. Each coefficient's prior error is the weight with which it
    is held back (ridge regression), so too few or collinear observations leave it where it was. The error returned is
    the posterior's; it never exceeds the prior's.

    Solved in units of the prior's errors, y = (coefficient - prior) / prior error: there the normal matrix is
    I + A'A, whose eigenvalues are at least 1 whatever was observed.
    """
    if not observations:
        return prior
    start = np.array([getattr(prior, s).us for s in STAGES])
    spread = np.array([getattr(prior, s).error_us for s in STAGES])
    records = np.array([o.records for o in observations], dtype=float)
    busy = np.array([o.busy_us for o in observations], dtype=float)
    expected = records @ start
    unsure = np.array([o.errors or (0.0,) * len(STAGES) for o in observations], dtype=float) * start
    spread_of = np.hypot(noise * np.maximum(busy, expected), np.sqrt((unsure**2).sum(axis=1)))
    weight = 1.0 / np.maximum(spread_of, 1e-6)
    rows = records * spread * weight[:, None]
    values, vectors = np.linalg.eigh(np.eye(len(STAGES)) + rows.T @ rows)
    values = np.maximum(values, 1.0)
    matrix = (vectors * values) @ vectors.T
    least = np.where(spread > 0, -start / np.where(spread > 0, spread, 1.0), 0.0)
    moved = _bounded(matrix, rows.T @ ((busy - expected) * weight), least)
    covariance = ((vectors / values) @ vectors.T) * np.outer(spread, spread)
    errors = np.minimum(np.sqrt(np.maximum(np.diag(covariance), 0.0)), spread)
    found = np.maximum(start + spread * moved, 0.0)
    named = {s: Coefficient(float(v), float(e)) for s, v, e in zip(STAGES, found, errors, strict=True)}
    return FittedCoefficients(**named, covariance=tuple(tuple(float(c) for c in row) for row in covariance))


def _bounded(
    matrix: NDArray[np.float64], right: NDArray[np.float64], least: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise y'Ay/2 - b'y over y >= least by cyclic coordinate descent; A is positive definite, so it converges."""
    y = np.maximum(np.linalg.solve(matrix, right), least)
    for _ in range(1000):
        before = y.copy()
        for i in range(len(y)):
            y[i] = max(least[i], y[i] + (right[i] - matrix[i] @ y) / matrix[i, i])
        if np.allclose(y, before, rtol=1e-10, atol=1e-12):
            break
    return y
