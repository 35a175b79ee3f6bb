"""Room for texts, and which iterations of a long run are shown."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.page.room import cap, left_out, shown_columns


@settings(max_examples=50)
@given(st.lists(st.integers(0, 10_000), max_size=40), st.integers(0, 100_000))
def test_all_texts_together_fit(sizes: list[int], total: int) -> None:
    most = cap(sizes, total, 0)
    assert sum(min(size, most) for size in sizes) <= total or most == 0
    if sum(sizes) <= total:
        assert most >= max(sizes, default=0)


def test_short_texts_leave_their_room_to_long_ones() -> None:
    assert cap([10, 10, 1000, 1000], 420, 0) == 200
    assert cap([10, 10, 1000, 1000], 20, 50) == 50


def test_a_short_run_is_shown_whole() -> None:
    assert shown_columns(5, [3], 10) == (1, 2, 3, 4, 5)
    assert left_out((1, 2, 3, 4, 5), 5) == ""


def test_a_long_run_is_shown_at_its_ends_and_around_stops() -> None:
    shown = shown_columns(1000, [500], 40)
    assert len(shown) == 40
    assert shown[:10] == tuple(range(1, 11))
    assert shown[-10:] == tuple(range(991, 1001))
    assert {490, 500, 509} < set(shown)
    assert left_out(shown, 1000) == "11-489, 510-990"


@settings(max_examples=50)
@given(st.integers(1, 3000), st.lists(st.integers(1, 3000), max_size=3), st.integers(8, 300))
def test_never_more_than_asked_and_never_outside(count: int, anchors: list[int], most: int) -> None:
    shown = shown_columns(count, anchors, most)
    assert len(shown) <= most
    assert list(shown) == sorted(set(shown))
    assert shown[0] == 1
    assert shown[-1] == count
