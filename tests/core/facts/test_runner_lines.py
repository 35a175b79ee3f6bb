"""The first texts are asked line by line, later ones by a set of all patterns: both say the same of tests."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from runner_outputs import SUMMARIES

from exitgate.core.facts.extractors import tests
from exitgate.core.facts.lexicons import patterns
from exitgate.core.facts.text.text import Text
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.sections.required_words import required

SAID = (
    "All 12 tests pass.",
    "Two tests still fail, but the build succeeded.",
    "3 of 7 specs are failing",
    "The tests did not run; nothing passed",
    "I fixed 4 failing tests. They pass now.",
    "tsc reports no errors, the linter 3 problems",
    "Der Build schlägt fehl, alle Tests laufen durch.",
    "| suite | failed |\n|---|---:|\n| unit | 2 |",
    "```\n$ pytest -q\n5 passed in 1.2s  \n```",
    "ok  \u017fuite 3 pa\u017f\u017fed",
    "done",
)
GLUE = ("\n", "\r\n", "\n\n", "  \n", " ", "\n> ", "\n- ", "\x1b[32m", "\x1b[0m\n", "\x00", "\ud800", ". ")
RUN = st.tuples(st.sampled_from(sorted(SUMMARIES)), st.integers(0, 12), st.integers(0, 3))
PIECE = st.one_of(
    st.sampled_from(SAID), RUN.map(lambda run: SUMMARIES[run[0]](run[1], run[2])), st.text(max_size=8)
)
TEXTS = st.lists(st.tuples(PIECE, st.sampled_from(GLUE)), max_size=8).map(
    lambda pairs: "".join(piece + glue for piece, glue in pairs)
)
OPTIONS = next(e.options for e in load_policy("recommended").extractions if e.extractor == "tests")
LATER, FIRST = tests.ready(OPTIONS), tests.ready(OPTIONS)


def told(ready: tests.Ready, written: str) -> list[tuple[object, ...]]:
    found = ready.read(Text(written), None)
    return [
        (r.entry.id, r.start, r.end, r.line, r.group, dict(r.figures), r.name, r.guard, r.doubt)
        for r in found
    ]


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_the_first_text_says_what_it_would_say_as_a_later_one(text: str) -> None:
    assert LATER.runners.patterns is not None
    assert FIRST.runners.patterns is not None
    LATER.runners.patterns.which("")  # a set of all from now on
    FIRST.runners.patterns._left = patterns.ASKED
    assert told(FIRST, text) == told(LATER, text)


PATTERNS = ("^ab", "b$", r"\bcd\b", "a.*d", "c[^d]*$", r"ab\s+cd", "d c", r"^c\b|d\b")
WRITTEN = st.lists(st.sampled_from(["ab", "cd", " ", "  ", "d c", "\n", "x" * 9, "é"]), max_size=14)


@settings(max_examples=300, deadline=None)
@given(pieces=WRITTEN, written=st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3, unique=True))
def test_a_long_line_is_asked_piece_by_piece_whether_a_pattern_occurs(
    pieces: list[str], written: list[str]
) -> None:
    text = "".join(pieces)
    found = patterns.Narrowed(patterns.Patterns(written), any=True, apart=())
    whole = bool(found.which(text))
    before, patterns.PIECE = patterns.PIECE, 10
    try:
        said = found.occur_in(text)
    finally:
        patterns.PIECE = before
    lines = text.split("\n")
    if max(map(len, lines)) <= 10:
        assert said == whole
    else:
        cut = [line[at : at + 10] for line in lines for at in range(0, len(line), 10)]
        assert said == (whole and any(found.which(p) or found.which(p.rstrip()) for p in cut))


WIDE = (r"\bstill\b.{0,60}\bopen\b", r"\bnot\b[^.]{0,90}\bdone\b", r"\bopen\b", r"\bleft\b.{0,40}\bopen\b")
WORDS = st.lists(
    st.sampled_from(
        ["still", "open", "not", "done", "left", "STILL", "ope\u212an", "\u017ftill", ".", "\n", "x" * 50]
    ),
    max_size=9,
)


@settings(max_examples=300, deadline=None)
@given(words=WORDS, times=st.integers(1, patterns.ASKED + 2))
def test_patterns_that_repeat_widely_say_what_each_says_alone(words: list[str], times: int) -> None:
    text = " ".join(words)
    together = patterns.Patterns(WIDE, [required(one) for one in WIDE])
    alone = [index for index in range(len(WIDE)) if together.is_in(index, text)]
    for _ in range(times):
        narrowed = together.among(Text(text))
        for line in text.split("\n"):
            assert narrowed.which(line) == [i for i in range(len(WIDE)) if together.is_in(i, line)]
    assert together.which(text) == alone
    assert patterns.Patterns(WIDE).which(text) == alone
