"""Tables for people: what is wider than the terminal goes on below, with what each row is about."""

from __future__ import annotations

from exitgate.recordings.reports.columns import aligned
from exitgate.report.terminal import Style

HEAD = ("name", "first", "second", "third")
ROWS = [("a", "1", "22", "333"), ("longer", "4444", "5", "6")]


def test_a_table_that_fits_is_one() -> None:
    assert aligned(HEAD, ROWS, Style(width=28)) == [
        "name    first  second  third",
        "a           1      22    333",
        "longer   4444       5      6",
    ]


def test_a_wider_one_is_cut_between_columns() -> None:
    assert aligned(HEAD, ROWS, Style(width=27)) == [
        "name    first  second",
        "a           1      22",
        "longer   4444       5",
        "",
        "name    third",
        "a         333",
        "longer      6",
    ]


def test_two_columns_that_say_what_a_row_is_about() -> None:
    lines = aligned(HEAD, ROWS, Style(width=10), left=2, key=2)
    assert lines[0] == "name    first  second"
    assert lines[4] == "name    first  third"
    assert lines[6] == "longer  4444       6"
