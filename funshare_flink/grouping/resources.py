"""The Resource Manager: how many task slots a group gets (paper, section IV; design, section 5).

The fewest that carry the group's input with head-room, and never more than its members would have alone together: the
second promise holds by construction.
"""

from __future__ import annotations

from funshare_flink.estimate.load import GroupLoad


def slots_for(load: GroupLoad, most: int, headroom: float, peak_factor: float = 1.0) -> int:
    """Slots for a group, 1 to `most`.

    most         what its members would have alone together
    headroom     share of each slot that is to stay free, 0 to below 1
    peak_factor  the window's highest input rate over the present one: a group is sized for its peak

    A tail that uses only some subtasks at once gains nothing from more slots; then as many as carry the rest.
    """
    usable = 1.0 - headroom
    wanted = max(1, load.slots_needed(usable))
    if peak_factor > 1.0:
        while wanted < most and not carries(load, wanted, usable, peak_factor):
            wanted += 1
    while wanted < most and _gains_from_more(load, wanted, usable):
        wanted += 1
    return min(most, wanted)


def carries(load: GroupLoad, slots: int, usable: float, factor: float = 1.0) -> bool:
    """Whether `slots` carry `factor` times the present input rate."""
    return load.sustained_factor(slots, usable) >= factor * (1 - 1e-9)


def _gains_from_more(load: GroupLoad, slots: int, usable: float) -> bool:
    """Not enough yet, and one slot more would help: a tail runs in every slot up to its own limit."""
    now = load.sustained_factor(slots, usable)
    return now < 1 - 1e-9 and load.sustained_factor(slots + 1, usable) > now * (1 + 1e-9)
