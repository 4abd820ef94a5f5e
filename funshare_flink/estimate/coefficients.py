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
    """One group over one window: records per stage (in the order of `STAGES`) and the µs that its tasks were busy."""

    records: tuple[float, ...]
    busy_us: float


def fit(observations: Sequence[Observation], prior: Coefficients = PRIOR, noise: float = 0.1) -> Coefficients:
    """Least squares towards the prior, none below zero.

    noise: relative standard error of one observed busy time. Each coefficient's prior error is the weight with which it
    is held back (ridge regression), so too few or collinear observations leave it where it was. The error returned is
    the posterior's.
    """
    if not observations:
        return prior
    records = np.array([o.records for o in observations], dtype=float)
    busy = np.array([o.busy_us for o in observations], dtype=float)
    weight = 1.0 / np.maximum(noise * np.abs(busy), 1e-9)
    start = np.array([getattr(prior, s).us for s in STAGES])
    precision = 1.0 / np.maximum(np.array([getattr(prior, s).error_us for s in STAGES]), 1e-12) ** 2
    matrix = (records * weight[:, None]).T @ (records * weight[:, None]) + np.diag(precision)
    right = (records * weight[:, None]).T @ (busy * weight) + precision * start
    values = _not_negative(matrix, right)
    covariance = np.linalg.inv(matrix)
    errors = np.sqrt(np.diag(covariance))
    named = {s: Coefficient(float(v), float(e)) for s, v, e in zip(STAGES, values, errors, strict=True)}
    return FittedCoefficients(**named, covariance=tuple(tuple(float(c) for c in row) for row in covariance))


def _not_negative(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minimise x'Ax/2 - b'x over x >= 0 by cyclic coordinate descent; A is positive definite, so it converges."""
    x = np.maximum(np.linalg.solve(matrix, right), 0.0)
    for _ in range(1000):
        before = x.copy()
        for i in range(len(x)):
            x[i] = max(0.0, x[i] + (right[i] - matrix[i] @ x) / matrix[i, i])
        if np.allclose(x, before, rtol=1e-10, atol=1e-15):
            break
    return x
