"""Size of the output as facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors import output
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def read(text, **source):
    sources = {"response": Source("response", text=text, **source)}
    facts = output.extract("output", "response", JsonObject(), Iteration(1, "loop#1", 0.0, sources))
    return tuple(fact.value for fact in facts)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", (0, 0, True)),
        ("a", (1, 1, False)),
        ("a\nb\n", (4, 2, False)),
        ("a\r\nb", (4, 2, False)),
        ("\n\n", (2, 2, True)),
        (" \t\ufeff\n", (4, 1, True)),
        ("é😀", (2, 1, False)),
        ("\ud800\0", (2, 1, False)),
    ],
)
def test_length_lines_and_emptiness(text, want):
    assert read(text)[:3] == want


def test_a_missing_text_is_unknown_for_its_reason():
    assert read(None, reason="no response at `x`") == tuple(
        Unknown("no response at `x`", f"output.{name}") for name in ("length", "lines", "empty", "content")
    )


@given(text=st.text())
def test_facts_agree_with_each_other(text):
    length, lines, empty, content = read(text)
    assert length == len(text)
    assert lines <= length
    assert not (length == 0 and not empty)
    assert isinstance(content, Unknown) == empty
    assert content == read("\n" + text.replace(" ", "  ") + "\t")[3]


def test_other_words_have_another_content():
    assert read("Nothing is left.")[3] != read("Nothing was left.")[3]
