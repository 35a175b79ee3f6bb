"""Two texts word by word: nothing is lost, nothing is invented, what is alike is told as alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.report.policy.diff import COME, GONE, SAME, context, share_kept, stretches, words

TEXTS = st.text(alphabet='ab ()[],"\n', max_size=30)


@given(TEXTS, TEXTS)
def test_the_stretches_are_both_texts(before: str, after: str) -> None:
    row = stretches(before, after)
    assert "".join(text for kind, text in row if kind != COME) == before
    assert "".join(text for kind, text in row if kind != GONE) == after
    assert 0 <= share_kept(row) <= 1
    assert (share_kept(row) == 1) == (before == after)


@given(TEXTS)
def test_words_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("a >= 3", "a > 3", "a [>=]{>} 3"),
        ("a and b", "a or b", "a [and]{or} b"),
        ("f(x, y)", "f(x)", "f(x[, y])"),
        ('["a", "b"]', '["a", "c", "b"]', '["a", "{c", "}b"]'),
        ("one two three", "four five six", "[one two three]{four five six}"),
    ],
)
def test_what_goes_and_what_comes(before: str, after: str, wanted: str) -> None:
    marks = {SAME: "%s", GONE: "[%s]", COME: "{%s}"}
    assert "".join(marks[kind] % text for kind, text in stretches(before, after)) == wanted


def test_far_from_a_change_words_are_left_out() -> None:
    many = " ".join(f"w{n}" for n in range(40))
    row = context(stretches(f"{many} x {many}", f"{many} y {many}"))
    shown = "".join(text for _, text in row)
    assert shown.startswith("… w35")
    assert shown.endswith("w4 …")
    assert ("x" in shown, "y" in shown) == (True, True)


def test_very_long_texts_are_compared_by_their_ends() -> None:
    many = " ".join(f"w{n}" for n in range(20_000))
    row = stretches(f"{many} x", f"{many} y")
    assert row[-2:] == ((GONE, "x"), (COME, "y"))
    assert stretches(many, many[::-1])
