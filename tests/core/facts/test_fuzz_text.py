"""Hostile text: no extractor of words raises, and every span lies within the text."""

from __future__ import annotations

import pytest
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.fact import EXCERPT_LIMIT

SNIPPETS = (
    "all tests pass", "nothing left to do", "not", "isn't", "done", "Error: x", "FAILED a::b", "```", "~~~",
    "`", "\"", "'", "\u201c", "\u201d", "|", "<", ">", "{", "}}", "[ ]", "- ", "> ", "\n", "\r\n", "\r",
    "\n\n", "    ", "\t", "\x00", "\x1b[31m", "\x1b]0;", "\x1b", "\ud800", "\udfff", "完成", "é", "\u0301",
    "İ", "ß", "\u200d", "\U0001f469\u200d\U0001f4bb", "0", "60%", "3/5", ".", "?", "!", "…", "—", ",", "but",
    "if", "will", "<!--", "-->", "diff --git a/x b/x", "@@ -1 +1 @@", "+", "#", "maybe", "confident",
    "should i", "nothing to do", "in the", "file", "task 3", "\u212a",
    "\u2028", "\u0085", "a" * 3000, " " * 400, "KEY: v",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(SNIPPETS) | st.text(st.characters(codec=None), max_size=8), max_size=40)
OPTIONS: dict[str, dict] = {
    "phrases": {"lexicon": resolved("completion-en"), "phrases": ["done", "nothing ... left", "完成"]},
    "graded_words": {
        "first": [{"value": 90, "words": ["confident", "done"]}],
        "add": [{"points": -10, "words": ["maybe", "not"]}],
        "guards": [
            "negated",
            "quoted",
            "fenced",
            "template",
            "echoed",
            "qualified",
            "hypothetical",
            "continued",
        ],
        "lexicon": resolved("guards-en"),
    },
    "error_lines": {"lexicon": resolved("errors")},
    "questions": {
        "lexicon": resolved("questions-en"),
        "phrases": ["done", {"phrase": "完成", "closes": True}],
    },
}


@pytest.mark.parametrize("extractor", sorted(OPTIONS))
@settings(max_examples=150, deadline=None)
@given(pieces=HOSTILE, task=HOSTILE, glue=st.sampled_from(["", " ", "\n"]))
def test_no_text_raises_and_spans_are_within_it(
    extractor: str, pieces: list[str], task: list[str], glue: str
) -> None:
    text = glue.join(pieces)
    found = facts(extractor, OPTIONS[extractor], response=text, task=glue.join(task))
    again = facts(extractor, OPTIONS[extractor], response=text, task=glue.join(task))
    assert found == again
    for fact in found.values():
        for seen in (*fact.evidence, *fact.rejected):
            assert 0 <= seen.start < seen.end <= len(text)
            line_start = text.rfind("\n", 0, seen.start) + 1
            assert (seen.line, seen.column) == (
                text.count("\n", 0, seen.start) + 1,
                seen.start - line_start + 1,
            )
            assert len(seen.excerpt) <= EXCERPT_LIMIT
        assert all(e.guard is None for e in fact.evidence)
        assert all(e.guard for e in fact.rejected)


PLAIN = st.none() | st.integers() | st.floats() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["phrases", "first", "add", "words", "lexicon", "guards", "range", "otherwise", "count", "within"]
)


@pytest.mark.parametrize("extractor", sorted(OPTIONS))
@settings(max_examples=60, deadline=None)
@given(options=st.dictionaries(KEYS, PLAIN | st.lists(PLAIN, max_size=3)))
def test_options_of_any_shape_raise_only_what_a_policy_is_told(extractor: str, options: dict) -> None:
    try:
        facts(extractor, options, response="all tests pass maybe")
    except ValueError as refused:
        assert "has no word" in str(refused)
