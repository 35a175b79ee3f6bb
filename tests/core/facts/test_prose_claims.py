"""Completion, no work, blocked, questions: sentences written to mislead, and what is right about each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cases import each
from fact_reading import facts, resolved

TABLE = yaml.safe_load((Path(__file__).parent / "prose_claims.yaml").read_text(encoding="utf-8"))
#: Signal -> extractor, lexicon, fact.
SIGNALS = {
    "completion": ("phrases", "completion-en", "x.found"),
    "no_work": ("phrases", "no-work-en", "x.found"),
    "blocked": ("phrases", "blocked-en", "x.found"),
    "questions": ("questions", "questions-en", "x.asked"),
}


def rows() -> Iterator[object]:
    for signal, answers in TABLE.items():
        for answer, texts in answers.items():
            for text in texts:
                yield pytest.param(
                    signal, text, answer is True or answer == "yes", id=f"{signal}-{text[:60]}"
                )


@each(("signal", "text", "there"), list(rows()))
def test_a_claim(signal: str, text: str, there: bool) -> None:
    extractor, lexicon, fact = SIGNALS[signal]
    assert facts(extractor, {"lexicon": resolved(lexicon)}, response=text)[fact].value is there


def test_the_table_has_both_answers_to_every_signal_and_no_text_twice() -> None:
    for signal, answers in TABLE.items():
        texts = [text for group in answers.values() for text in group]
        assert len(answers) == 2
        assert len(texts) == len(set(texts)), signal
