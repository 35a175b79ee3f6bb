"""Runs that end, and rounds of inputs that go on for ever: proved, and played on the engine."""

from __future__ import annotations

import pytest
from small import also, policy

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.bound import longest, prove_bound
from exitgate.analysis.prove.cycles import endless, repeated
from exitgate.analysis.prove.proof import NOTED
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, at_no_point
from exitgate.analysis.simulation import iterations_simulated
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import COUNT, DURATION, Type
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = Limits(seconds=20)
ASKER = Backend(limits=LIMITS)
RUN = {"run.iterations": COUNT, "run.elapsed": DURATION, "run.cost": Type("money", currency="USD")}


def with_counters(*rules: str) -> CompiledPolicy:
    """Return a policy whose rules may name counters; ``... -> exhausted`` is asked before an iteration."""
    of = policy()
    counters = {name: FactSpec(name, kind, "", low=0, read=False) for name, kind in RUN.items()}
    of = of.but(facts={**of.facts, **counters})
    made = []
    for number, text in enumerate(rules):
        when, _, effect = text.rpartition(" -> ")
        plain = policy(f"a -> {effect}").rules[0]
        stage = "before_iteration" if effect == "exhausted" else "after_iteration"
        id = f"r{number}"
        made.append(plain.but(id=id, outcome=id, when=also(of, when), text=when, stage=stage))
    return of.but(rules=tuple(made))


def test_the_smallest_number_of_iterations_is_told() -> None:
    of = with_counters(
        "a -> complete", "run.iterations >= 7 -> exhausted", "run.iterations >= 12 -> exhausted"
    )
    (proof,) = prove_bound(of, ASKER)
    assert proof.status == PROVED
    assert proof.says.startswith("after at most 7 iterations, by `r1` or `r2` (before_iteration)")


def test_a_rule_that_goes_on_first_takes_the_bound_away() -> None:
    of = with_counters("a -> continue", "run.iterations >= 7 -> complete")
    (proof,) = prove_bound(of, ASKER)
    assert (proof.status, proof.series) == (NOTED, 1)
    assert proof.answer is not None
    assert proof.answer.run == ({"a": True},)


def failing(of: CompiledPolicy, *rules: str) -> CompiledPolicy:
    """Return the policy with more rules that are asked after a failure."""
    made = []
    for number, text in enumerate(rules):
        when, _, effect = text.rpartition(" -> ")
        id, plain = f"f{number}", policy(f"a -> {effect}").rules[0]
        made.append(plain.but(id=id, outcome=id, when=also(of, when), text=when, stage="after_failure"))
    return of.but(rules=(*of.rules, *made))


def test_an_agent_that_keeps_failing_passes_a_bound_behind_other_iterations() -> None:
    of = with_counters("run.iterations >= 7 -> stuck")
    bound, rest = prove_bound(of, ASKER)
    assert (bound.subject, bound.status) == ("runs without failures end", PROVED)
    assert bound.says == "after at most 7 iterations, by `r0` (after_iteration)"
    assert (rest.subject, rest.status, rest.stage) == ("every run ends", NOTED, "after_failure")
    assert rest.says == "a run that never ends: one iteration, in which the agent fails, repeated"
    run = (rest.answer.run or ()) * 90
    assert iterations_simulated(of, run, "after_failure") == 90
    assert iterations_simulated(of, run) == 6


def test_a_bound_on_both_sides_of_a_failure_is_one() -> None:
    of = failing(with_counters("run.iterations >= 7 -> stuck"), "run.iterations >= 9 -> stuck")
    both, other = prove_bound(of, ASKER)
    assert (both.subject, both.status) == ("every run ends", PROVED)
    assert both.says == "after at most 9 iterations, by `r0` (after_iteration) and `f0` (after_failure)"
    assert (other.subject, other.status) == ("runs without failures end", PROVED)
    assert other.says == "after at most 7 iterations, by `r0` (after_iteration)"


def test_failures_that_are_counted_end_a_run_of_failures() -> None:
    of = with_counters("run.iterations >= 7 -> stuck")
    counted = FactSpec("run.failures_in_row", COUNT, "", low=0, read=False)
    of = of.but(facts={**of.facts, counted.name: counted})
    _, rest = prove_bound(failing(of, "run.failures_in_row >= 3 -> stuck"), ASKER)
    assert rest.status == UNDECIDED, "one iteration may succeed after every two, before the seventh"
    assert (
        iterations_simulated(failing(of, "run.failures_in_row >= 3 -> stuck"), ({},) * 9, "after_failure")
        == 2
    )


def test_time_and_cost_bound_a_run_where_they_are_known() -> None:
    of = with_counters("run.elapsed > 2h -> exhausted", "run.cost >= 5 USD -> exhausted")
    time, cost, rest = prove_bound(of, ASKER)
    assert (time.status, cost.status, rest.status) == (PROVED, PROVED, NOTED)
    assert "`run.elapsed` is 2h" in time.says
    assert "`run.cost` is 5 USD" in cost.says
    assert "unless a budget above ends it" in rest.says


@pytest.mark.parametrize(
    ("rules", "period"),
    [
        (("a -> complete",), 1),
        (("a -> complete", "n unchanged for 1 iterations -> stuck", "n is unknown -> stuck"), 2),
        (("n unchanged for 1 iterations -> stuck", "n is unknown -> stuck",
          "n == first(n, last 3) and n != previous(n) -> stuck"), 3),
        (("n is unknown -> stuck", "not (n > previous(n)) -> stuck"), 0),
    ],
)  # fmt: skip
def test_the_shortest_round(rules: tuple[str, ...], period: int) -> None:
    of = policy(*rules)
    answer, found = endless(of, (), LIMITS)
    assert found == period
    if period:
        assert answer.status == REFUTED
        run = answer.run or ()
        assert len(run) == period
        assert iterations_simulated(of, repeated(run, 50)) >= 50
    else:
        assert answer.status == UNDECIDED
        assert "no short cycle" in answer.why


def test_what_is_assumed_holds_in_every_iteration() -> None:
    of = policy("n > 5 -> complete")
    answer, _ = endless(of, [also(of, "n > 3")], LIMITS)
    assert answer.run is not None
    assert all(values["n"] in (4, 5) for values in answer.run)
    assert endless(of, [also(of, "n > 5")], LIMITS)[0].status == UNDECIDED


def test_a_run_of_nothing_ends_where_a_policy_bounds_blind_decisions() -> None:
    of = policy("a -> complete")
    assert endless(of, (), LIMITS)[0].run == ({},)
    blind = of.but(exit_after_blind=3)
    answer, _ = endless(blind, (), LIMITS)
    assert answer.run is not None
    assert answer.run != ({},)
    assert iterations_simulated(blind, ({},) * 9) == 2


def test_the_breaker_of_a_policy_moves_while_a_run_is_played() -> None:
    of = load_policy("ralph-faithful")
    failing = {"status.files_modified": 1, "errors.signature": "the same"}
    played = iterations_simulated(of, (failing,) * 40)
    assert 1 <= played < 40
    answer, period = endless(of, (), LIMITS)
    assert answer.status == REFUTED
    assert iterations_simulated(of, repeated(answer.run or (), 40)) >= 40
    assert period == 1


@pytest.mark.parametrize(
    ("rules", "assumed", "most"),
    [
        (("n >= 4 -> complete", "n is unknown -> stuck"), ("n > previous(n)",), 4),
        (("n >= 3 -> complete", "n is unknown -> stuck", "n unchanged for 2 iterations -> stuck"),
         ("n >= previous(n)",), 6),
        (("a is unknown -> stuck", "(a) for 2 consecutive iterations -> stuck",
          "(not a) for 1 consecutive iterations -> stuck"), (), 1),
    ],
)  # fmt: skip
def test_the_longest_run(rules: tuple[str, ...], assumed: tuple[str, ...], most: int) -> None:
    of = policy(*rules)
    nodes = [also(of, text) for text in assumed]
    run, answer = longest(of, nodes, LIMITS)
    assert len(run) == iterations_simulated(of, run) == most
    assert answer.status == PROVED or answer.why == at_no_point(answer.points)


def test_a_longest_run_is_a_proof_where_only_constants_matter() -> None:
    of = policy("a is unknown -> stuck", "(a) for 2 consecutive iterations -> stuck", "not a -> stuck")
    (proof,) = prove_bound(of, ASKER, [also(of, "b")])
    assert proof.status == PROVED
    assert proof.says == "at most 1 iteration without an exit or a failure"
    of = policy("n >= 3 -> complete", "n is unknown -> stuck")
    (proof,) = prove_bound(of, ASKER, [also(of, "n > previous(n)")])
    assert proof.status == UNDECIDED
    assert proof.says.startswith("runs of 3 iterations are possible, longer ones: no example at any of ")
