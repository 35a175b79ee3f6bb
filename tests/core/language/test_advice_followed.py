"""Advice on a wrong condition, followed, leads to one that compiles; or no replacement is advised."""

import re
from functools import cache

import pytest
from cases import each, some
from golden import FOLDER, SCOPE
from near_misses import FORMS, near_misses

from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.advice import understood
from exitgate.core.language.syntax.scan import scan

#: Help that names what there is, or how a form looks, and is not written as it is.
_NO_REPLACEMENT = re.compile(
    r"with `|write it like |add |declare |the functions are |there are |put |begin with |join |remove "
    r"|write the function |write for example |write one of |say by how much|a share is |a time is "
    r"|compare a |compare amounts |there is no |say what of |give the parameter |patterns are |use "
    r"|write a |write digits|write names|its items|`item` is|conditions have|write \d|units|name a |test the"
)
WRONG = (FOLDER / "wrong_conditions.txt").read_text(encoding="utf-8").splitlines()

#: Problems of a name that only its author can declare.
NAMES = ("EP401", "EP402", "EP403")
#: Values that an author writes who does not know what a fact is.
VALUES = (
    "done", "empty", "1.5 hours", "5 dollars", "50 percent", "three", "true", '"x"', "120", "p", "0.5",
    "OPEN", "null", "5%", "3m", "5 USD", '"3"', "[]", "yes", "tasks.done", "progress.made", "status.summary",
    "questions.found", "$patience", "$5", "1,5h", "tasks.finished", "(3)",
)  # fmt: skip
_VALUE = re.compile(r'"[^"]*"|[A-Z_]{4,}|\b\d[\w.]*(?: USD|%)?|[$@]?\b[a-z]+[._][a-z_]+\b')
MISPLACED = sorted(
    {
        form[: at.start()] + value + form[at.end() :]
        for form in FORMS
        for at in _VALUE.finditer(form)
        for value in VALUES
    }
)
MISSES = [text for form in FORMS for text in near_misses(form)]


@cache
def problems(text):
    try:
        understood(text, SCOPE)
    except LanguageError as error:
        return error.problems
    return ()


def replacements(help_):
    """What a help says to write instead, as a reader takes it."""
    if _NO_REPLACEMENT.match(help_):
        return []
    return [
        one
        for one in re.findall(r"`([^`]+)`", re.split(";| without |, or declare", help_)[0])
        if "..." not in one
    ]


def followed(text, problem, new):
    """Texts with a replacement in the place of what a problem marks, or of something around it."""
    pieces = scan(text)
    starts = {one.start for one in pieces if one.start <= problem.start} | {problem.start}
    ends = {one.end for one in pieces if one.end >= problem.end} | {problem.end}
    ends |= {max((one.end for one in pieces if one.end <= problem.start), default=problem.end)}
    spans = {(start, end) for start in starts for end in ends if start <= end}
    spans |= {(one.start, one.end) for one in pieces if problem.start <= one.start < problem.end}
    far = {span: abs(span[0] - problem.start) + abs(span[1] - problem.end) for span in spans}
    for start, end in sorted(spans, key=lambda span: (far[span], span)):
        yield f"{text[:start]} {new} {text[end:]}".strip()


def lost(text):
    """Replacements that advice proposes and that lead nowhere, wherever they are written."""
    told = problems(text)
    found = [(one, new) for one in told for new in replacements(one.help)]
    return [(one.help, new) for one, new in found if not any(map(leads(told), followed(text, one, new)))]


def leads(told):
    """Whether a text compiles, has only other problems of those told, or compiles after one more step."""

    def checked(text):
        left = [one for one in problems(text) if one.code not in NAMES or replacements(one.help)]
        if len(left) < len(told) and {(one.code, one.message) for one in left} <= known:
            return True
        if len(left) > len(told):
            return False
        steps = [
            other for one in left for new in replacements(one.help) for other in followed(text, one, new)
        ]
        return any(len(problems(other)) < len(told) for other in steps)

    known = {(one.code, one.message) for one in told}
    return checked


@pytest.mark.parametrize("part", range(8))
def test_advice_on_a_wrong_condition_can_be_followed(part):
    assert {text: found for text in WRONG[part::8] if (found := lost(text))} == {}


@each("text", some(MISPLACED, 60) + some(MISSES, 30), ids=str)
def test_advice_on_a_value_in_the_wrong_place_can_be_followed(text):
    assert lost(text) == []


def test_the_table_is_of_wrong_conditions():
    assert [text for text in WRONG if not problems(text)] == []
    assert len(set(WRONG)) == len(WRONG)
