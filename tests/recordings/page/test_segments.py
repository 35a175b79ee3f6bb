"""Texts cut into what is evidence, what is not, and what is left out."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.page.iterations import segments
from exitgate.recordings.page.view import Segment

TEXTS = st.text(max_size=400)
SPANS = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 60), st.booleans()).map(
        lambda s: (s[0], s[0] + s[1], s[2])
    ),
    max_size=6,
)


@settings(max_examples=50)
@given(TEXTS, SPANS)
def test_with_room_nothing_is_lost_or_moved(text: str, spans: list[tuple[int, int, bool]]) -> None:
    numbered = [(start, end, number, counts) for number, (start, end, counts) in enumerate(spans, 1)]
    found = segments(text, numbered, len(text))
    assert "".join(part.text for part in found) == text
    at = 0
    for part in found:
        over = {s[3] for s in numbered if s[0] <= at and at + len(part.text) <= s[1]}
        assert part.kind == ("text" if not over else "counted" if True in over else "refused")
        at += len(part.text)


@settings(max_examples=50)
@given(st.integers(500, 5000), st.integers(100, 400), SPANS)
def test_without_room_the_gaps_say_how_much_is_missing(
    length: int, room: int, spans: list[tuple[int, int, bool]]
) -> None:
    text = "x" * length
    numbered = [(start, end, number, counts) for number, (start, end, counts) in enumerate(spans, 1)]
    found = segments(text, numbered, room)
    shown = sum(len(part.text) for part in found if part.kind != "gap")
    missing = sum(int(part.text.split()[0].replace(",", "")) for part in found if part.kind == "gap")
    assert shown + missing == length
    assert shown <= room + 60 * len(found)


def test_the_end_and_the_evidence_are_kept() -> None:
    text = "a" * 3000 + "EVIDENCE" + "b" * 3000 + "the end"
    found = segments(text, [(3000, 3008, 1, True)], 1000)
    assert Segment("counted", "EVIDENCE", (1,)) in found
    assert found[-1].text.endswith("the end")
    assert [part.kind for part in found].count("gap") == 2


def test_marks_that_overlap_are_split_and_keep_their_numbers() -> None:
    found = segments("one two three", [(0, 7, 1, True), (4, 13, 2, False)], 100)
    assert found == (
        Segment("counted", "one "),
        Segment("counted", "two", (1,)),
        Segment("refused", " three", (2,)),
    )


def test_a_gap_of_several_lines_counts_them() -> None:
    (gap,) = (part for part in segments("line\n" * 1000, [], 200) if part.kind == "gap")
    assert gap.text.endswith("lines left out")
