"""Which conditions can be true without any response, and which part of them does it."""

from itertools import product
from operator import is_not

from cases import each
from golden import SCOPE

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.silence import Silence, exits_on_silence
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse

TEXTS = {
    "quiet": "status.exit_signal or else true",
    "sound": "status.exit_signal or else false",
    "plan_done": "tasks.done >= tasks.total",
}
CONDITIONS = {name: check(parse(text), SCOPE) for name, text in TEXTS.items()}
WHOLE = Scope(SCOPE.facts, SCOPE.parameters, CONDITIONS)
VALUES = {"min_confidence": 70, "stagnation_loops": 2, "factor": 0}

EXITS = {
    "status.exit_signal or else true": "status.exit_signal or else true",
    "(status.exit_signal or else true) and tasks.percent >= 70%": "status.exit_signal or else true",
    "tasks.percent >= 70% and (score or else 0) < 5": "score or else 0",
    "tasks.percent >= 70% and (score or else $factor) < 5": "score or else $factor",
    "not (status.exit_signal or else false)": "status.exit_signal or else false",
    "not (progress.made and (score or else 9) < 5)": "score or else 9",
    "(status.exit_signal or else true) for 3 consecutive iterations": "status.exit_signal or else true",
    "at least 2 of last 3 where (status.exit_signal or else true)": "status.exit_signal or else true",
    "at most 2 of last 5 where (status.exit_signal or else false)": "status.exit_signal or else false",
    "streak(status.exit_signal or else true) >= 2": "status.exit_signal or else true",
    # true in one iteration of a silent run, or while few iterations lie within a time
    "streak(confidence is unknown) == 7": "confidence is unknown",
    "after 3 iterations and not after 4 iterations": "after 3 iterations",
    "not (at most 1 of last 45m where (score > 5))": "at most 1 of last 45m where (score > 5)",
    "not (at least 2 of last 45m where (score > 5))": "at least 2 of last 45m where (score > 5)",
    # the first iteration may take more than 45 minutes, and be the only one of them
    "at most 1 of last 1h where (score > 5)": "at most 1 of last 1h where (score > 5)",
    "at most 2 of last 1h where (score > 5)": "at most 2 of last 1h where (score > 5)",
    "at least 3 of last 45m where (confidence is unknown)": "confidence is unknown",
    "count(progress.made, last 45m) < 2": "count(progress.made, last 45m)",
    "(confidence is unknown) for 45m": "confidence is unknown",
    "not (tasks.done unchanged for 45m)": "tasks.done unchanged for 45m",
    "count(score > 5, last 1h per errors.signature) < 3": "count(score > 5, last 1h per errors.signature)",
    "progress.made or (confidence or else 100) >= $min_confidence": "confidence or else 100%",
    "(status.exit_signal or else true) or (progress.made or else true)": "status.exit_signal or else true",
    "@quiet and tasks.percent >= 70%": "@quiet",
    "not @sound and tasks.percent >= 70%": "@sound",
    "@quiet": "@quiet",
    "status.exit_signal is unknown": "status.exit_signal is unknown",
    "nothing is known": "nothing is known",
    "progress.made or nothing is known": "nothing is known",
    "not (confidence is known)": "confidence is known",
    "(confidence is known) is false": "confidence is known",
    "count(confidence is known, last 5) < 1": "confidence is known",
    # the first iteration has too little history, which is false
    "not tasks.done unchanged for 3 iterations": "tasks.done unchanged for 3 iterations",
    "not (progress.made) for 2 consecutive iterations": "(progress.made) for 2 consecutive iterations",
    "count(progress.made, last 5) < 2": "count(progress.made, last 5)",
    'all of (questions.found or else ["x"]) where (item is "x")': 'questions.found or else ["x"]',
    'count of (questions.found or else ["x"]) where (item is "y") == 0': 'questions.found or else ["x"]',
    "any of [score] where (item is unknown)": "item is unknown",
    "(score or else 9) < 5 or median(score or else 0, last 3) < 5": "score or else 0",
}
#: Of rules that complete a run: nothing that silence does not hide is enough.
COMPLETES = {
    "run.cost > 5 USD": "run.cost",
    "clock.elapsed > 2h and nothing is known": "nothing is known",
    "tasks.done > 3 or clock.elapsed between 1h and 2h": "clock.elapsed",
    "not (run.cost unchanged for 2 iterations)": "run.cost unchanged for 2 iterations",
    "run.cost rose by 50% over last 2": "run.cost rose by 50% over last 2",
    "circuit.state is CLOSED and run.cost < 1 USD": "circuit.state",
    "true": "true",
}
HOLDS = [
    "status.exit_signal",
    "(status.exit_signal or else false) and @plan_done",
    "@sound and @plan_done",
    "(confidence or else 0) >= $min_confidence",
    "(score or else 9) < 5",
    "not (status.exit_signal or else true)",
    "not @plan_done",
    'all of questions.found where (item is "x")',
    'count of questions.found where (item is "x") < 2',
    "deviation(score, last 3) < 5",
    "max(score, last 3) < 5",
    "median(score) < 5",
    "tasks.done > 3 and status.exit_signal is unknown",
    "clock.elapsed > 2h and nothing is known",
    "status.exit_signal is known",
    "tasks.done unchanged for 3 iterations",
    "at most 2 of last 5 where (status.exit_signal or else true)",
    "streak(status.exit_signal or else false) >= 2",
    "tasks.percent >= 80% and not tasks.done unchanged for 3 iterations",
    "count(confidence > 50, last 5) < 1",
    "at most 1 of last 3 where (progress.made)",
    "at least 2 of last 45m where (progress.made)",
    "(progress.made) for 45m",
    "tasks.done declined by 50% over last 45m",
    "max(score, last 45m) > 5",
    "not after 45m",
    "true",
]


@each("text", EXITS)
def test_exits(text):
    found = exits_on_silence(check(parse(text), WHOLE), VALUES, CONDITIONS)
    assert found is not None
    assert unparse(found) == EXITS[text]


@each("text", COMPLETES)
def test_completes(text):
    node = check(parse(text), WHOLE)
    found = exits_on_silence(node, VALUES, CONDITIONS, completes=True)
    assert found is not None
    assert unparse(found) == COMPLETES[text]


@each("text", [text for text in HOLDS if text not in COMPLETES and "after" not in text])
def test_a_rule_that_completes_may_ask_for_what_was_said(text):
    assert exits_on_silence(check(parse(text), WHOLE), VALUES, CONDITIONS, completes=True) is None


@each("text", HOLDS)
def test_holds(text):
    assert exits_on_silence(check(parse(text), WHOLE), VALUES, CONDITIONS) is None


def test_a_tree_that_is_asked_about_again_is_judged_by_what_holds_then() -> None:
    """A policy is compiled again and again under other settings, and the answer is kept with the tree."""

    text = "(progress.made and tasks.done >= $stagnation_loops) or (score or else $factor) > 5 or @sound"
    plain = check(parse(text), WHOLE).to_json()

    def asked(of: Node, factor: int, sound: str, silence: Silence, completes: bool) -> str | None:
        conditions = {"sound": check(parse(sound), SCOPE)}
        found = exits_on_silence(of, {**VALUES, "factor": factor}, conditions, silence, completes)
        return unparse(found) if found is not None else None

    silences = [
        Silence({}, frozenset()),
        Silence({"score": 9}, frozenset()),
        Silence({"score": 9}, frozenset({"score"})),
        Silence({"tasks.done": 5}, frozenset()),
        Silence({"tasks.done": 5}, frozenset({"tasks.done"})),
        Silence({}, frozenset(), given=frozenset({"score"})),
    ]
    cases = list(product((0, 7), (TEXTS["sound"], TEXTS["quiet"]), silences, (False, True)))
    anew = [asked(Node.from_json(plain), *case) for case in cases]
    assert len(set(anew)) >= 4
    kept = Node.from_json(plain)
    for before, (case, answer) in product(cases, zip(cases, anew, strict=True)):
        if sum(map(is_not, before, case)) == 1:
            asked(kept, *before)
            assert asked(kept, *case) == answer, (before, case)
