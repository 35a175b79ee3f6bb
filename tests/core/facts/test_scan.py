"""Phrases against a slow definition, blocks, quotations, and exact spans."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.phrases import JOINT, find, phrase
from exitgate.core.facts.lexicons.search import search
from exitgate.core.facts.text import inline as inline_module
from exitgate.core.facts.text import structure, words
from exitgate.core.facts.text.blocks import CODE, Blocks
from exitgate.core.facts.text.text import Text
from exitgate.core.model.json_object import JsonObject

PIECES = st.lists(
    st.sampled_from(["nothing", "left", "to", "do", "is", "x", ". ", ", ", "**", "\n"]), max_size=30
)


def slow(text: str, wanted: list[str], within: int) -> bool:
    """Every choice of places for the words, gaps checked one by one."""
    folded = words.fold(text)
    spans = words.tokens(folded, 0, len(folded))
    said = [folded[a:b] for a, b in spans]
    for places in itertools.combinations(range(len(said)), len(wanted)):
        if [said[p] for p in places] != wanted:
            continue
        near = all(b - a - 1 <= within for a, b in itertools.pairwise(places))
        between = folded[spans[places[0]][0] : spans[places[-1]][1]]
        if near and "." not in between:
            return True
    return False


@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_gap_phrases_are_what_their_definition_says(pieces: list[str]) -> None:
    text = " ".join(pieces).replace("\n", "")
    spans = words.tokens(text, 0, len(text))
    assume(all(b - a < JOINT for (_, a), (b, _) in itertools.pairwise(spans)))
    found = any(find(Text(text), phrase("p", "nothing ... left ... do", 2)))
    assert found == slow(text, ["nothing", "left", "do"], 2)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("done Done完成-_.'*\n\r\x1b[m?,`\ud800é"), max_size=80))
def test_spans_are_exact_and_apart(text: str) -> None:
    reached = 0
    for match in find(Text(text), phrase("p", "done|完成")):
        assert match.start >= reached
        assert words.fold(text[match.start : match.end]) in ("done", "完成")
        reached = match.end


BLOCK_LINES = st.lists(
    st.sampled_from(
        ["```", "~~~", "````", "``` py", "text", "", "    text", "- item", "  text", "1. one", "> said",
         "> ```", "# head", "   ```", "```x`y", "  ~~~", "\ttext", "---", "~~~~ a"]
    ),
    max_size=12,
)  # fmt: skip


def reference(text: str) -> set[int]:
    """Lines that markdown-it-py takes for code."""
    found: set[int] = set()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in ("fence", "code_block") and token.map:
            found |= set(range(*token.map))
    return found


@settings(max_examples=400, deadline=None)
@given(BLOCK_LINES.filter(lambda lines: not any(x.startswith(("-", "1", ">")) for x in lines)))
def test_code_without_lists_and_quotations_is_as_commonmark_has_it(lines: list[str]) -> None:
    text = "\n".join(lines)
    at = Text(text).lines
    blocks = Blocks(text, at)
    ours = {n for n in range(len(lines)) if blocks.of_line(n) == CODE and lines[n].strip()}
    assert ours == {n for n in reference(text) if n < len(lines) and lines[n].strip()}


@pytest.mark.parametrize(
    "text",
    [
        "- item\n  ```\n  code\n  ```\n  text",
        "- item\n\n      code\n\n  text",
        "1. item\n\n   ~~~\n   code\n   ~~~\n2. more",
        "> ```\n> code\n> ```\n> text\n\ntext",
        "> ```\n> code\n\ntext\n```\ncode",
        "- a\n  - b\n    ```\n    code\n    ```\n- c",
        "- ```\n  code\n  ```\n- text",
        "* a\n\n  text\n\n      code",
        "text\n    no code\n\n    code\n\n\n    code\ntext",
    ],
)
def test_code_in_lists_and_quotations(text: str) -> None:
    blocks = Blocks(text, Text(text).lines)
    lines = text.split("\n")
    ours = {n for n in range(len(lines)) if blocks.of_line(n) == CODE and lines[n].strip(" >")}
    assert ours == {n for n in reference(text) if lines[n].strip(" >")}


@settings(max_examples=200, deadline=None)
@given(st.text("`ab ", max_size=40))
def test_code_spans_are_as_commonmark_has_them(text: str) -> None:
    prose = f"x{text}x".replace("  ", " ")
    inline = MarkdownIt("commonmark").disable(["strikethrough"], ignoreInvalid=True).parseInline(prose)[0]
    wanted = [child.markup for child in inline.children or [] if child.type == "code_inline"]
    spans = inline_module.code_spans(prose)
    ours = [prose[a:b][: len(prose[a:b]) - len(prose[a:b].lstrip("`"))] for a, b in spans]
    assert [len(m) for m in ours] == [len(m) for m in wanted]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("\x1b[]0;m\x07\\Ka\n31"), max_size=40))
def test_blanked_escapes_keep_offsets_and_line_ends(text: str) -> None:
    blanked = structure.blank_escapes(text)
    assert len(blanked) == len(text)
    assert blanked.count("\n") == text.count("\n")
    assert structure.ESCAPE not in blanked
    assert blanked.replace(" ", "") == structure.strip_escapes(text).replace(" ", "")


def test_colour_indents_nothing_and_ends_no_line() -> None:
    from exitgate.core.facts.text.text import Text

    coloured = Text("\x1b[1;32mdone\x1b[0m\n    \x1b[2mcode\x1b[0m")
    assert [coloured.blocks.kind(coloured.original.index(word)) for word in ("done", "code")] == ["", ""]
    assert Text("x\n\n\x1b[2m    code").blocks.kind(12) == "code"
    linked = Text("\x1b]8;;http://a\x1b\nb")
    assert len(linked.lines.starts) == len(linked.plain_lines.starts) == 2


@given(st.integers(0, 10**30), st.integers(0, 10**30))
def test_a_share_counts_where_it_is_less_than_the_whole(part: int, whole: int) -> None:
    entry = {"id": "share", "pattern": r"(?P<part>\d+) of (?P<whole>\d+)", "less": ["part", "whole"]}
    lexicon = lexicons.ready(JsonObject({"entries": [entry], "guards": {}}), ())
    assert bool(search(Text(f"So far 00{part} of {whole}."), lexicon)) == (part < whole)
