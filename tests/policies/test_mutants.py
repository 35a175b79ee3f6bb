"""
No small mistake in a shipped policy goes unnoticed: a case fails, or it decides the same, or it is excused.

Asked of some mutants of each policy and of all that are excused. `make mutants` and `make soak` ask it of
every mutant, with the time that takes.
"""

from __future__ import annotations

import random

import pytest
from ran_suites import suite

from exitgate.analysis.ask import FOUND, breaks
from exitgate.analysis.mutation import equivalence
from exitgate.analysis.mutation.mutant import Mutant
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.walk.search import Limits
from exitgate.policy.compiled import CompiledPolicy
from exitgate.policy.shipped import policies
from exitgate.testing.mutation_excuses import excuses_of
from exitgate.testing.mutation_kill import Watchdogs

#: So many mutants of each policy, always the same ones.
SOME = 15
#: Of the policies with the most rules only these kinds: what is left of others takes the analysis long.
LARGE = ("recommended", "ralph-claude-code", "response-analyzer")
KINDS = ("dropped_rule", "effect", "connective")
#: As thorough as `exitgate mutate`; ended by regions, not by time.
LIMITS = Limits(seconds=120.0, points=15_000)


def noticed_by_promise(policy: CompiledPolicy, mutant: Mutant) -> bool:
    """Return whether the mutant breaks an invariant that the policy keeps."""
    changed, limits = mutant.of(policy), LIMITS.but(points=300)
    return any(
        breaks(changed, one, limits).status == FOUND and breaks(policy, one, limits).status != FOUND
        for one in policy.invariants
    )


def status(policy: CompiledPolicy, mutant: Mutant) -> str:
    """Return what becomes of a mutant that no case noticed."""
    judged = equivalence.judge(policy, mutant, LIMITS)
    if judged.status in (equivalence.SAME, equivalence.ALIKE):
        return judged.status
    return "killed" if noticed_by_promise(policy, mutant) else judged.status


@pytest.mark.parametrize("name", policies())
def test_no_mutant_survives_but_those_that_are_excused(name: str) -> None:
    found = suite(name)
    every = mutants(found.policy)
    made = [one for one in every if one.kind in KINDS or name not in LARGE]
    excused = excuses_of(found)
    some = random.Random(name).sample(made, min(SOME, len(made)))
    chosen = dict.fromkeys([*some, *(one for one in made if one.id in excused)])
    watchdogs = Watchdogs(found)
    left = [mutant for mutant in chosen if watchdogs.first_to_notice(mutant) is None]
    survived = [
        f"{one.id} {judged}\n  - {one.before}\n  + {one.after}"
        for one in left
        if one.id not in excused and (judged := status(found.policy, one)) in ("different", "open")
    ]
    assert not survived, "`exitgate mutate` shows cases that would notice these\n" + "\n".join(survived)
    assert len(chosen) - len(left) > 8  # noticed by a case
    ids = {one.id for one in left} if name not in LARGE else {one.id for one in every}
    assert set(excused) <= ids, "excuses for mutants that a case notices, or that are none"
