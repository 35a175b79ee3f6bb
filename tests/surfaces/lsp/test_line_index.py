"""Positions as editors count them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.surfaces.lsp.document import UTF_8, UTF_16, UTF_32, LineIndex

TEXT = st.text(st.sampled_from("a: \n\r\t漢é😀\u2028\x0b\ufeff"), max_size=40)
BYTES = {UTF_8: ("utf-8", 1), UTF_16: ("utf-16-le", 2), UTF_32: ("utf-32-le", 4)}


@given(TEXT, st.sampled_from(sorted(BYTES)))
@settings(max_examples=50, deadline=None)
def test_every_offset_is_a_position_and_back(text: str, encoding: str) -> None:
    sheet = LineIndex(text, encoding)
    codec, width = BYTES[encoding]
    lines = text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
    for offset in range(len(text) + 1):
        line, column = sheet.position(offset)
        start = sheet.start_of(line)
        # Columns are what an encoder makes of the characters before.
        assert column == len(text[start:offset].encode(codec)) // width
        inside = offset <= sheet.end_of(line)
        assert sheet.offset(line, column) == (offset if inside else sheet.end_of(line))
    assert sheet.lines == text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1 <= len(lines)


def test_an_emoji_is_two_columns_wide_in_utf_16() -> None:
    sheet = LineIndex("x: 😀漢b\ny")
    assert sheet.position(4) == (0, 5)
    assert sheet.position(5) == (0, 6)
    assert sheet.offset(0, 5) == 4
    assert sheet.offset(0, 4) == 3  # between the two units of the emoji


@pytest.mark.parametrize(
    ("line", "column", "offset"), [(0, 99, 1), (1, 0, 2), (5, 5, 3), (-1, 0, 0), (1, 9, 3)]
)
def test_what_is_outside_is_moved_in(line: int, column: int, offset: int) -> None:
    assert LineIndex("a\nb").offset(line, column) == offset


def test_places_of_diagnostics_count_characters() -> None:
    from exitgate.core.model.diagnostic import Location

    sheet = LineIndex("k: 😀 x\n")
    assert sheet.span(Location("f", 1, 4, 1, 5)) == (3, 4)
    assert sheet.span(Location("f", 9, 4, 9, 5)) == (len("k: 😀 x\n"),) * 2
