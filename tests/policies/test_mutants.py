"""
No small mistake in a shipped policy goes unnoticed: a case fails, or it decides the same, or it is excused.

Asked of some mutants of each policy and, where there are few rules, of all that are excused. `make mutants`
and `make soak` ask it of every mutant, with the time that takes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Set

from cases import EVERY, each
from compiled import shipped_suite
from msgspec.structs import replace
from ran_suites import DECIDING

from exitgate.analysis.mutation import equivalence
from exitgate.analysis.mutation.mutant import Mutant
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, at_no_point
from exitgate.analysis.walk.queries import breaks
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.testing.cases.case import Case, Suite
from exitgate.testing.mutants.kill import Killers
from exitgate.testing.mutants.runner import excuses_of

#: So many mutants of each policy, always the same ones.
SOME = 15 if EVERY else 5
#: Of a policy with many rules, whose cases with settings take long to ask.
FEW = 15 if EVERY else 3
#: Of the policies with the most rules only these kinds: what is left of others takes the analysis long.
LARGE = ("recommended", "ralph-claude-code", "response-analyzer")
KINDS = ("dropped_rule", "effect", "connective")
#: As thorough as `exitgate mutate`; ended by regions, not by time.
LIMITS = Limits(seconds=120.0, points=15_000 if EVERY else 5_000)
#: What is not decided although the walk came to its end, without a difference.
WALKED = at_no_point(0).partition("0")[2]


def noticed_by_promise(policy: CompiledPolicy, mutant: Mutant) -> bool:
    """Return whether the mutant breaks an invariant that the policy keeps."""
    changed, limits = mutant.of(policy), replace(LIMITS, points=300)
    return any(
        breaks(changed, one, limits).status == REFUTED and breaks(policy, one, limits).status != REFUTED
        for one in policy.invariants
    )


def status(policy: CompiledPolicy, mutant: Mutant) -> str:
    """Return what becomes of a mutant that no case noticed."""
    judged = equivalence.judge(policy, mutant, LIMITS)
    if judged.status == PROVED or judged.why.endswith(WALKED):
        return "left alone"
    return "killed" if noticed_by_promise(policy, mutant) else judged.status


def unnoticed(found: Suite, chosen: Iterable[Mutant], may_stay: Set[str]) -> list[Mutant]:
    """
    Return the mutants that no case notices.

    Cases with settings are asked last, which need a policy compiled for each, and only while there are
    mutants left that may not stay.
    """
    groups: dict[object, list[Case]] = {}
    for case in sorted(found.cases, key=lambda case: bool(case.settings)):
        groups.setdefault((case.profile, tuple(sorted(case.settings.items()))), []).append(case)
    left = list(chosen)
    for cases in groups.values():
        if {one.id for one in left} <= may_stay:
            break
        watchdogs = Killers(found, cases)
        left = [one for one in left if watchdogs.first_to_notice(one) is None]
    return left


@each("name", DECIDING)
def test_no_mutant_survives_but_those_that_are_excused(name: str) -> None:
    found = shipped_suite(name)
    every = mutants(found.policy)
    made = [one for one in every if one.kind in KINDS or name not in LARGE]
    excused = excuses_of(found)
    count = FEW if name in LARGE else SOME
    some = random.Random(name).sample(made, min(count, len(made)))
    asked_all = made if name not in LARGE else []
    chosen = dict.fromkeys([*some, *(one for one in asked_all if one.id in excused)])
    left = unnoticed(found, chosen, set(excused) if name in LARGE else set())
    survived = [
        f"{one.id} {judged}\n  - {one.before}\n  + {one.after}"
        for one in left
        if one.id not in excused and (judged := status(found.policy, one)) in (REFUTED, UNDECIDED)
    ]
    assert not survived, "`exitgate mutate` shows cases that would notice these\n" + "\n".join(survived)
    assert len(chosen) - len(left) > count // 2  # noticed by a case
    ids = {one.id for one in left} if name not in LARGE else {one.id for one in every}
    assert set(excused) <= ids, "excuses for mutants that a case notices, or that are none"
