"""Identities. Types carry the identity, names carry the unit."""

from __future__ import annotations

from typing import NewType

QueryName = NewType("QueryName", str)
"""A query's name in its workload: its sink's name, or `sink#2` for the second INSERT into one sink."""

GroupId = NewType("GroupId", str)
"""A sharing group's name in its workload, stable for a set of members within one grouping."""

ShareClassId = NewType("ShareClassId", str)
"""Short stable digest of everything that must be equal for two queries to share their join."""

JobId = NewType("JobId", str)
"""Flink's job id, 32 hex digits."""
