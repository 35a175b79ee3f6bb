"""Conditions of every form, and what people write who nearly know them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.literals import KEYWORDS

#: Over the scope of `golden.py`; each operation of a tree is in one of them.
FORMS = (
    "tasks.done >= 3", "status.exit_signal is true", "circuit.state is not OPEN", "tasks.done is known",
    "tasks.done is not known", "circuit.state in [OPEN, CLOSED]", "circuit.state not in [OPEN, CLOSED]",
    "tasks.done between 1 and 5", 'status.summary matches "^ok"', 'status.summary contains "ok"',
    "tasks.done unchanged for 3 iterations", "tasks.done unchanged for 45m",
    "tasks.done declined by 10% over last 5", "tasks.done rose by 10% over last 45m",
    "errors.signature repeats 3 times", "errors.signature repeats 3 times within last 5 per tasks.done",
    "(progress.made) for 3 consecutive iterations", "(progress.made) for 45m", "after 3 iterations",
    "after $patience", "any of last 5 where (progress.made)", "all of last 45m where (progress.made)",
    "at least 3 of last 5 where (progress.made)", "at most 3 of last 5 per tasks.done where (progress.made)",
    'any of questions.found where (item is "x")', 'all of questions.found where (item contains "x")',
    'count of questions.found where (item is "x") >= 2', "nothing is known", "progress.made or @plan_done",
    "(status.exit_signal or else false) and progress.made", "not progress.made",
    "count(progress.made, last 5) >= 3", "streak(progress.made) skipping (status.exit_signal) >= 3",
    "streak(progress.made, last 45m) >= 3", "max(tasks.done, last 5) > 10", "min(tasks.done, last 5) > 10",
    "max(tasks.done, tasks.total) > 10", "percentile(tasks.done, 90%, last 20) > 3",
    "previous(tasks.done) < 3", "sum(tasks.done, last 5 per tasks.total) > 3", "first(tasks.done) > 3",
    "last(tasks.done) > 3", "average(score, last 5) > 3", "median(score, last 5) > 3",
    "deviation(score, last 5) > 3", "repeats(errors.signature) > 3", "distinct(errors.signature) is 1",
    "occurrences(errors.signature, last 5) >= 3", "cycles(errors.signature, last 12) >= 3",
    "tasks.done * 2 - 1 > -tasks.total / 2", "clock.elapsed + 1m > 1h30m", "run.cost > 5 USD",
)  # fmt: skip

#: Word -> what others write for it.
OTHERS = {
    "per": ("by", "each"), "where": ("with", "if", "that"), "of": ("in", "from"), "over": ("in", "during"),
    "within": ("in", "over"), "for": ("in", "during"), "times": ("iterations",), "item": ("items", "it"),
    "iterations": ("times", "turns"), "consecutive": ("straight",), "last": ("past", "previous"),
    "after": ("since",), "known": ("unknown",), "is": ("equals",), "skipping": ("without",),
}  # fmt: skip
_KEYWORDS = frozenset(word for keyword in KEYWORDS.values() for word in keyword.split())
_PIECE = re.compile(r'"[^"]*"|[\w.$@%]+|[<>=]=|\S')


def near_misses(form: str) -> list[str]:
    """Return conditions one slip away from one that is right, without it."""
    return sorted({one for one in _slips(_PIECE.findall(form)) if one != form})


def keyword_slips(form: str) -> Iterator[tuple[str, str]]:
    """Yield what was done to a keyword or a pair of parentheses of a form, and the condition it became."""
    words = _PIECE.findall(form)
    for i, word in enumerate(words):
        before, behind = words[:i], words[i + 1 :]
        if word == "(":
            end = i + _closing(words[i:])
            yield "parentheses", joined(before + words[i + 1 : end] + words[end + 1 :])
        if word not in _KEYWORDS:
            continue
        yield "dropped", joined(before + behind)
        if behind:
            yield "swapped", joined([*before, behind[0], word, *behind[1:]])
        for other in OTHERS.get(word, ()):
            yield "other word", joined([*before, other, *behind])
        for spelt in _spelt(word):
            yield "spelt", joined([*before, spelt, *behind])


def joined(words: list[str]) -> str:
    """Return pieces as one would write them."""
    text = " ".join(words)
    for loose, tight in (("( ", "("), (" )", ")"), ("[ ", "["), (" ]", "]"), (" ,", ",")):
        text = text.replace(loose, tight)
    return re.sub(rf"\b({'|'.join(FUNCTIONS)}) \(", r"\1(", text)


def _slips(words: list[str]) -> Iterator[str]:
    for i, word in enumerate(words):
        before, behind = words[:i], words[i + 1 :]
        yield joined(before + behind)
        if behind:
            yield joined([*before, behind[0], word, *behind[1:]])
        for other in (*OTHERS.get(word, ()), *_spelt(word)):
            yield joined([*before, other, *behind])
        if word == "(":
            end = i + _closing(words[i:])
            yield joined(before + words[i + 1 : end] + words[end + 1 :])


def _spelt(word: str) -> Iterator[str]:
    """Yield a word in upper case, in the other number, in words, and with another unit."""
    if word.isalpha():
        yield word.upper()
        yield word.capitalize()
        yield word[:-1] if word.endswith("s") else f"{word}s"
    if word.isdecimal():
        yield from (f"{word}m", f"{word}%", "three", f"{word} iterations", f"{word} minutes", f"{word}.5")
    elif word[0].isdecimal():
        yield from ("3", "45 minutes", word.upper())


def _closing(words: list[str]) -> int:
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return at
    raise AssertionError(words)
