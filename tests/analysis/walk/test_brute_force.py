"""Questions about small policies answered like trying every point on the engine, one by one."""

from __future__ import annotations

from itertools import product

from cases import each
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_policies import OPERATIONS, small_policies
from small import policy as made

from exitgate.analysis.results.answer import at_no_point
from exitgate.analysis.walk.queries import PROVED, REFUTED, Limits, can_be, can_decide, most_of, reaches
from exitgate.analysis.walk.query_cache import QueryCache
from exitgate.analysis.walk.questions import Condition, Decided, Question, Winner, bit_of, results
from exitgate.analysis.walk.variables import Variables
from exitgate.core.engine.program import Program
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy

#: Runs that are tried one by one at most.
MOST = 3000
LIMITS = Limits(seconds=20)
FAMILIES = frozenset(OPERATIONS) - {"progress"}


def every_run(variables: Variables) -> list[tuple[dict[str, object], ...]]:
    """Return each combination of choices, computed facts left out."""
    plain = [cluster for number, cluster in enumerate(variables.clusters) if number not in variables.guessed]
    once = [
        {
            name: value
            for cluster, choice in zip(plain, combination, strict=True)
            for name, value in zip(cluster.names, choice, strict=True)
            if not isinstance(value, Unknown)
        }
        for combination in product(*(cluster.choices for cluster in plain))
    ]
    return [*product(once, repeat=variables.length)]


def size(variables: Variables) -> int:
    count = 1
    for number, cluster in enumerate(variables.clusters):
        if number not in variables.guessed:
            count *= len(cluster.choices)
    return count**variables.length


def tried(question: Question, policy: CompiledPolicy) -> bool:
    """Return whether some run up to the length that can matter is one that the engine plays to an answer."""
    cache = QueryCache((policy,), ())
    lengths = list(question.lengths(most_of(question)))
    assume(size(cache.variables(lengths[-1])) <= MOST)
    return any(
        question.shown(run) is not None for length in lengths for run in every_run(cache.variables(length))
    )


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(FAMILIES), st.data())
def test_random_policies(policy: CompiledPolicy, data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(policy.rules))
    kind = data.draw(st.sampled_from(("winner", "true", "unknown", "EXIT", "CONTINUE", "otherwise")))
    stage = rule.stage
    if kind == "winner":
        question: Question = Winner(policy, rule.id)
        there = tried(question, policy)
        answer = can_decide(policy, rule.id, LIMITS)
    elif kind in ("true", "unknown"):
        truth = True if kind == "true" else None
        question = Condition(policy, [(rule.when, bit_of(truth))])
        there = tried(question, policy)
        answer = can_be(policy, rule.when, truth, LIMITS)
    else:
        question = Decided(policy, results(policy, kind, stage), stage, None)
        there = tried(question, policy)
        answer = reaches(policy, kind, LIMITS, stage)
    assert (answer.status == REFUTED) == there
    assert answer.status == PROVED or there or answer.why.startswith(at_no_point(answer.points))
    if answer.run is not None:
        assert question.shown(answer.run) == answer.run


#: Rules in order, and which of them can decide.
CHAINS = [
    (("n >= 5 -> complete", "n >= 7 -> stuck", "n >= 2 -> stuck"), "yny"),
    (("a -> complete", "not a -> stuck", "a is known -> blocked", "a is unknown -> review"), "yyny"),
    (("n > 3 and n < 4 -> complete", "x > 3 and x < 4 -> complete"), "ny"),
    (("a and b -> complete", "a or b -> stuck", "not a and not b -> review", "b -> blocked"), "yyyn"),
    (("(a) for 2 consecutive iterations -> stuck", "a -> complete",
      "(a) for 3 consecutive iterations -> review"), "yyn"),
    (("after 3 iterations -> stuck", "(a) for 3 consecutive iterations -> review",
      "not after 2 iterations and a -> complete"), "yny"),
    (("n unchanged for 2 iterations -> stuck", "(n == 4) for 3 consecutive iterations -> review"), "yn"),
    (("n >= $two + 3 -> complete", "n == 5 -> stuck", "n == 4 -> review"), "yny"),
    (("count(a, last 3) >= 2 -> stuck", "at least 2 of last 3 where (a) -> review", "a -> complete"), "yny"),
    (("streak(a) >= 2 -> stuck", "a and previous(a) -> review", "not previous(a) -> complete"), "yny"),
    (("sig repeats 3 times -> stuck", "cycles(sig, last 6) >= 3 -> review",
      "occurrences(sig, last 4) >= 4 -> halted"), "yyn"),
    (("sum(n, last 3) >= 10 -> stuck", "(n >= 5) for 3 consecutive iterations -> review",
      "n > 0 -> complete"), "yny"),
    (("nothing is known -> stuck", "a is unknown and b is unknown -> review", "a -> complete"), "yyy"),
    (("(a or else true) -> stuck", "a -> complete", "not a -> review"), "yny"),
]  # fmt: skip


@each(("rules", "can"), CHAINS, ids=lambda value: str(value)[:40])
def test_chains(rules: tuple[str, ...], can: str) -> None:
    of = made(*rules)
    program = Program(of)
    for number, expected in enumerate(can):
        answer = can_decide(of, f"r{number}", LIMITS)
        assert (answer.status == REFUTED) == (expected == "y"), rules[number]
        assert (
            answer.status == REFUTED
            or answer.status == PROVED
            or answer.why.startswith(at_no_point(answer.points))
        )
        if answer.run is not None:
            assert program.winner(program.complete_all(answer.run)) == number
