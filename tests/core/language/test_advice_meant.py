"""Advice on a wrong condition, followed to the end, has the truth of what was meant; or replaces nothing."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

from cases import each, some
from golden import FOLDER, PLAN_DONE, SCOPE, TYPES
from near_misses import FORMS, keyword_slips
from test_advice_followed import problems, replacements

from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import Problem
from exitgate.core.language.syntax.advice import understood
from exitgate.core.language.syntax.scan import scan
from exitgate.core.model.value import Unknown

SLIPS = [
    (text, form)
    for form in FORMS
    for what, text in keyword_slips(form)
    if what in ("spelt", "swapped", "other word")
]
TABLE = (FOLDER / "meant_conditions.txt").read_text(encoding="utf-8").splitlines()
#: Problems of a word or sign, of which the advice takes the place.
EXACT = ("EP305", "EP306", "EP307", "EP311", "EP312")
PARAMETERS = {
    "min_confidence": 70, "stagnation_loops": 3, "factor": 1.5, "patience": 60, "states": ("OPEN",),
}  # fmt: skip
DAY = 86400
POOLS = {
    "tasks.done": (0, 1, 2, 3, 4, 5), "tasks.total": (3, 5), "tasks.percent": (10, 20, 50, 80, 100),
    "confidence": (20, 80), "score": (0, 2.5, 3, 5), "progress.made": (True, False),
    "status.exit_signal": (True, False), "status.summary": ("do", "done.", "undone", "d e", "ok"),
    "status.work_type": ("TESTING",), "questions.found": ((), ("why",), ("what", "x"), ("no why",)),
    "circuit.state": ("OPEN", "CLOSED"), "run.cost": (1, 9), "errors.signature": ("a", "b"),
    "clock.elapsed": (0.002, 1, 100, 200, 7 * DAY, 21 * DAY, 22 * DAY, 91 * DAY, 366 * DAY),
}  # fmt: skip


def _samples() -> list[tuple[dict[str, object], ...]]:
    """Histories of four iterations, of which some facts are unknown."""
    draw = random.Random(17)
    unknown = Unknown("not said")
    return [
        tuple(
            {name: unknown if not draw.randrange(12) else draw.choice(pools[name]) for name in TYPES}
            for _ in range(4)
        )
        for pools in [POOLS] * 90 + [POOLS | {"tasks.done": (3,)}] * 30
    ]


SAMPLES = _samples()


@cache
def truth(text: str) -> tuple[object, ...]:
    """The answer of a condition on every sample, None where it has none."""
    closure = compile_node(understood(text, SCOPE), PARAMETERS, {"plan_done": check(PLAN_DONE, SCOPE)})
    answers = map(closure, SAMPLES)
    return tuple(None if isinstance(answer, Unknown) else answer for answer in answers)


def places(text: str, problem: Problem, new: str) -> list[str]:
    """
    Return texts with a replacement in the places that it may be for.

    That is what the problem marks, where it is a word or sign. Else it is that or more around it; the place
    that changes the fewest words comes first.
    """
    if problem.code in EXACT:
        return [f"{text[: problem.start]} {new} {text[problem.end :]}"]
    pieces, words = scan(text), Counter(piece.text for piece in scan(text))
    starts = {one.start for one in pieces if one.start <= problem.start} | {problem.start}
    ends = {one.end for one in pieces if one.end >= problem.end} | {problem.end}

    def changed(other: str) -> int:
        others = Counter(piece.text for piece in scan(other))
        return (words - others).total() + (others - words).total()

    return sorted(
        (f"{text[:start]} {new} {text[end:]}" for start in sorted(starts) for end in sorted(ends)),
        key=changed,
    )


def ends(text: str, steps: int = 4) -> set[str]:
    """Return the conditions that compile and to which the advice leads, written where it fits."""
    told = problems(text)
    if not told:
        return {text}
    found: set[str] = set()
    for problem in told if steps else ():
        if problem.help.startswith("remove it"):
            return ends(text[: problem.start] + text[problem.end :], steps - 1)
        for new in replacements(problem.help):
            for other in places(text, problem, new):
                if len(problems(other)) <= len(told) and (last := ends(other, steps - 1)):
                    found |= last
                    break
        if found:
            break
    return found


def other_meanings(text: str, meant: list[str]) -> list[str]:
    """Return what the advice leads to that has the truth of nothing that its author may have meant."""
    return [end for end in sorted(ends(text)) if truth(end) not in {truth(one) for one in meant}]


@each("row", TABLE, ids=str)
def test_advice_means_what_was_written(row):
    text, _, column = row.partition(" =>")
    meant = [one.strip() for one in column.split(" | ") if one.strip()]
    assert problems(text), "it is right as it is"
    assert other_meanings(text, meant) == []
    assert not meant or ends(text), "the advice leads nowhere"
    for one in meant:
        assert {True, False} <= set(truth(one)), f"the samples do not tell what `{one}` means"


@each("form", some(FORMS, 10), ids=str)
def test_what_other_languages_write_around_a_condition_keeps_its_meaning(form):
    pairs = (
        (f"if {form}", form),
        (f"if not ({form})", f"not ({form})"),
        (f"unless {form}", f"not ({form})"),
        (f"unless progress.made or {form}", f"not (progress.made or {form})"),
        (f"{form} && progress.made", f"{form} and progress.made"),
        (f"{form} xor status.exit_signal", f"({form}) != status.exit_signal"),
        (f"{form} nor status.exit_signal", ""),
    )
    for text, meant in pairs:
        assert problems(text), text
        assert other_meanings(text, [meant] if meant else []) == [], text


@each("text, form", some(SLIPS, 80), ids=str)
def test_advice_on_a_slip_of_a_keyword_leads_back_or_nowhere(text, form):
    assert not problems(text) or other_meanings(text, [form]) == []
