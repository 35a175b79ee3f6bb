"""Asking only what a decision hangs on, against asking for everything."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_policies import OPERATIONS, small_policies

from exitgate.analysis.space.domains import domains
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.engine.stages import AFTER, BEFORE
from exitgate.core.model.value import NOT_ASKED, Unknown
from exitgate.core.policy.compiled import CompiledPolicy

#: What is asked for may be in no form of history, and moves nothing.
FAMILIES = frozenset(OPERATIONS) - {"history", "counting", "series", "progress", "endings", "blocks", "plans"}
LEFT = Unknown(NOT_ASKED, "probe")
STAGES = (AFTER, BEFORE)


def decided(program: Program, values: dict[str, object], stages: tuple[str, ...]) -> tuple[object, ...]:
    """Return the evaluation, and what is decided: verdict, class, outcome and rule."""
    evaluation = Evaluation(program)
    evaluation.observe(Record(values))
    decision = evaluation.decide(stages)
    return evaluation, (decision.verdict, decision.exit_class, decision.outcome, decision.rule)


def unread(policy: CompiledPolicy, names: Collection[str]) -> CompiledPolicy:
    """Return the policy with facts that nothing of the agent's is read for, as those of probes are."""
    changed = {name: policy.facts[name].but(read=False) for name in names}
    return policy.but(facts={**policy.facts, **changed})


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(FAMILIES, given=False), st.sampled_from((None, 1)), st.data())
def test_asking_what_is_needed_decides_as_asking_for_everything_does(
    policy: CompiledPolicy, blind: int | None, data: st.DataObject
) -> None:
    computed = {fact.name for fact in policy.derived}
    possible = {name: values for name, values in domains(policy).items() if name not in computed}
    assume(possible)
    program, stages = (
        Program(policy.but(exit_after_blind=blind)),
        data.draw(st.sampled_from((STAGES, (AFTER,)))),
    )

    def drawn() -> dict[str, object]:
        return {name: data.draw(st.sampled_from(values)) for name, values in possible.items()}

    answers = drawn()
    left = data.draw(st.sets(st.sampled_from(sorted(possible)), min_size=1))
    program = Program(unread(policy, left).but(exit_after_blind=blind))
    values = {name: LEFT if name in left else value for name, value in answers.items()}
    while True:
        evaluation, came_out = decided(program, values, stages)
        needs = evaluation.unasked(stages)[1]
        assert needs <= {name for name in left if values[name] is LEFT}
        if not needs:
            break
        name = data.draw(st.sampled_from(sorted(needs)))
        values[name] = answers[name]
    assert came_out == decided(program, answers, stages)[1]
    for _ in range(3):  # what was not asked for makes no difference, whatever it is
        others = drawn()
        other = {name: others[name] if value is LEFT else value for name, value in values.items()}
        assert decided(program, other, stages)[1] == came_out


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(frozenset(("membership", "silence")), given=False), st.data())
def test_nothing_is_asked_for_where_no_answer_could_change_the_decision(
    policy: CompiledPolicy, data: st.DataObject
) -> None:
    """Of a policy over flags alone, which have three answers each, all of them are tried."""
    flags = sorted(name for name, spec in policy.facts.items() if spec.type.kind == "bool")
    assume(flags)
    possible = domains(policy)
    program = Program(unread(policy, flags))
    values = {name: data.draw(st.sampled_from(some)) for name, some in possible.items()} | dict.fromkeys(
        flags, LEFT
    )
    evaluation, _ = decided(program, values, STAGES)
    if not evaluation.unasked(STAGES)[1]:
        return
    found = set()
    for answers in _every(flags):
        found.add(decided(program, {**values, **answers}, STAGES)[1])
    assert len(found) > 1


def _every(names: list[str]) -> list[dict[str, object]]:
    """Return every way in which flags can be answered."""
    ways: list[dict[str, object]] = [{}]
    for name in names:
        ways = [{**way, name: value} for way in ways for value in (True, False, Unknown("no answer", name))]
    return ways
