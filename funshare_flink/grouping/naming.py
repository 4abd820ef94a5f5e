"""Names of groups: the same members have the same name, whatever way they came together."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from funshare_flink.model.ids import GroupId, QueryName, ShareClassId


def group_id(share_class: ShareClassId | None, members: Sequence[QueryName]) -> GroupId:
    """A query alone gives its group its own name; several are named after their class and a digest of their names.

    >>> group_id(ShareClassId("06cb9e37f1"), [QueryName("b"), QueryName("a")])
    'share-06cb9e37f1-ef0790fb'
    """
    if len(members) == 1:
        return GroupId(str(members[0]))
    digest = zlib.crc32("\n".join(sorted(members)).encode())
    return GroupId(f"share-{share_class}-{digest:08x}" if share_class else f"group-{digest:08x}")
