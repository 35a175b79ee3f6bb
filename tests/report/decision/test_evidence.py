"""Where the carets go when only the excerpt of a line was kept."""

from __future__ import annotations

from cases import each

from exitgate.core.facts.text.text import Text, evidence
from exitgate.report.decision.facts import evidence_lines, excerpt
from exitgate.report.terminal import Style

LONG = "a " * 150


@each(
    "text",
    [
        "mark",
        "\tmark\tb",
        f"mark {LONG}",
        f"{LONG}mark",
        f"{LONG}mark {LONG}",
        f"first\r\n{LONG}mark\r\nlast",
        f"{'进' * 150}mark",
        f"{'b' * 30} mark {LONG}",
        f"{'b' * 195} mark",
        f"{'b' * 199}mark",
    ],
)
def test_the_excerpt_marks_the_same_words_as_the_text(text: str) -> None:
    start = text.index("mark")
    one = evidence("response", Text(text), start, start + 4)
    for whole in (text, None):
        line, first, last = excerpt(one, whole)
        assert line[first:last] == "mark"


def test_a_long_line_is_marked_under_the_match_without_its_source() -> None:
    text = f"{LONG}mark {LONG}"
    one = evidence("response", Text(text), len(LONG), len(LONG) + 4)
    quoted, carets = evidence_lines([one], [], {}, Style(width=60))
    assert quoted[carets.index("^") :].startswith("mark")
