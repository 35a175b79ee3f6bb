"""Work grows with the number of rules, not with its square: calls are counted, no clock is read."""

from __future__ import annotations

from steps import steps

from exitgate.analysis.counterfactuals.outlook import outlook
from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.analysis.space.domains import domains
from exitgate.analysis.walk.queries import Limits, can_decide
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Rule

FEW, MANY = 80, 320
#: Four times the rules may take so many times the steps: a square takes sixteen.
FACTOR = 4.6
CLASSES = ("stuck", "blocked", "review")


def policy(count: int) -> CompiledPolicy:
    """Return a policy of `count` rules, each over a fact of its own and one of ten that are shared."""
    names = [*(f"own.f{n}" for n in range(count)), *(f"shared.f{n}" for n in range(10))]
    facts = {name: FactSpec(name, COUNT, "", low=0) for name in names}
    rules = []
    for n in range(count):
        text = f"own.f{n} >= {2 + n} and shared.f{n % 10} > 1"
        if n % 5 == 2:
            text = f"(own.f{n} > 3) for 2 consecutive iterations"
        node = check(parse(text), Scope(facts, {}, {}))
        effect = "continue" if n % 20 == 19 else "exit"
        exit_class = CLASSES[n % 3] if effect == "exit" else None
        rules.append(Rule(f"r{n}", effect, exit_class, f"r{n}", node, text))
    return CompiledPolicy(
        name="many", format=1, version="1.0.0", title="", digest="00", path="many.yaml", parameters={},
        extractions=(), derived=(), facts=facts, conditions={}, rules=tuple(rules), otherwise_message=(),
        exit_after_blind=None, unreadable={}, invariants=(), lookback=1,
    )  # fmt: skip


def record(made: CompiledPolicy) -> Record:
    """Return a record in which every second fact is known, and no rule true."""
    return Record(dict.fromkeys(list(made.facts)[::2], 1))


def grows(work: object) -> float:
    """Return how many times the steps of FEW rules MANY take."""
    found = []
    for count in (FEW, MANY):
        made = policy(count)
        run = work(made)  # type: ignore[operator]
        found.append(steps(run))
    return found[1] / found[0]


def test_an_outlook_is_linear() -> None:
    def work(made: CompiledPolicy) -> object:
        program, now = Program(made), record(made)
        decision = program.decide((now,))
        return lambda: outlook(program, (now,), decision)

    assert grows(work) < FACTOR


def test_candidates_are_linear() -> None:
    assert grows(lambda made: lambda: domains(made)) < FACTOR


def test_whether_each_rule_can_decide_is_linear() -> None:
    def work(made: CompiledPolicy) -> object:
        rules = [rule.id for number, rule in enumerate(made.rules) if number % 8 in (2, 3)]
        limits = Limits(seconds=60.0, small=False)
        return lambda: [can_decide(made, rule, limits) for rule in rules]

    assert grows(work) < FACTOR


def test_the_second_opinion_asks_again_only_about_rules_whose_facts_changed() -> None:
    made = policy(MANY)
    program, now = Program(made), record(made)
    first = steps(lambda: ask_second_opinion(program, (now,), "after_iteration"))
    again = steps(lambda: ask_second_opinion(program, (now,), "after_iteration"))
    changed = now.with_values({"own.f7": 9})
    one = steps(lambda: ask_second_opinion(program, (changed,), "after_iteration"))
    assert again < one < again + first / 20
    assert again < first / 5


def test_every_kind_of_value_is_another_input() -> None:
    made = policy(1)
    program = Program(made)
    values: list[object] = [0, False, 0.0, 1, True, Unknown("a", "b")]
    asked = [
        steps(lambda v=v: ask_second_opinion(program, ({"own.f0": v},), "after_iteration")) for v in values
    ]
    again = steps(lambda: ask_second_opinion(program, ({"own.f0": 0},), "after_iteration"))
    assert min(asked) > again
