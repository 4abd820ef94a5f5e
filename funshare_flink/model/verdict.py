"""What `funshare check` says of one query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from funshare_flink.model.errors import SourceLocation
from funshare_flink.model.ids import QueryName, ShareClassId


class VerdictKind(Enum):
    """`shareable`: may run in a group; `isolated`: right alone; `rejected`: Flink or FunShare refuses it."""

    SHAREABLE = "shareable"
    ISOLATED = "isolated"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one query.

    `left`, `right`: filters per side for people, in the share class's orientation. `residual`: conditions over
    both sides that the route checks. `notes`: what an operator should know (unbounded state, materialised upserts).
    """

    query: QueryName
    kind: VerdictKind
    reason: str
    location: SourceLocation
    share_class: ShareClassId | None = None
    left: str = ""
    right: str = ""
    residual: str = ""
    notes: tuple[str, ...] = ()
