"""Broken promises are found, shrunk, and come back as a case that fails; kept ones are not accused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.samples import Sampler
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.value import Unknown
from exitgate.testing import invariants
from exitgate.testing.cases.load import Suite
from exitgate.testing.counterexample import as_case, as_text
from exitgate.testing.invariants import Sampled, check_invariants, sample_invariant, sample_invariants
from exitgate.testing.runner import run_case

ANY = "  - name: a\n    expect: {blind: true}\n"
SILENT = "when: tasks.percent is unknown\n    on_silence: exit\n    why: a test of silence"
MakeSuite = Callable[..., Suite]

#: An invariant the small policy does not keep, what its smallest counterexample holds, how long it is.
CLOSED = {"circuit.state": "CLOSED"}
BROKEN = [
    ("{id: x, given: tasks.percent >= 80%, never: exit}", {"tasks.percent": 80}, 1),
    ("{id: x, given: tasks.percent > 80%, never: exit}", {"tasks.percent": 81}, 1),
    ("{id: x, given: tasks.percent < 80%, never: exit}", {"tasks.percent": 0, "circuit.state": "OPEN"}, 1),
    ("{id: x, given: tasks.done == 3, always: exit}", {"tasks.done": 3}, 1),
    ("{id: x, given: tasks.total == 0, always: exit}", {"tasks.total": 0}, 1),
    ("{id: x, given: circuit.state is CLOSED, always: exit}", {"circuit.state": "CLOSED"}, 1),
    ("{id: x, given: circuit.state is CLOSED and tasks.percent < 80, never: exit}", CLOSED, 4),
    ("{id: x, given: tasks.done > previous(tasks.done) and tasks.percent < 80, never: exit}", {}, 2),
    ("{id: x, given: run.failed is unknown, always: continue}", {}, 1),
    ("{id: x, given: nothing is known, always: exit}", {}, 1),
    ("{id: x, given: left == 1, never: exit}", {}, 1),
    ("{id: x, given: tasks.percent >= 80%, never: complete}", {"tasks.percent": 80}, 1),
    ("{id: x, given: tasks.percent >= 80%, always: complete}", {"circuit.state": "OPEN"}, 1),
    ("{id: x, given: circuit.state is OPEN, always: complete}", {"circuit.state": "OPEN"}, 1),
    ("{id: x, given: circuit.state is CLOSED, always: complete}", {"circuit.state": "CLOSED"}, 1),
]  # fmt: skip


def promising(make_suite: MakeSuite, policy_text: str, invariant: str) -> Suite:
    head = policy_text[: policy_text.index("invariants:")]
    return make_suite(ANY, head + f"invariants:\n  - {invariant}\n")


def sampled(make_suite: MakeSuite, policy_text: str, invariant: str) -> tuple[Suite, Sampled]:
    """Return what the walk finds of one invariant."""
    suite = promising(make_suite, policy_text, invariant)
    (found,) = check_invariants(suite.unset)
    return suite, found


@pytest.mark.parametrize(("invariant", "facts", "length"), BROKEN)
def test_a_broken_promise_is_found_and_shrunk(
    make_suite: MakeSuite, policy_text: str, invariant: str, facts: dict[str, object], length: int
) -> None:
    suite, found = sampled(make_suite, policy_text, invariant)
    run = found.counterexample
    assert run is not None
    assert len(run) == length
    assert facts.items() <= run[-1].items(), run
    assert len(run[-1]) <= max(3, len(facts))
    assert all(consistent(values, suite.policy) for values in run)
    assert "is broken" in as_text(found, suite.policy)


@pytest.mark.parametrize(("invariant", "facts", "length"), BROKEN)
def test_the_counterexample_is_a_case_that_fails(
    make_suite: MakeSuite, policy_text: str, invariant: str, facts: dict[str, object], length: int
) -> None:
    suite, found = sampled(make_suite, policy_text, invariant)
    pasted = make_suite(as_case(found))
    (case,) = pasted.cases
    assert len(case.given) == length
    (failure,) = run_case(case, suite.unset).failures
    assert failure.want.key == ("class" if "always: complete" in invariant else "verdict")


@pytest.mark.parametrize(
    "invariant",
    [
        "{id: x, given: circuit.state is OPEN, always: exit}",
        "{id: x, given: tasks.percent >= 80%, always: exit}",
        "{id: x, given: tasks.done unchanged for 3 iterations, always: exit}",
        "{id: x, given: circuit.state is CLOSED and tasks.percent is unknown and tasks.done is unknown,"
        " never: exit}",
        "{id: x, given: circuit.state is CLOSED and tasks.percent < 80 and tasks.done > previous(tasks.done),"
        " always: continue}",
        "{id: x, given: left == 0 and tasks.total > 0, always: exit}",
        "{id: x, given: circuit.state is OPEN, always: halted}",
        "{id: x, given: circuit.state is OPEN, never: complete}",
        "{id: x, given: tasks.percent < 80%, never: complete}",
    ],
)
def test_a_kept_promise_holds(make_suite: MakeSuite, policy_text: str, invariant: str) -> None:
    suite, found = sampled(make_suite, policy_text, invariant)
    assert found.counterexample is None, as_text(found, suite.policy)
    assert not found.is_wrong
    told = as_text(found, suite.policy)
    assert ("is proved" if found.answer.status == PROVED else "is not decided: no example at any of") in told
    with pytest.raises(ValueError, match="not broken"):
        as_case(found)


def test_a_broken_promise_about_a_class_says_which_class_it_was(
    make_suite: MakeSuite, policy_text: str
) -> None:
    said = [
        ("circuit.state is OPEN, always: complete", "EXIT halted", "{class: complete}"),
        ("circuit.state is OPEN, never: halted", "EXIT halted", "{verdict: CONTINUE}"),
        ("tasks.percent < 80, always: complete", "CONTINUE", "{class: complete}"),
        ("circuit.state is CLOSED, always: halted", "CONTINUE", "{class: halted}"),
    ]
    for promise, decided, case in said:
        suite, found = sampled(make_suite, policy_text, f"{{id: x, given: {promise}}}")
        text = as_text(found, suite.policy)
        assert f"is broken: {decided}, but" in text
        assert f"promises {promise.split(', ')[1].replace(':', '')}" in text
        assert f"expect: {case}" in text


def test_a_promise_about_nothing_is_no_promise(make_suite: MakeSuite, policy_text: str) -> None:
    suite, found = sampled(
        make_suite, policy_text, "{id: x, given: tasks.done > 5 and tasks.done < 3, always: exit}"
    )
    assert "promises nothing" in as_text(found, suite.policy)
    assert found.is_wrong
    samples = sample_invariant(found.invariant, suite.unset, samples=50)
    assert samples.met == 0
    assert not samples.is_wrong, "that no sample meets it is no proof that nothing does"
    assert "is not decided: it held in 0 sampled runs" in as_text(samples, suite.policy)


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        ("when: circuit.state is OPEN", "when: circuit.state is HALF_OPEN", "breaker_wins"),
        ("exit: halted", "warn: true", "breaker_wins"),
        ("    exit: halted", "    exit: halted\n    mode: shadow", "breaker_wins"),
        ("when: tasks.percent >= $enough", SILENT, "silence_never_exits"),
    ],
)
def test_a_policy_broken_on_purpose(
    make_suite: MakeSuite, policy_text: str, old: str, new: str, broken: str
) -> None:
    assert old in policy_text
    text = policy_text.replace(old, new, 1)
    suite = make_suite(ANY, text)
    assert broken in {s.invariant.id for s in check_invariants(suite.unset) if s.counterexample is not None}
    assert broken in {
        s.invariant.id for s in sample_invariants(suite.unset, 500) if s.counterexample is not None
    }


@pytest.mark.parametrize(("invariant", "facts", "length"), BROKEN)
def test_samples_find_what_the_walk_finds(
    make_suite: MakeSuite, policy_text: str, invariant: str, facts: dict[str, object], length: int
) -> None:
    suite = promising(make_suite, policy_text, invariant)
    (found,) = sample_invariants(suite.unset, samples=300)
    assert found.counterexample is not None
    assert len(found.counterexample) == length
    assert facts.items() <= found.counterexample[-1].items()


def test_a_walk_without_an_end_gives_way_to_samples(
    make_suite: MakeSuite, policy_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = promising(make_suite, policy_text, "{id: x, given: circuit.state is OPEN, always: exit}")
    monkeypatch.setattr(invariants, "WALK", Limits(points=0))
    (found,) = check_invariants(suite.unset)
    assert found.answer.status == UNDECIDED
    assert found.met >= 20
    assert f"is not decided: not decided within 0 regions; it held in {found.met}" in as_text(
        found, suite.policy
    )


def test_samples_are_the_same_for_a_seed_and_reach_unknown(make_suite: MakeSuite) -> None:
    policy = make_suite(ANY).policy
    given = policy.invariants[0].given
    first = list(Sampler(policy, 7).runs(given, 200))
    assert first == list(Sampler(policy, 7).runs(given, 200))
    assert first != list(Sampler(policy, 8).runs(given, 200))
    assert all(isinstance(value, Unknown) for value in first[0][0].values())
    assert {len(run) for run in first} == {1, 2, 3, 4, 5}
    assert all(consistent(values, policy) for run in first for values in run)
    for name, values in domains(policy).items():
        if not name.startswith("tasks."):
            assert {repr(run[-1][name]) for run in first} == {repr(value) for value in values}


def test_candidates_stand_around_every_constant(make_suite: MakeSuite) -> None:
    found = domains(make_suite(ANY).policy)
    assert {79, 80, 81, 0, 100} <= set(found["tasks.percent"])
    assert {1, 2, 3} <= set(found["tasks.done"])
    assert set(found["circuit.state"][:-1]) == {"CLOSED", "HALF_OPEN", "OPEN"}
    assert "left" not in found


def test_shipped_folder_is_left_alone(tmp_path: Path, make_suite: MakeSuite) -> None:
    before = sorted(tmp_path.iterdir())
    suite = make_suite(ANY)
    sample_invariants(suite.unset, samples=50)
    assert sorted(tmp_path.iterdir()) == [*before, tmp_path / "policy.yaml"]
