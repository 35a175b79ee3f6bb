"""The YAML 1.2 core schema, and what YAML 1.1 would have said."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.policy.yaml.scalars import resolve, surprise


@each(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("true", True), ("False", False), ("0", 0), ("-7", -7),
        ("+7", 7), ("0o17", 15), ("0xFf", 255), ("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0),
        ("-2E-2", -0.02), ("no", "no"), ("on", "on"), ("y", "y"), ("1:30", "1:30"), ("014", "014"),
        ("1_000", "1_000"), ("2026-12-31", "2026-12-31"), ("1.0.0", "1.0.0"), ("-", "-"), (".", "."),
        ("1e", "1e"), ("0x", "0x"), ("0o8", "0o8"), ("+", "+"), ("nULL", "nULL"), ("\u0661", "\u0661"),
        ("e3", "e3"), ("--1", "--1"), ("0b1", "0b1"),
    ],
)  # fmt: skip
def test_resolve(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.nan", "1e999", "9" * 301, "-" + "9" * 400])
def test_numbers_that_cannot_be_held(text: str) -> None:
    with pytest.raises(OverflowError):
        resolve(text)


@given(st.text(alphabet="+-.0123456789eEoxa_:", max_size=12))
def test_resolve_never_fails_otherwise(text: str) -> None:
    try:
        value = resolve(text)
    except OverflowError:
        return
    assert value is None or isinstance(value, str | int | float)
    if isinstance(value, int | float):
        assert value == float(value)


@pytest.mark.parametrize(
    ("text", "wanted", "part"),
    [
        ("yes", "bool", "`true`"), ("No", "bool", "`false`"), ("OFF", "bool", "`false`"),
        ("y", "bool", "`true`"),
        ("1:30", "number", "as 90,"), ("2:0:0", "number", "as 7200,"), ("014", "number", "base 8"),
        ("1_000", "number", "`1000`"),
    ],
)  # fmt: skip
def test_surprise(text: str, wanted: str, part: str) -> None:
    assert part in surprise(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("maybe", "bool"), ("3", "bool"), ("abc", "number"), ("", "number"), ("1:x", "number")],
)
def test_no_surprise(text: str, wanted: str) -> None:
    assert surprise(text, wanted) == ""
