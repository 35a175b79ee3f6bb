"""Promises, silence and results; walk and solver held against each other."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from small import also, policy

from exitgate.analysis.prove import backend as asking
from exitgate.analysis.prove.backend import BOTH, SOLVER, WALK, Backend
from exitgate.analysis.prove.invariants import prove_invariants
from exitgate.analysis.prove.proof import BROKEN, NOTED, SHOWN
from exitgate.analysis.prove.prove import prove
from exitgate.analysis.prove.reachability import prove_classes
from exitgate.analysis.results.answer import (
    PROVED,
    REFUTED,
    UNDECIDED,
    Answer,
    at_no_point,
    proved,
    refuted,
    undecided,
)
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compiled import CompiledPolicy, Invariant

ASKER = Backend(limits=Limits(seconds=20))


def promising(
    of: CompiledPolicy, given: str, claim: str, verdict: str, stage: str = "after_iteration"
) -> CompiledPolicy:
    return of.but(invariants=(Invariant("x", also(of, given), given, claim, verdict, None, stage),))


#: Rules, a promise, its status, and what is said of it.
PROMISES = [
    (("a -> complete",), ("a", "always", "EXIT"), PROVED, ""),
    (("a -> complete",), ("a", "always", "complete"), PROVED, ""),
    (("a -> complete",), ("not a", "never", "EXIT"), PROVED, ""),
    (("a -> complete",), ("b", "always", "EXIT"), BROKEN, "CONTINUE, but `b` promises always exit"),
    (("a -> complete",), ("a", "never", "complete"), BROKEN,
     "EXIT complete by `r0`, but `a` promises never complete"),
    (("b -> continue", "a -> complete"), ("a", "always", "EXIT"), BROKEN,
     "CONTINUE by `r0`, but `a` promises always exit"),
    (("a -> complete",), ("a and not a", "always", "EXIT"), BROKEN,
     "`a and not a` is never true, so it promises nothing"),
    (("n * 2 > m + 7 -> complete",), ("n == 0", "never", "EXIT"), UNDECIDED, "no example at any of"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "promise", "status", "says"), PROMISES, ids=lambda value: str(value)[:30])
def test_a_promise(rules: tuple[str, ...], promise: tuple[str, str, str], status: str, says: str) -> None:
    proof, *_ = prove_invariants(promising(policy(*rules), *promise), ASKER)
    assert (proof.status, proof.says[: len(says) or None]) == (status, says)


def test_a_promise_about_another_stage() -> None:
    of = policy("a -> complete", "n > 3 -> exhausted")
    of = of.but(rules=(of.rules[0], of.rules[1].but(stage="before_iteration")))
    before = promising(of, "n > 3", "always", "EXIT", "before_iteration")
    assert next(iter(prove_invariants(before, ASKER))).status == PROVED
    assert next(iter(prove_invariants(promising(of, "n > 3", "always", "EXIT"), ASKER))).status == BROKEN


def test_silence_ends_no_run() -> None:
    (kept,) = prove_invariants(policy("a -> complete"), ASKER)
    assert (kept.kind, kept.subject, kept.status) == ("silence", "after_iteration", PROVED)
    of = policy("a is unknown -> stuck")
    (broken,) = prove_invariants(of, ASKER)
    assert (broken.status, broken.says) == (BROKEN, "`r0` ends the run even though nothing is known")
    allowed = of.but(rules=(of.rules[0].but(on_silence=True),))
    (noted,) = prove_invariants(allowed, ASKER)
    assert (noted.status, noted.says) == (NOTED, "`r0` ends it, as `on_silence: exit` allows")


def test_results_that_are_reached_and_not() -> None:
    of = policy("a -> complete", "a and b -> stuck", "not a -> continue")
    found = {proof.subject: (proof.status, proof.says) for proof in prove_classes(of, ASKER)}
    assert found["complete"] == (SHOWN, "can be reached")
    assert found["stuck"] == (BROKEN, "is never reached")
    assert found["CONTINUE"][0] == found["otherwise"][0] == SHOWN
    always = policy("a -> complete", "a is unknown -> stuck", "not a -> review")
    told = {proof.subject: proof.status for proof in prove_classes(always, ASKER)}
    assert (told["CONTINUE"], told["otherwise"]) == (BROKEN, NOTED)


def test_groups_of_questions() -> None:
    of = policy("a -> complete", "b -> stuck")
    kinds = {
        group: {proof.kind for proof in prove(of, ASKER, (group,))} for group in ("rules", "classes", "bound")
    }
    assert kinds == {"rules": {"rule"}, "classes": {"class"}, "bound": {"bound"}}
    assert {proof.kind for proof in prove(of, ASKER, rule="r0")} == {"rule", "overlap"}


def answering(answer: Answer) -> SimpleNamespace:
    return SimpleNamespace(can_decide=lambda *_args, **_more: answer)


def both(one: Answer, other: Answer) -> Backend:
    asker = Backend()
    asker._asked = {WALK: answering(one), SOLVER: answering(other)}  # type: ignore[dict-item]
    return asker


YES, NO = refuted(({},), 3), proved(5)
NOT_SEEN, OPEN_ = undecided(at_no_point(7), 7), undecided("no time", 2)


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        (YES, NOT_SEEN, REFUTED),
        (NOT_SEEN, YES, REFUTED),
        (NO, NOT_SEEN, PROVED),
        (NOT_SEEN, NO, PROVED),
        (OPEN_, NO, PROVED),
        (YES, OPEN_, REFUTED),
        (OPEN_, OPEN_, UNDECIDED),
    ],
)
def test_two_answers_are_one(one: Answer, other: Answer, agreed: str) -> None:
    found = both(one, other).ask("can_decide", policy("a -> complete"), "r0")
    assert found.status == agreed


@pytest.mark.parametrize(("one", "other", "who"), [(YES, NO, "walk finds"), (NO, YES, "z3 finds")])
def test_two_answers_that_cannot_both_be_right(one: Answer, other: Answer, who: str) -> None:
    with pytest.raises(ExitgateError) as error:
        both(one, other).ask("can_decide", policy("a -> complete"), "r0")
    assert error.value.exit_code == 70
    (problem,) = error.value.diagnostics
    assert problem.code == "EP530"
    assert who in problem.message
    assert "`r0`" in problem.message


def test_without_the_solver_only_the_walk_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "find_spec", lambda _name: None)
    assert Backend(WALK).by("breaks") == "walk"
    for who in (SOLVER, BOTH):
        with pytest.raises(ExitgateError) as error:
            Backend(who)
        assert error.value.exit_code == 64
        assert "exitgate[prove]" in str(error.value.diagnostics[0].help)


def test_a_status_for_what_is_not_decided() -> None:
    of = promising(
        policy("a -> complete"), "distinct(sig, last 9) == 8 and average(n, last 9) == x", "always", "EXIT"
    )
    proof, *_ = prove_invariants(of, Backend(limits=Limits(points=3)))
    assert proof.status in (UNDECIDED, BROKEN), "a sample may break it"


@pytest.mark.parametrize("who", [WALK, BOTH])
@pytest.mark.parametrize(("stand_in", "status"), [(True, BROKEN), (False, PROVED)])
def test_silence_is_what_the_policy_takes_for_the_unreadable(who: str, stand_in: bool, status: str) -> None:
    """A fact with a value under `unreadable:` is never unknown: the promise is not empty because of it."""
    of = promising(policy("a -> complete"), "nothing is known", "never", "EXIT")
    proof, *_ = prove_invariants(of.but(unreadable={"a": stand_in}), Backend(who, Limits(seconds=20)))
    assert proof.status == status
