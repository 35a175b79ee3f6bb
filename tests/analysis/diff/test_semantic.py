"""On which inputs two policies decide differently: nothing is left out, nothing is made up."""

from __future__ import annotations

from pathlib import Path

from cases import each
from compared_policies import two
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import small_policies

from exitgate.analysis.diff.divergence import Divergence, count_differences, divergences
from exitgate.analysis.diff.semantic import decision_changes, invisible_changes, result_of
from exitgate.analysis.diff.textual import text_changes
from exitgate.analysis.results.answer import PROVED, proved
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy, Rule

LIMITS = Limits(seconds=20.0, points=10**9)
QUIET = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def kinds(before: CompiledPolicy, after: CompiledPolicy) -> list[tuple[str | None, str | None]]:
    return sorted((k.before.rule, k.after.rule) for k in decision_changes(before, after, LIMITS).kinds)


def test_a_higher_threshold_is_told_with_the_value_between(tmp_path: Path) -> None:
    one, other = (side.policy for side in two(tmp_path, ("default: 80", "default: 90")))
    found = decision_changes(one, other, LIMITS)
    assert found.rest.status == PROVED
    told = {(k.before.rule, k.after.rule): k for k in found.kinds}
    assert set(told) == {("enough", None), ("enough", "stale")}
    assert told["enough", None].run == ({"tasks.percent": 89},)
    *earlier, last = told["enough", "stale"].run
    assert all(facts.get("tasks.percent", 0) < 80 for facts in earlier)  # else the run had ended before
    assert 80 <= last["tasks.percent"] < 90


def test_a_strict_bound_differs_at_the_bound_alone(tmp_path: Path) -> None:
    one, other = (side.policy for side in two(tmp_path, (">= $goal", "> $goal")))
    runs = [kind.run[-1]["tasks.percent"] for kind in decision_changes(one, other, LIMITS).kinds]
    assert runs == [80, 80]


def test_words_make_no_difference_and_need_no_walk(tmp_path: Path) -> None:
    one, other = two(tmp_path, ("nothing moves", "it stands"), ("doc: Enough.", "doc: Done."))
    found = decision_changes(one.policy, other.policy, LIMITS)
    assert (found.kinds, found.rest, found.differ) == ((), proved(), False)
    assert not invisible_changes(text_changes(one, other))


def test_the_same_said_in_other_words_is_walked_and_found_equal(tmp_path: Path) -> None:
    one, other = two(tmp_path, ("tasks.percent >= $goal", "not (tasks.percent < $goal)"))
    found = decision_changes(one.policy, other.policy, LIMITS)
    assert (found.kinds, found.rest.status) == ((), PROVED)
    assert found.rest.points > 0


def test_a_warning_is_told_apart_from_decisions(tmp_path: Path) -> None:
    one, other = two(tmp_path, ("when: score < 50", "when: score < 70"))
    found = decision_changes(one.policy, other.policy, LIMITS)
    assert found.kinds == ()
    (kind,) = found.warned
    assert (kind.before.warnings, kind.after.warnings) == ((), ("doubt",))


def test_what_facts_cannot_show_is_named(tmp_path: Path) -> None:
    changes = (
        ("[done, finished]", "[done]"),
        ("for 5 iter", "for 6 iter"),
        ("exit_after: 5", "exit_after: 6"),
    )
    one, other = two(tmp_path, *changes)
    hidden = invisible_changes(text_changes(one, other))
    assert (hidden.reading, hidden.breaker, hidden.silence) == (("sure",), ("still",), True)
    assert decision_changes(one.policy, other.policy, LIMITS).kinds == ()


def test_a_fact_that_one_alone_has_is_named(tmp_path: Path) -> None:
    one, other = two(
        tmp_path, ("score < 50", "sure.count < 50"), ("  score:", "  points:"), ("only {score}", "few")
    )
    found = decision_changes(one.policy, other.policy, LIMITS)
    assert (found.only_before, found.only_after) == (("score",), ())


@each("name", shipped.policies())
def test_no_policy_differs_from_itself(name: str) -> None:
    found = decision_changes(load_policy(name), load_policy(name), LIMITS)
    assert (found.kinds, found.warned, found.rest.status, found.quiet.status) == ((), (), PROVED, PROVED)


def mutated(policy: CompiledPolicy, draw: st.DrawFn) -> CompiledPolicy:
    """Return the policy with rules left out, in another order, or in another mode or class."""
    rules: list[Rule] = list(policy.rules)
    way = draw(st.integers(0, 3))
    at = draw(st.integers(0, len(rules) - 1))
    if way == 0:
        del rules[at]
    elif way == 1:
        rules.insert(draw(st.integers(0, len(rules) - 1)), rules.pop(at))
    elif way == 2:
        rules[at] = rules[at].but(mode="shadow" if rules[at].mode == "enforce" else "enforce")
    else:
        other = draw(st.integers(0, len(rules) - 1))
        rules[at] = rules[at].but(when=rules[other].when)
    return policy.but(rules=tuple(rules))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[CompiledPolicy, CompiledPolicy]:
    policy = draw(small_policies())
    return policy, mutated(policy, draw)


STAGES = ("before_iteration", "after_iteration", "after_failure")


@QUIET
@given(pairs())
def test_every_difference_that_points_show_is_found_by_the_walk_and_every_one_found_is_real(
    pair: tuple[CompiledPolicy, CompiledPolicy],
) -> None:
    programs = Program(pair[0]), Program(pair[1])
    for stage in STAGES:
        found = divergences(*pair, stage, Limits(seconds=0.5, points=5_000))
        for results, run in found.examples.items():
            said = tuple(result_of(program, run, stage).decides for program in programs)
            assert said == results
            assert said[0] != said[1]
        if found.rest.status == PROVED:
            assert count_differences(Divergence(*pair, stage), 300).pairs.keys() <= found.examples.keys()


@QUIET
@given(pairs())
def test_the_order_of_the_two_turns_the_answer_around(pair: tuple[CompiledPolicy, CompiledPolicy]) -> None:
    limits = Limits(seconds=0.3, points=1_000)
    there = divergences(*pair, "after_iteration", limits)
    back = divergences(*reversed(pair), "after_iteration", limits)
    if there.rest.status == back.rest.status == PROVED:
        assert {(one, other) for other, one in back.examples} == there.examples.keys()
