"""The `InputSampler` port over a simulated world: rows drawn from what streams in now."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.bits import packed
from funshare_flink.estimate.sample import ClassSample, SamplingDesign, SideSample, Within
from funshare_flink.model.ids import QueryName, ShareClassId
from funshare_flink.sim.cluster import SimCluster

RANGE_S = 600.0
"""Event time that a sample spans."""

MOST_SHARE = 0.02
"""Share of the input that is looked at, at most."""


class SimSampler:
    """Draws `Noise.sample_rows` rows a side, at most 2 % of what streams in, by the world's seed and the time."""

    def __init__(self, cluster: SimCluster) -> None:
        self._cluster = cluster

    def sample(self, share_class: ShareClassId, queries: tuple[QueryName, ...], now_s: float) -> ClassSample | None:
        world, phase = self._cluster.world, self._cluster.phase()
        total = round(phase.rate_rps * RANGE_S)
        rows = min(world.noise.sample_rows, int(total * MOST_SHARE))
        if rows <= 0:
            return None
        chance = np.random.default_rng([world.seed, round(now_s * 1000)])
        ranges = {q.name: (q.left, q.right) for q in world.queries}
        sides = []
        for number, weights in enumerate((phase.left, phase.right)):
            kept = [ranges[q][number] for q in queries]
            sides.append(self._side(chance, rows, total, np.array(weights), kept))
        half_ms = round(1000 * world.join.bound_s)
        design = SamplingDesign(1.0, rows / total)
        return ClassSample(share_class, queries, sides[0], sides[1], design, Within(-half_ms, half_ms), RANGE_S)

    def _side(
        self,
        chance: np.random.Generator,
        rows: int,
        total: int,
        weights: NDArray[np.float64],
        kept: list[tuple[int, int]],
    ) -> SideSample:
        values = chance.choice(len(weights), size=rows, p=weights)
        bounds = np.array(kept)
        bitmaps = packed((values >= bounds[:, :1]) & (values <= bounds[:, 1:]))
        keys = chance.integers(0, self._cluster.world.join.keys, rows)
        times = np.sort(chance.integers(0, round(1000 * RANGE_S), rows))
        return SideSample(bitmaps, keys, times, total)
