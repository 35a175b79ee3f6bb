"""
What the shipped policies promise is proved, and no run of those that bound theirs goes on for ever.

A promise that rests on facts compared with each other is not decided: no point breaks it. Which ones those
are is written here, so that none slips from a proof unseen.
"""

from __future__ import annotations

from itertools import islice

from cases import each
from compiled import shipped_policy
from msgspec.structs import replace
from ran_suites import DECIDING

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.bound import prove_bound
from exitgate.analysis.prove.invariants import prove_invariants
from exitgate.analysis.prove.proof import NOTED, SILENCE
from exitgate.analysis.prove.reachability import prove_rules
from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

#: Of the processor; nothing here comes near it on a machine that does other work, too.
LIMITS = Limits(seconds=60)
POLICIES = DECIDING

#: Broken at no point and not proved: these rest on facts held against facts, on sums or on what comes back.
NOT_DECIDED = {
    "bb3": {"work_under_way_goes_on"},
    "bb3-faithful": {"work_under_way_goes_on"},
    "loop-detection": {"two_different_signatures_go_on"},
    "loop-detection-faithful": {
        "a_loop_always_exits", "other_signatures_go_on", "silence_never_exits", "after_iteration",
    },
    "ralph-claude-code": {
        "denials_exit", "denials_do_not_complete", "false_never_completes_an_open_plan",
        "silence_never_exits", "blocked_never_completes", "after_iteration",
    },
    "recommended": {
        "silence_never_exits", "blocked_never_completes", "open_breaker_exits_even_when_done",
        "after_iteration", "after_failure", "without_signal_plan_or_witness_never_complete",
    },
    "response-analyzer": {
        "silence_never_exits", "nothing_completes_below_the_threshold", "after_iteration",
    },
    "response-analyzer-faithful": {
        "nothing_completes_below_the_threshold", "a_loop_is_always_stuck", "silence_never_exits",
        "after_iteration",
    },
}  # fmt: skip

#: For these the search takes long; that each of their rules decides, their cases show (`test_tests_yaml.py`).
LARGE = {"bb3-faithful", "ralph-claude-code", "recommended"}

#: No rule of theirs ends every run: their README.md says so.
UNBOUNDED = {"bb3-faithful", "doyaken-faithful", "ralph-faithful"}


@each("name", POLICIES)
def test_promises_are_kept(name: str) -> None:
    policy = shipped_policy(name)
    proofs = list(prove_invariants(policy, Backend(limits=LIMITS)))
    left = {proof.subject: proof for proof in proofs if proof.status != PROVED}
    assert left.keys() == NOT_DECIDED.get(name, set())
    for proof in left.values():
        assert proof.status == UNDECIDED
        assert proof.says.startswith("no example at any of "), "no limit ended the walk"
    assert any(proof.kind == SILENCE for proof in proofs)


@each("name", POLICIES)
def test_every_run_ends_but_where_it_is_said(name: str) -> None:
    proofs = list(prove_bound(shipped_policy(name), Backend(limits=LIMITS)))
    unbounded = [proof for proof in proofs if proof.status == NOTED and proof.series]
    assert bool(unbounded) == (name in UNBOUNDED)
    if not unbounded:
        assert {proof.status for proof in proofs} == {PROVED}
        assert "iterations" in proofs[0].says


@each("name", sorted(set(POLICIES) - LARGE))
def test_every_rule_can_decide_under_some_parameter(name: str) -> None:
    for proof in prove_rules(shipped_policy(name), Backend(limits=replace(LIMITS, small=False))):
        assert proof.status in ("shown", NOTED), f"{proof.subject}: {proof.says}"


#: Policies that complete, and can have probes that have to pass first.
VERIFIED = ("bb3", "doyaken", "ralph", "recommended", "response-analyzer")


@each("name", VERIFIED)
def test_with_probes_to_pass_nothing_completes_unless_they_do(name: str) -> None:
    policy = load_policy(name, settings={"verify": "[tests, lint]"})
    promises = [one for one in policy.invariants if one.id.startswith("unverified_never_completes")]
    stages = {rule.stage for rule in policy.rules if rule.exit_class == "complete"}
    assert {one.stage for one in promises} == stages
    proofs = prove_invariants(policy.but(invariants=tuple(promises)), Backend(limits=LIMITS))
    ours = list(islice(proofs, len(promises)))  # behind them silence is proved, which the test above asks for
    assert [(proof.subject, proof.status) for proof in ours] == [(one.id, PROVED) for one in promises]
