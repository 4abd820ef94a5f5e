"""Sets of sampled rows as bits: bit r % 64 of word r // 64 stands for row r."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from funshare_flink.estimate.sample import Bitmaps

Words = NDArray[np.uint64]


def packed(rows: NDArray[np.bool_]) -> Bitmaps:
    """[..., rows] truth values as [..., words]."""
    as_bytes = np.packbits(rows, axis=-1, bitorder="little")
    words = np.zeros((*rows.shape[:-1], -(-rows.shape[-1] // 64) * 8), dtype=np.uint8)
    words[..., : as_bytes.shape[-1]] = as_bytes
    return words.view("<u8").astype(np.uint64)


def unpacked(words: Words, rows: int) -> NDArray[np.bool_]:
    """[..., words] as [..., rows] truth values."""
    as_bytes = np.ascontiguousarray(words.astype("<u8")).view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, bitorder="little", count=rows).astype(bool)


def union(bitmaps: Bitmaps, which: NDArray[np.intp]) -> Words:
    """[words] the rows that any of these queries wants."""
    return np.bitwise_or.reduce(bitmaps[which], axis=0)  # type: ignore[no-any-return]


def count(words: Words) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(words).sum())
