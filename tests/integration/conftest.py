"""Tests of this folder may ask for the live cluster."""

from tests.live import live_cluster

__all__ = ["live_cluster"]
