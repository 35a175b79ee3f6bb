"""Folding keeps offsets; boundaries and tokens hold for any text."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from exitgate.core.facts.text import words

ANY = st.text(st.characters(codec=None), max_size=60)


@settings(max_examples=300, deadline=None)
@given(ANY)
@example("İSTANBUL ẞ ﬁ Σς ŉ ǰ")
@example("\ud800x\udfff\x00")
def test_folding_keeps_every_offset(text: str) -> None:
    folded = words.fold(text)
    assert len(folded) == len(text)
    for at, letter in enumerate(text):
        if letter.isascii() and letter != "\r":
            assert folded[at] == letter.lower()


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_tokens_are_apart_in_order_and_made_of_word_characters(text: str) -> None:
    folded = words.fold(text)
    reached = 0
    for start, end in words.tokens(folded, 0, len(folded)):
        assert reached <= start < end
        assert all(words.is_word(c) or c == "'" for c in folded[start:end])
        reached = end
    outside = set(range(len(folded))) - {
        n for a, b in words.tokens(folded, 0, len(folded)) for n in range(a, b)
    }
    assert not any(words.is_word(folded[n]) and folded[n] != "_" for n in outside)


@settings(max_examples=200, deadline=None)
@given(st.characters(codec=None))
def test_a_word_character_is_a_letter_mark_number_or_low_line(letter: str) -> None:
    category = unicodedata.category(letter)
    assert words.is_word(letter) == (category[0] in "LM" or category in ("Nd", "Nl", "No") or letter == "_")


@settings(max_examples=200, deadline=None)
@given(ANY, st.text("abc", min_size=1, max_size=5), ANY)
def test_blanks_always_bound_a_word(before: str, word: str, after: str) -> None:
    text = f"{before} {word} {after}"
    start = len(before) + 1
    assert words.starts_word(text, start)
    assert words.ends_word(text, start + len(word))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=3, max_size=20))
def test_there_is_a_boundary_between_any_two_ideographs(text: str) -> None:
    for at in range(1, len(text)):
        assert words.starts_word(text, at)
        assert words.ends_word(text, at)


def test_contractions_are_one_word_and_emphasis_is_none() -> None:
    folded = words.fold("It isn\u2019t _done_, __init__ o'clock 完成")
    spans = words.tokens(folded, 0, len(folded))
    assert [folded[a:b] for a, b in spans] == ["it", "isn't", "done", "init", "o'clock", "完", "成"]
