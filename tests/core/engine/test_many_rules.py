"""Chains with an index decide and record as those without, and ask few of their rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from cases import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exitgate.core.engine import chain
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.evaluation import index
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CLASSES, Decision
from exitgate.core.model.value import PERCENT, TEXT
from exitgate.core.policy.compiled import CompiledPolicy
from policies import UNKNOWN, compare, formula, node, op, parameter, points, policy, rule

NUMBERS = ("tasks.done", "errors.count", "tasks.percent", "run.iterations", "score", "half")
SIGNS = (">=", ">", "<=", "<", "==", "!=")
LIMITS = st.one_of(st.integers(-1, 4), st.sampled_from((0.5, 2.5, 10**30, "$limit")))
STATES = st.sampled_from(("CLOSED", "HALF_OPEN", "OPEN"))


def _of_item(name: str, *items: object):
    return op(name, "circuit.state", op("list", *items))


def _text(name: str, value: str):
    return op(name, "words", Node("text", (value,), type=TEXT))


LEAVES = st.one_of(
    st.builds(compare, st.sampled_from(NUMBERS), st.sampled_from(SIGNS), LIMITS),
    st.builds(compare, st.integers(0, 3), st.sampled_from(SIGNS), st.sampled_from(NUMBERS[:2])),
    st.builds(op, st.sampled_from(("is", "is_not")), st.just("circuit.state"), STATES),
    st.builds(_of_item, st.sampled_from(("in", "not_in")), STATES, STATES),
    st.builds(_text, st.sampled_from(("is", "is_not")), st.sampled_from(("a", "A", "b"))),
    st.builds(lambda want: op("is", "flag", want), st.booleans()),
    st.builds(node, st.sampled_from(("flag", "@named", True, False))),
    st.builds(op, st.just("between"), st.sampled_from(NUMBERS[:3]), st.integers(0, 2), st.integers(1, 4)),
    st.builds(op, st.sampled_from(("known", "unknown")), st.sampled_from((*NUMBERS, "flag"))),
    st.just(op("silence")),
)


def _grow(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: op("and", *p)),
        pair.map(lambda p: op("or", *p)),
        inner.map(lambda one: op("not", one)),
        st.tuples(inner, st.integers(1, 3)).map(lambda p: op("consecutive", *p)),
        st.tuples(inner, st.booleans()).map(lambda p: op("or_else", *p)),
    )


CONDITIONS = st.recursive(LEAVES, _grow, max_leaves=5)
EFFECTS = st.sampled_from(("complete", "stuck", "review", "continue", "warn"))
MODES = st.sampled_from(("enforce", "enforce", "enforce", "warn", "shadow"))


@st.composite
def chains(draw):
    plain = draw(st.booleans())
    rules = [
        rule(f"r{i}", draw(CONDITIONS), "stuck" if plain else draw(EFFECTS),
             mode="enforce" if plain else draw(MODES), because=(f"{i} ", ("tasks.done",)))
        for i in range(draw(st.integers(1, 12)))
    ]  # fmt: skip
    return policy(
        *rules,
        derived=(
            points("score", [(compare("tasks.done", ">", 1), 2), (node("flag"), 1)], 0, 4),
            formula("half", op("div", "errors.count", 2), 0, 3),
        ),
        parameters=(parameter("limit", draw(st.sampled_from((1, 2.5))), PERCENT),),
        conditions={"named": draw(LEAVES.filter(lambda one: one.op != "condition"))},
        exit_after_blind=draw(st.sampled_from((None, 2))),
        unreadable=draw(st.sampled_from(({}, {"flag": True}))),
    )


VALUES = st.one_of(st.integers(0, 4), st.just(UNKNOWN))
ODD = st.sampled_from((True, "2", float("nan"), None, 1.5, 10**31))
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("tasks.done", "errors.count", "run.iterations"), st.one_of(VALUES, VALUES, ODD)),
        "tasks.percent": st.one_of(VALUES, st.sampled_from((0.5, 99.5, float("nan")))),
        "circuit.state": st.sampled_from(("CLOSED", "open", "Half_Open", "other", UNKNOWN, 3)),
        "flag": st.sampled_from((True, False, UNKNOWN, 1)),
        "words": st.sampled_from(("a", "A", "", UNKNOWN)),
    },
)


@contextmanager
def indexed(limit: float = 2.0, nested: int = 0):
    """Index every chain from its first decision on, and use it no matter how little it leaves out."""
    with (
        patch.object(chain, "INDEX_FROM", 1),
        patch.object(chain, "INDEX_AFTER", -1),
        patch.object(index, "DENSE", limit),
        patch.object(index, "NESTED", nested),
    ):
        yield


def everything(program: Program, records: Sequence[Mapping[str, object]]) -> tuple[object, ...]:
    """Return all that a program says of records, as text: unknowns with their reasons."""
    decision = program.decide(records, moment=0.0)
    assert isinstance(decision, Decision)
    truths = [(one.id, truth) for one, truth in program.truths(records)]
    return repr(decision), program.winner(records), repr(truths), repr(program.trace(records))  # type: ignore[attr-defined]


@given(chains(), st.lists(st.lists(RECORDS, min_size=1, max_size=3), min_size=1, max_size=4))
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_index_changes_nothing(made: CompiledPolicy, runs: list[list[dict[str, object]]]) -> None:
    plain = Program(made)
    complete = [plain.complete([Record(record) for record in run]) for run in runs]
    expected = [everything(plain, run) for run in complete]
    with indexed():
        program = Program(made)
        assert [everything(program, run) for run in complete] == expected


@contextmanager
def counted():
    """Count how often conditions of rules are asked."""
    asked: list[str] = []

    class Counting(chain.Clause):
        __slots__ = ()

        def __init__(self, rule, policy, compilation):  # type: ignore[no-untyped-def]
            super().__init__(rule, policy, compilation)
            plain: Callable[[object], object] = self.test
            self.test = lambda records: (asked.append(rule.id), plain(records))[1]

    with patch.object(chain, "Clause", Counting):
        yield asked


HOLD = 10
FACTS = ("tasks.done", "errors.count", "run.iterations", "tasks.total", "confidence")


def many(count: int, effect: str = "warn") -> CompiledPolicy:
    """Return a policy of `count` rules, of which every (`count` / `HOLD`)th is true of `QUIET` records."""
    rules = []
    for number in range(count):
        name = FACTS[number % len(FACTS)]
        shapes = (
            compare(name, ">", 1000 + number),
            op("and", op("is", "circuit.state", "OPEN"), compare(name, ">=", number % 40)),
            op("or", compare(name, ">", 1000 + number), op("is", "circuit.state", "HALF_OPEN")),
            op("between", name, -number - 2, -number - 1),
        )
        holds = number % (count // HOLD) == count // HOLD - 1
        rules.append(rule(f"r{number}", compare(name, ">=", 7) if holds else shapes[number % 4], effect))
    return policy(*rules[:-1], rule("last", compare("tasks.done", ">=", 7), "stuck"))


QUIET = {**dict.fromkeys(FACTS, 7), "circuit.state": "CLOSED"}


@each("effect", ("warn", "shadow", "exit"))
def test_a_decision_asks_the_rules_that_can_hold_and_no_more(effect: str) -> None:
    asked_of = {}
    for count in (400, 800, 1_600):
        with counted() as asked:
            made = many(count)
            if effect != "warn":
                mode = "shadow" if effect == "shadow" else "enforce"
                made = made.but(rules=tuple(
                    one.but(effect="exit", exit_class="stuck", mode=mode) if one.id != "last" else one
                    for one in made.rules
                ))  # fmt: skip
            program = Program(made)
            plain = [repr(program.decide([QUIET])) for _ in range(chain.INDEX_AFTER + 1)]
            asked.clear()
            assert repr(program.decide([QUIET])) == plain[0]
            asked_of[count] = len(asked)
    first = 1 if effect == "exit" else HOLD
    assert set(asked_of.values()) == {first}


def test_unknown_facts_leave_their_rules_open() -> None:
    with counted() as asked:
        program = Program(many(400))
        for _ in range(chain.INDEX_AFTER + 1):
            program.decide([QUIET])
        records = [{**QUIET, "run.iterations": UNKNOWN}]
        asked.clear()
        decision = program.decide(records)
        narrowed = len(asked)
    assert repr(decision) == repr(Program(many(400)).decide(records))
    assert len(decision.undetermined) > 40
    assert narrowed <= 400 * index.DENSE + HOLD


def test_a_single_decision_makes_no_index() -> None:
    with patch.object(index, "ConditionIndex", side_effect=AssertionError("made")):
        assert Program(many(400)).decide([QUIET]).rule == "last"
        assert Program(many(40)).winner([QUIET]) == 0


def test_every_class_of_an_exit_is_told_apart() -> None:
    rules = [rule(f"r{i}", compare("errors.count", ">", i), CLASSES[i % len(CLASSES)]) for i in range(200)]
    program = Program(policy(*reversed(rules)))
    for count in range(0, 201, 7):
        decision = program.decide([{"errors.count": count}])
        assert decision.rule == (f"r{count - 1}" if count else None)
        assert len(decision.steps) == 200
