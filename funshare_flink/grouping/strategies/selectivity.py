"""Selectivity sharing: queries of the same selectivity class on each input share (SWO, the paper's [16], section II).

Each access of a query is high (H) or low (L), and queries that are alike on both inputs share one plan. Which rows they
have in common is not looked at: a hundred queries of 1 % each are all L, though together they may want every row.

Where H begins is a parameter (`Knowledge.high_selectivity`; 0.5: a filter that passes at least half of the rows). The
paper does not name its value; at 0.5 all queries of its W1 (1 to 20 %) fall into one class, which is what its figures
show: there this strategy costs about as much as full sharing.
"""

from __future__ import annotations

from collections.abc import Sequence

from funshare_flink.grouping.knowledge import Knowledge
from funshare_flink.grouping.strategies.sharing import Part, need, shared_grouping
from funshare_flink.model.grouping import Candidate, Grouping
from funshare_flink.model.ids import ShareClassId


def selectivity_sharing(
    candidates: tuple[Candidate, ...], knowledge: Knowledge | None = None, constrained: bool = False
) -> Grouping:
    name = "selectivity-constrained" if constrained else "selectivity"
    return shared_grouping(name, candidates, need(name, knowledge), by_selectivity, constrained)


def by_selectivity(share_class: ShareClassId, members: Sequence[Candidate], knowledge: Knowledge) -> list[Part]:
    """One part for each of HH, HL, LH, LL that has members; queries of unknown selectivity stay alone."""
    parts: dict[str, list[Candidate]] = {}
    apart: list[Part] = []
    for member in members:
        passed = knowledge.loads[share_class].selectivity(member.name)
        if passed is None:
            apart.append(Part((member,), "its selectivity is not known"))
        else:
            kind = "".join("H" if share >= knowledge.high_selectivity else "L" for share in passed)
            parts.setdefault(kind, []).append(member)
    return [Part(tuple(m), f"selectivity class {kind} (left, right)") for kind, m in sorted(parts.items())] + apart
