"""What the checker accepts, the types it gives, and what it makes of bare numbers and words."""

import pytest
from cases import each
from golden import SCOPE

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, TEXT, Type

ACCEPTED = {
    "progress.made": None,
    "progress.made is true and not status.exit_signal": None,
    "tasks.percent >= 70": "tasks.percent >= 70%",
    "70 <= tasks.percent": "70% <= tasks.percent",
    "confidence between 50 and $min_confidence": "confidence between 50% and $min_confidence",
    "100 * tasks.done / tasks.total >= $min_confidence": None,
    "min(100 * tasks.done / tasks.total, 100) >= 70%": None,
    "confidence + 10 > 70": "confidence + 10% > 70%",
    "average(confidence, last 3) < 50": "average(confidence, last 3) < 50%",
    "(confidence or else 0) >= 70": "(confidence or else 0%) >= 70%",
    "confidence in [50, 70]": "confidence in [50%, 70%]",
    "circuit.state is open": "circuit.state is OPEN",
    "circuit.state is not Half_Open": "circuit.state is not HALF_OPEN",
    "circuit.state in [open, CLOSED]": "circuit.state in [OPEN, CLOSED]",
    "open is circuit.state": "OPEN is circuit.state",
    "(circuit.state or else closed) is OPEN": "(circuit.state or else CLOSED) is OPEN",
    "last(circuit.state, last 3) == open": "last(circuit.state, last 3) == OPEN",
    "circuit.state in $states": None,
    "$states contains circuit.state": None,
    "OPEN in $states": None,
    'questions.found contains "x" and "x" in questions.found': None,
    "tasks.done + 1 > score and tasks.done / 2 < $factor": None,
    "clock.elapsed > $patience * 2 + 30m and clock.elapsed / 1h > 2": None,
    "run.cost / run.cost > 1 and run.cost * $factor < 5 USD": None,
    "errors.signature == previous(errors.signature)": None,
    "errors.signature repeats 3 times within last 5": None,
    "tasks.done unchanged for $stagnation_loops iterations": None,
    "at most 0 of last 5 where (progress.made)": None,
    "score rose by 150% over last 3": None,
    "length(status.summary) > 3 and length(questions.found) is 0": None,
    "@plan_done and (@plan_done) for 2 consecutive iterations": None,
    "nothing is known or circuit.state is unknown": None,
    "abs(tasks.done - tasks.total) <= 1": None,
}


@each("text", ACCEPTED)
def test_accepted(text):
    typed = check(parse(text), SCOPE)
    assert unparse(typed) == (ACCEPTED[text] or text)
    assert typed.type == BOOL
    assert all(node.type is not None for node in typed.walk())
    assert check(typed, SCOPE) == typed


@each(
    ("text", "type_"),
    [
        ("tasks.done + 1", COUNT),
        ("tasks.done - 1", NUMBER),
        ("tasks.done / tasks.total", NUMBER),
        ("-tasks.done", NUMBER),
        ("abs(-tasks.done)", NUMBER),
        ("2 * clock.elapsed", DURATION),
        ("confidence / 2", PERCENT),
        ("confidence / confidence", NUMBER),
        ("previous(confidence)", PERCENT),
        ("average(tasks.done)", NUMBER),
        ("sum(tasks.done, last 3)", COUNT),
        ("run.cost + 1 USD", Type("money", currency="USD")),
        ("max(tasks.done, score)", NUMBER),
        ("streak(progress.made)", COUNT),
        ("repeats(errors.signature)", COUNT),
        ("distinct(status.summary)", COUNT),
        ("occurrences(status.summary, last 3)", COUNT),
        ("cycles(confidence)", COUNT),
        ("lower(status.summary)", TEXT),
        ("status.summary or else 'x'", TEXT),
        ("[1, 2.5]", Type("list", item=NUMBER)),
    ],
)
def test_types_of_values(text, type_):
    assert check(parse(text), SCOPE, want=None).type == type_


def test_a_value_of_a_wanted_type():
    assert check(parse("70"), SCOPE, want=PERCENT).op == "percent"
    assert check(parse("100 * tasks.done / tasks.total"), SCOPE, want=PERCENT).type == NUMBER
    assert check(parse("open"), SCOPE, want=SCOPE.facts["circuit.state"].type).args == ("OPEN",)
    for text, want in (("tasks.done", PERCENT), ("30m", COUNT), ("progress.made", NUMBER), ("'x'", DURATION)):
        with pytest.raises(LanguageError) as caught:
            check(parse(text), SCOPE, want=want)
        assert [problem.code for problem in caught.value.problems] == ["EP409"]


def test_every_leaf_of_a_condition_reports_its_own_problem():
    text = "taks.done > 3 or circuit.state is OPNE or (tasks.done >= 70% and confidence > 700) or nope"
    with pytest.raises(LanguageError) as caught:
        check(parse(text), SCOPE)
    found = [(problem.code, text[problem.start : problem.end]) for problem in caught.value.problems]
    assert found == [
        ("EP401", "taks.done"),
        ("EP405", "OPNE"),
        ("EP407", "tasks.done >= 70%"),
        ("EP413", "700"),
        ("EP401", "nope"),
    ]


def test_a_fact_beats_a_member_of_the_same_name():
    state = SCOPE.facts["circuit.state"]
    scope = Scope({"circuit.state": state, "open": state}, {}, {})
    assert unparse(check(parse("circuit.state is open"), scope)) == "circuit.state is open"


def test_conditions_in_a_circle_do_not_hang():
    scope = Scope(SCOPE.facts, {}, {"a": parse("@b"), "b": parse("@a or progress.made")})
    assert check(parse("@a and @b"), scope).type == BOOL


def test_the_same_text_in_another_scope_is_checked_anew() -> None:
    """What a tree was checked to be is kept with it: never for names that are something else."""
    text = "state == DONE and (@ready) for $n consecutive iterations"
    enum, other = (Type("enum", members=members) for members in (("DONE", "OPEN"), ("OPEN", "SHUT")))
    ready = {"ready": check(parse("state is known"), Scope({"state": FactSpec("state", enum, "")}, {}, {}))}
    deep = {"ready": check(parse("(true) for 500 consecutive iterations"), Scope({}, {}, {}))}

    def scope(type: Type, conditions: dict[str, Node], **parameters: Type) -> Scope:
        return Scope({"state": FactSpec("state", type, "")}, parameters, conditions)

    right = scope(enum, ready, n=COUNT)
    wrong = (
        scope(other, ready, n=COUNT),
        scope(enum, {}, n=COUNT),
        scope(enum, ready),
        scope(enum, ready, n=TEXT),
    )
    assert check(parse(text), right) is check(parse(text), right)
    for one in wrong:
        with pytest.raises(LanguageError):
            check(parse(text), one)
        assert check(parse(text), right).args[0].args[1].type == enum
    assert check(parse(text), scope(enum, deep, n=COUNT)) is not check(parse(text), right)
