"""What people read who nearly wrote a condition: never a fault of ours, and advice that works."""

import re
from functools import cache

from cases import each, some
from golden import SCOPE
from near_misses import FORMS, keyword_slips, near_misses

from exitgate.core.language.checker.check import check
from exitgate.core.language.codes import CODES
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.advice import proposed, understood
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.syntax.repair import proposals
from exitgate.core.language.syntax.scan import scan
from exitgate.core.language.unparse import _WRITERS

_MEANT = re.compile(r"^did you mean `(.*)`\?$")
MISSES = [(form, text) for form in FORMS for text in near_misses(form)]


@cache
def read(text):
    """The tree, or the problems."""
    try:
        return understood(text, SCOPE), ()
    except LanguageError as error:
        return None, error.problems


def places(text, problem):
    """Stretches of whole pieces around what a problem marks, the smallest first."""
    pieces = scan(text)
    starts = sorted({piece.start for piece in pieces if piece.start <= problem.start} | {problem.start})
    ends = sorted({piece.end for piece in pieces if piece.end >= problem.end} | {problem.end, problem.start})
    spans = [(start, end) for start in starts for end in ends if start <= end]
    return sorted(spans, key=lambda span: span[1] - span[0])


def works(proposal, text, problem):
    """Whether a proposal can be read in the place of something around what the problem marks."""
    for start, end in places(text, problem):
        try:
            parse(f"{text[:start]} {proposal} {text[end:]}")
        except LanguageError as error:
            if min(one.start for one in error.problems) <= start + len(proposal) + 1:
                continue  # not another slip behind it
        return True
    return False


#: Problems with names that are not those of the condition: the slip is in a name, or made one.
NAMES = ("EP401", "EP402", "EP403")


def fits(proposal, text, problem):
    """Whether a proposal has types that go together where it can be read; None for no such place."""
    found = None
    pieces = scan(text)
    inside = [(one.start, one.end) for one in pieces if problem.start <= one.start < problem.end]
    for start, end in (*places(text, problem), *inside):
        try:
            tree = parse(f"{text[:start]} {proposal} {text[end:]}")
        except LanguageError:
            continue
        try:
            check(tree, SCOPE)
        except LanguageError as error:
            found = all(one.code in NAMES for one in error.problems)
        else:
            found = True
        if found:
            break
    return found


@each("form, text", some(MISSES, 100), ids=str)
def test_no_advice_proposes_what_types_refuse(form, text):
    _, problems = read(text)
    for problem in problems if len(problems) == 1 else ():
        for proposal in proposed(problem.help):
            assert "..." in proposal or fits(proposal, text, problem) is not False, (problem.help, proposal)


@each(
    "text, help_",
    [
        ("tasks.done for 3 iterations", "write `tasks.done unchanged for 3 iterations`"),
        ("progress.made for 45m", "write `(progress.made) for 45m`, or `progress.made unchanged for 45m`"),
        ("clock.elapsed > 3 minutes", "write `3m`"),
        ("tasks.done > 3 minutes", "with `3m`: `tasks.done` is a count and `3m` is a duration; they cannot be"
         " compared"),
        ("confidnce > 3", "did you mean `confidence`?"),
        ("confidnce is OPEN", "with `confidence`: `OPEN` is a member of an enum and cannot be compared with a"
         " percent"),
        ("streak(progress.made) skipping status.exit_signal >= 3",
         "write `streak(progress.made) skipping (status.exit_signal) >= 3`"),
        ("tasks.done rose by 3 in last 5",
         "with `tasks.done rose by 3 over last 5`: `3` is not a share of the earlier value"),
        ("previous tasks.done () < 3", "with `previous(tasks.done ())`: there is no function `tasks.done`"),
    ],
)  # fmt: skip
def test_advice_is_held_to_types(text, help_):
    assert [problem.help for problem in read(text)[1]] == [help_]


def test_advice_on_one_test_is_held_to_types_while_another_cannot_be_read():
    text = "tasks.done >= 3 minutes and clock.elapsed > 5 minutes or (tasks.done) for iterations"
    first, second, _ = (problem.help for problem in read(text)[1])
    assert (first[:10], second) == ("with `3m`:", "write `5m`")


def test_every_form_is_here():
    trees = [read(form)[0] for form in FORMS]
    assert None not in trees
    found = {node.op for form in FORMS for node in parse(form).walk()}
    assert set(_WRITERS) - found == set()
    history = {name for name, function in FUNCTIONS.items() if function.history}
    assert [name for name in history if not any(f"{name}(" in form for form in FORMS)] == []


def restored(form, text, problems):
    """Whether some advice makes the condition the one that it nearly was."""
    for problem in problems:
        for proposal in (*proposals(problem.help), *_MEANT.findall(problem.help)):
            for start, end in places(text, problem):
                try:
                    tree = parse(f"{text[:start]} {proposal} {text[end:]}")
                except LanguageError:
                    continue
                if tree == parse(form):
                    return True
    return False


#: Of a hundred conditions with a keyword changed so, how many at least have advice that restores them. The
#: rest has lost what it was about, or is as near to another condition.
RESTORED = {"dropped": 60, "swapped": 75, "other word": 90, "spelt": 90, "parentheses": 85}


@each("kind, least", RESTORED.items())
def test_advice_restores_what_was_meant(kind, least):
    slips = [(form, text) for form in FORMS for name, text in keyword_slips(form) if name == kind]
    told = [(form, text, read(text)[1]) for form, text in some(slips, 40)]
    wrong = [(form, text, problems) for form, text, problems in told if problems]
    lost = [text for form, text, problems in wrong if not restored(form, text, problems)]
    assert len(lost) * 100 <= (100 - least) * len(wrong), lost


@each("form, text", some(MISSES, 250), ids=str)
def test_a_near_miss_is_told_in_its_place_with_advice_that_works(form, text):
    _, problems = read(text)
    for problem in problems:
        assert problem.code in CODES
        assert 0 <= problem.start <= problem.end <= len(text)
        assert problem.message
        assert problem.message != "the condition cannot be read"
        assert "\n" not in problem.help
    if len(problems) == 1:
        (problem,) = problems
        for proposal in proposals(problem.help):
            if "..." not in proposal:
                assert works(proposal, text, problem), f"{problem.code} {problem.message}: {problem.help}"
