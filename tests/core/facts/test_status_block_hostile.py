"""Hostile texts for status blocks and promises: nothing raises, spans are sound, work grows with the text."""

from __future__ import annotations

import pytest
from cases import each, some
from fact_reading import facts
from hypothesis import given, settings
from hypothesis import strategies as st
from status_forms import LEXICON, RALPH
from steps import steps

from exitgate.core.facts import registry
from exitgate.core.model.fact import EXCERPT_LIMIT
from exitgate.core.model.json_object import JsonObject

OPTIONS: dict[str, dict] = {"status_block": RALPH, "promise": {"lexicon": LEXICON}}
SNIPPETS = (
    "---RALPH_STATUS---", "---END_RALPH_STATUS---", "RALPH_STATUS", "RALPH_STATUS:", "## ", "> ", "- ", "**",
    "|", "```", "~~~", "\n", "\r\n", "\n\n", "\\n", "STATUS: ", "STATUS:", "EXIT_SIGNAL: true", "EXIT_SIGNAL",
    "TESTS_STATUS: PASSING", "RECOMMENDATION: ", "COMPLETE", "BLOCKED", "<number>", "true | false", "{", "}",
    '"', ",", ":", "\uff1a", "=", "_", " ", "\t", "    ", "\x1b[1m", "\x1b]0;", "\ud800", "İ", "\u017f",
    "<promise>", "</promise>", "<promise>COMPLETE</promise>", "`", "'", "For example:", "I will print:",
    "\u200b", "Now let me go on.", "diff --git a/x b/x", "@@ -1 +1 @@", "+", "<!--", "-->", "9" * 400,
    "a" * 300, "٣",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(SNIPPETS) | st.text(st.characters(codec=None), max_size=6), max_size=40)


@pytest.mark.parametrize("extractor", sorted(OPTIONS))
@settings(max_examples=100, deadline=None)
@given(pieces=HOSTILE, task=HOSTILE, glue=st.sampled_from(["", " ", "\n"]))
def test_no_text_raises_and_spans_are_within_it(
    extractor: str, pieces: list[str], task: list[str], glue: str
) -> None:
    text = glue.join(pieces)
    found = facts(extractor, OPTIONS[extractor], response=text, task=glue.join(task))
    assert found == facts(extractor, OPTIONS[extractor], response=text, task=glue.join(task))
    for fact in found.values():
        for seen in (*fact.evidence, *fact.rejected):
            assert 0 <= seen.start < seen.end <= len(text)
            start = text.rfind("\n", 0, seen.start) + 1
            assert (seen.line, seen.column) == (text.count("\n", 0, seen.start) + 1, seen.start - start + 1)
            assert len(seen.excerpt) <= EXCERPT_LIMIT
        assert all(e.guard is None for e in fact.evidence)
        assert all(e.guard for e in fact.rejected)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
SHAPED = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
FIELD = st.dictionaries(st.sampled_from(["type", "key", "members", "also", "unreadable", "unknown"]), SHAPED)
KEYS = st.sampled_from(
    ["name", "contradictions", "apply", "text", "tag", "case", "alone", "scope", "lexicon"]
)


@pytest.mark.parametrize("extractor", sorted(OPTIONS))
@settings(max_examples=100, deadline=None)
@given(
    options=st.dictionaries(KEYS, SHAPED),
    fields=st.dictionaries(st.text("abc_", min_size=1, max_size=4), FIELD),
)
def test_options_of_any_shape_raise_only_what_a_policy_is_told(
    extractor: str, options: dict, fields: dict
) -> None:
    options = {"name": "RALPH_STATUS", **options, "fields": fields}
    try:
        registry.load(extractor).specs(JsonObject(options))
        facts(extractor, options, response="RALPH_STATUS:\nSTATUS: 1\n<promise>COMPLETE</promise>")
    except ValueError as refused:
        assert "has no word" in str(refused)


TEXTS = {
    "marks": "---RALPH_STATUS---\n",
    "marks on one line": "---RALPH_STATUS--- ",
    "names": "RALPH_STATUS ",
    "headers": "RALPH_STATUS:\n",
    "ends": "---END_RALPH_STATUS--- ",
    "blocks": "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n",
    "fenced blocks": "```\n---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---\n```\nThe form:\n",
    "blocks in one fence": "---RALPH_STATUS---\nSTATUS: COMPLETE\nx\n",
    "blocks on one line": "---RALPH_STATUS--- STATUS: COMPLETE EXIT_SIGNAL: true ---END_RALPH_STATUS--- ",
    "fields on one line": "EXIT_SIGNAL: true ",
    "fields": "EXIT_SIGNAL: true\n",
    "colons": ":",
    "blank lines": "\n",
    "labels": "reason: x\n",
    "promises": "<promise>COMPLETE</promise>\n",
    "promises on one line": "<promise>COMPLETE</promise> ",
    "open tags": "<promise>",
    "open tags and lines": "<promise>\nI will print:\n",
    "ticks": "`<promise>COMPLETE</promise>` ",
    "indented": "\n      <promise>COMPLETE</promise>\n",
    "indented in a row": "      <promise>COMPLETE</promise>\n",
}


STARTS = ("", "---RALPH_STATUS---\n", "RALPH_STATUS: STATUS: COMPLETE ", "```\n")
#: Each text, behind another beginning each; the soak takes every text behind every beginning.
PAIRS = [(name, start) for name in TEXTS for start in STARTS]
#: Characters of the shorter of two texts.
SIZE = 4_000


@each(("name", "start"), some(PAIRS, len(PAIRS) // 4))
@each("extractor", sorted(OPTIONS))
def test_twice_the_text_is_at_most_twice_the_work(extractor: str, name: str, start: str) -> None:
    options, text = OPTIONS[extractor], TEXTS[name]
    facts(extractor, options, response=start + text)
    small, large = (start + text * (size // len(text) + 1) for size in (SIZE, 2 * SIZE))

    def work(response: str) -> int:
        return steps(lambda: facts(extractor, options, response=response, task="Print\n" + text * 20))

    assert work(large) <= 2.3 * work(small) + 2_000
