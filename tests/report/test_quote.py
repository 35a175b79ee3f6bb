"""Quoted lines and their carets, on tabs, wide characters and very long lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.report.diagnostics import quote
from exitgate.report.terminal import Style, columns, cut, expand, wrap

PLAIN = Style(False, 80)


def marked(line: str, start: int, end: int, width: int = 80) -> tuple[str, int, int]:
    """Return the quoted text and the columns its marks begin and end at."""
    shown, under = quote(line, start, end, Style(False, width), gutter="1", gutter_width=1)
    body, marks = shown[4:], under[4:]
    return body, len(marks) - len(marks.lstrip()), len(marks)


@pytest.mark.parametrize(
    ("line", "start", "end", "column", "last"),
    [
        ("plain text", 6, 10, 6, 10),
        ("\ttab", 1, 4, 4, 7),
        ("ab\tcd", 3, 5, 4, 6),
        ("空の行 error", 4, 9, 7, 12),
        ("e\u0301te\u0301 fini", 6, 10, 4, 8),
        ("\x1b[2J wipe", 5, 9, 8, 12),
        ("empty", 5, 5, 5, 6),
    ],
)
def test_carets_stand_under_what_they_mean(line: str, start: int, end: int, column: int, last: int) -> None:
    assert marked(line, start, end)[1:] == (column, last)


def test_a_long_line_is_shown_around_the_mark() -> None:
    body, column, last = marked("x" * 5000 + "HERE" + "y" * 5000, 5000, 5004)
    assert body[column:last] == "HERE"
    assert body.startswith("…")
    assert body.endswith("…")
    assert columns(body) <= 76


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 300), st.integers(30, 100))
@settings(max_examples=200, deadline=None)
def test_no_line_is_wider_than_asked(line: str, start: int, length: int, width: int) -> None:
    for shown in quote(line, start, start + length, Style(False, width), gutter="12", gutter_width=2):
        assert columns(shown) <= width


@given(st.text(st.sampled_from("ab 空\u0301"), max_size=200), st.integers(10, 60))
@settings(max_examples=200, deadline=None)
def test_wrapping_loses_no_word(text: str, width: int) -> None:
    words = " ".join(line[2:] for line in wrap(text, width, "> ", "  ")).split()
    assert words == text.split()


@given(st.text(max_size=60), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_cut_fits(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width


def test_tabs_expand_to_stops() -> None:
    assert expand("\ta\tb") == "    a   b"
