"""Query sets in words: which word and which bit are whose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.plan.members import BitLayout, Member
from tests.plan.golden_plans import shareable

BITS = st.sets(st.integers(0, 400), min_size=1, max_size=12)


def layout(bits: set[int]) -> BitLayout:
    query = shareable("interval", "near_plain")
    return BitLayout.of([Member(query, bit, number) for number, bit in enumerate(bits)])


@given(BITS)
def test_a_word_is_carried_when_a_member_has_a_bit_in_it(bits: set[int]) -> None:
    assert layout(bits).words == tuple(sorted({b // 64 for b in bits}))


@given(BITS)
def test_mask_and_word_find_the_bit_again(bits: set[int]) -> None:
    found = layout(bits)
    for bit in bits:
        carried = found.carried_bit(bit)
        mask = found.mask(bit)
        assert -(2**63) <= mask < 2**63
        assert mask % 2**64 == 1 << (carried % 64)
        assert found.word(bit) == carried // 64
        assert carried % 64 == bit % 64


@given(BITS)
def test_no_two_members_have_one_bit(bits: set[int]) -> None:
    assert len({layout(bits).carried_bit(b) for b in bits}) == len(bits)


def test_the_sign_bit_is_a_negative_mask() -> None:
    assert layout({63}).mask(63) == -(2**63)
    assert layout({62}).mask(62) == 2**62
    assert layout({3, 700}).words == (0, 10)
