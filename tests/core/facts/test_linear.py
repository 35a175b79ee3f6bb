"""Work grows with the text, not with its square: calls are counted, no clock is read."""

from __future__ import annotations

import pytest
from cases import EVERY, each
from fact_reading import facts, resolved
from steps import steps

#: Characters of the shorter of two texts: a square shows in less than the soak takes.
SIZE = 2_000 if EVERY else 800
PROSE = 'I moved the reader, which is not done, and "quoted" `code`; nothing is left but the tests. '
TEXTS = {
    "prose": PROSE,
    "lines": PROSE + "\n",
    "paragraphs": "- " + PROSE + "\n\n",
    "gaps": "nothing left to ",
    "matches": "nothing is left to do ",
    "negations": "not not not all tests pass ",
    "ticks": "` `` ``` done ",
    "quotes": "\" ' “ done ",
    "fences": "```\ndone\n~~~\n",
    "escapes": "\x1b[31mError: done\x1b]0;x\n",
    "errors": "Error: nothing works\n",
    "placeholders": "< { [ done | done / ",
    "cjk": "任务已完成了",
    "one word": "a",
    "opening": "<!-- ",
    "boxes": "| [ ] | [x] step ",
    "open boxes": "- [ ] ",
    "heading": "# " + PROSE,
}
EXTRACTORS: dict[str, dict] = {
    "phrases": {
        "lexicon": resolved("completion-en"),
        "phrases": ["nothing ... left ... to do", "done", "完成"],
    },
    "graded_words": {
        "first": [{"value": 90, "words": ["done"]}],
        "add": [{"points": -10, "words": ["not", "nothing"]}],
        "guards": ["negated", "quoted", "fenced", "template", "qualified", "hypothetical"],
        "lexicon": resolved("guards-en"),
    },
    "error_lines": {"lexicon": resolved("errors")},
    "questions": {"lexicon": resolved("questions-en"), "phrases": ["nothing is left"]},
    "checklist": {"lexicon": resolved("plan-words"), "optional_sections": ["Later", "Optional: a*"]},
}


@each("extractor", sorted(EXTRACTORS))
@each("text", TEXTS.values(), ids=TEXTS)
def test_twice_the_text_is_at_most_twice_the_work(extractor: str, text: str) -> None:
    options = EXTRACTORS[extractor]
    task = "Work until nothing is left to do and all tests pass. " * 40
    facts(extractor, options, response=text, task=task)  # imports and caches are made before counting
    small, large = (text * (size // len(text) + 1) for size in (SIZE, 2 * SIZE))

    def work(response: str) -> int:
        return steps(lambda: facts(extractor, options, response=response, task=task))

    assert work(large) <= 2.3 * work(small) + 500


@pytest.mark.parametrize("extractor", sorted(EXTRACTORS))
def test_a_large_task_costs_its_length_once(extractor: str) -> None:
    text = "nothing is left to do. All tests pass. " * 20
    small, large = (("all tests pass " * n) for n in (200, 400))

    def work(task: str) -> int:
        return steps(lambda: facts(extractor, EXTRACTORS[extractor], response=text, task=task))

    work("warm")
    assert work(large) <= 2.3 * work(small) + 500


def test_a_heading_costs_the_same_for_two_names_of_sections_and_for_two_hundred() -> None:
    def work(names: int) -> int:
        text = f"# {PROSE}\n\n- [ ] step\n" * 20  # an object of its own: what is known of a text is kept
        options = {"optional_sections": [f"Section {n}" for n in range(names)]}
        facts("checklist", options, response="- [ ] warm")  # the names are read once
        return steps(lambda: facts("checklist", options, response=text))

    assert work(200) <= work(2) + 20
