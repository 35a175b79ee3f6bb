"""Tests as machines, compared with the engine."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_patterns import patterns, texts

from exitgate.analysis.space.texts.automata import Automaton
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, MATCHES, TextPredicate


def read(machine: Automaton, text: str) -> bool:
    state = machine.start
    for letter in text:
        state = machine.step(state, letter)
    return machine.accepts(state)


@given(patterns(), st.lists(texts(), min_size=8, max_size=8))
@example(r"\B", ["aéa", "aa", "", "中"])
@example("(?i)\u017ftraße", ["STRASSE", "straße", "sTRAßE"])
@example("^$", ["", "\n", "a"])
@example("(?m)^$", ["", "\n", "a\n", "a\n\nb"])
@example("a(?i)b|c", ["aB", "C", "A"])
@example("\ufffd", ["\udc80", "\ufffd", "a"])
@example(r"(?:\b|a)*b", ["ab", "b", "éb", "ba"])
@example(r"(?i)k", ["\u212a", "K", "k"])
def test_a_pattern_comes_out_as_on_the_engine(pattern: str, texts: list[str]) -> None:
    test = TextPredicate(MATCHES, pattern)
    machine = test.machine()
    for text in texts:
        assert read(machine, text) == test.outcome(text), (pattern, text)


@given(st.sampled_from((IS, CONTAINS)), st.text("ab", max_size=4), st.text("abc", max_size=8))
def test_a_text_comes_out_as_on_the_engine(kind: str, against: str, text: str) -> None:
    test = TextPredicate(kind, against)
    assert read(test.machine(), text) == test.outcome(text)


@pytest.mark.parametrize(
    "pattern", [r"\C", "(?:" * 300 + "a" + ")" * 300, "((a{100}){10}){3}"], ids=["bytes", "deep", "large"]
)
def test_what_has_no_machine_says_so(pattern: str) -> None:
    with pytest.raises(Exception, match=r".") as raised:
        TextPredicate(MATCHES, pattern).machine()
    assert raised.type.__name__ in ("UnreadError", "TooLargeError")
