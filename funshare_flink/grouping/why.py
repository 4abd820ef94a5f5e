"""One query's story, told from a decision: `funshare plan --why QUERY` and the history print these lines.

Everything is in the decision; nothing is computed again, so what is told is what was decided on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from funshare_flink.estimate.load import SLOT_US_PS
from funshare_flink.grouping.decision import Decision, MergeCost, Rejected, Step
from funshare_flink.model.errors import BadInputError
from funshare_flink.model.grouping import Group
from funshare_flink.model.ids import QueryName

_NAMED = 4
"""Of larger groups only the first names are printed, with how many there are."""


def story(decision: Decision, query: str) -> tuple[str, ...]:
    """Where the query ends, then every step that moved it or its group, in order, then the best that was not done.

    Raises BadInputError for a query that the decision does not hold.
    """
    group = decision.grouping.group_of(query)
    if group is None:
        known = ", ".join(sorted(m for g in decision.grouping.groups for m in g.members)[:10])
        raise BadInputError(f"no query is named {query}; there are: {known or 'none'}")
    name = QueryName(query)
    lines = [_outcome(group, name, decision.grouping.strategy)]
    number = 0
    for step in decision.steps:
        if _concerns(step, name):
            number += 1
            lines += [f"{number}. {line}" if i == 0 else f"   {line}" for i, line in enumerate(_told(step, name))]
    if number == 0:
        lines.append("nothing was done about it")
    members = set(group.members)
    for rejected in decision.rejected:
        if name in rejected.queries and (rejected.cost is None or rejected.queries[0] in members):
            lines += _not_done(rejected)
    return tuple(lines)


def _outcome(group: Group, query: QueryName, strategy: str) -> str:
    if not group.is_shared:
        return f"{query} runs alone on {_slots(group.slots)} (strategy {strategy}): {group.reason}"
    others = listed([m for m in group.members if m != query])
    where = f"{query} runs in group {group.id} with {others}, on {_slots(group.slots)}"
    return f"{where} (strategy {strategy}): {group.reason}"


def _concerns(step: Step, query: QueryName) -> bool:
    return query in step.queries or (step.cost is not None and query in (*step.cost.first, *step.cost.second))


def _told(step: Step, query: QueryName) -> list[str]:
    """A step in a headline and the figures that it rests on."""
    if step.cost is None:
        figures = "; ".join(f"{name} {_figure(value)}" for name, value in step.numbers)
        return [f"{step.kind} {step.group}: {step.because}"] + ([f"  {figures}"] if figures else [])
    mine, other = (step.cost.first, step.cost.second)
    if query not in mine:
        mine, other = other, mine
    headline = f"merge: {listed(mine)} with {listed(other)}"
    threshold = next((v for n, v in step.numbers if n == "threshold"), None)
    return [headline, *cost_lines(step.cost, threshold)]


def cost_lines(cost: MergeCost, threshold: float | None = None) -> list[str]:
    """GroupingCost with all its inputs, so that a reader can compute it again."""
    loads = f"{_load(cost.load_first)} and {_load(cost.load_second)} apart, {_load(cost.load_union)} together"
    slots = f"{cost.slots_first} ({cost.idle_first:.1%} idle) and {cost.slots_second} ({cost.idle_second:.1%} idle)"
    one, two = (cost.slots_first, cost.idle_first), (cost.slots_second, cost.idle_second)
    lines = [
        f"  {_group_name(cost.first)} and {_group_name(cost.second)}: load in slots {loads}; slots {slots}",
        f"  into the first: {_direction((cost.load_union, cost.load_first), cost.into_first, one, two)}",
        f"  into the second: {_direction((cost.load_union, cost.load_second), cost.into_second, two, one)}",
    ]
    verdict = ""
    if threshold is not None:
        verdict = f", {'below' if cost.cost < threshold else 'not below'} the threshold of {threshold:g}"
    return [*lines, f"  cost, the larger of both: {cost.cost:.3f}{verdict}"]


def _direction(loads: tuple[float, float], cost: float, mine: tuple[int, float], theirs: tuple[int, float]) -> str:
    """One direction as the formula with its figures (see `cost`)."""
    union, own = (us / SLOT_US_PS for us in loads)
    extra = f"({union:.3f} - {own:.3f}) / {union:.3f}"
    return f"({extra}) / (({theirs[0]} + {mine[1]:.3f} x {mine[0]}) / {mine[0] + theirs[0]}) = {cost:.3f}"


def _group_name(members: Sequence[QueryName]) -> str:
    return members[0] if len(members) == 1 else f"{members[0]}'s group"


def _not_done(rejected: Rejected) -> list[str]:
    lines = [f"not done: {rejected.because}"]
    return lines + (cost_lines(rejected.cost) if rejected.cost is not None else [])


def listed(names: Sequence[str] | Iterable[str]) -> str:
    """
    >>> listed(["a", "b"])
    'a, b'
    >>> listed(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    found = list(names)
    rest = len(found) - _NAMED
    return ", ".join(found) if rest <= 0 else f"{', '.join(found[:_NAMED])} and {rest} more"


def _slots(count: int) -> str:
    return f"{count} slot" if count == 1 else f"{count} slots"


def _load(us_ps: float) -> str:
    return f"{us_ps / SLOT_US_PS:.3f}"


def _figure(value: float) -> str:
    return f"{value:.6g}"
