"""
What commands state as fact of a policy, and what would refute each of it: a run on the engine.

`statements` gives what `prove`, `lint`, `test`, `mutate` and `diff` say is proved. `wild_runs` draws runs
that no boundary walk chose: any number, any text, any length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from exitgate.analysis.diff.semantic import decides, decision_changes, result_of
from exitgate.analysis.lint.queries import never, never_decides
from exitgate.analysis.mutation.equivalence import judge
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.proof import CLASS, INVARIANT, OVERLAP, RULE, SILENCE, Proof
from exitgate.analysis.prove.prove import prove
from exitgate.analysis.results.answer import PROVED
from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.samples import Sampler
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.analysis.walk.queries import NOT_TRUE
from exitgate.analysis.walk.questions import (
    AFTER_ITERATION,
    OTHERWISE,
    Condition,
    Decided,
    Question,
    Winner,
    breaking,
    results,
)
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CONTINUE, STAGES
from exitgate.core.model.value import BOOL, Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Invariant
from exitgate.testing.invariants import check_invariant

Run = tuple[Mapping[str, object], ...]
Refutes = Callable[[Run], bool]
Statement = tuple[str, Refutes]

ALWAYS = Node("bool", (True,), 0, 0, BOOL)
#: Letters of the texts that are drawn, and how long they are at most.
LETTERS, LONGEST = "abzAB1 .", 4
#: Facts that others follow from or that follow from others are as the sampler draws them.
GROUPS = ("tasks.", "status.")


def statements(policy: CompiledPolicy, limits: Limits, seed: int, made: int = 2) -> Iterator[Statement]:
    """Yield all that is stated as proved of a policy, and of `made` of its mutants compared with it."""
    for proof in prove(policy, Backend(limits=limits)):
        if proof.answer.status == PROVED:
            yield from _of_proof(policy, proof)
    for rule in policy.rules:
        for truth, bits in ((True, TRUE), (NOT_TRUE, FALSE | UNKNOWN)):
            if never(policy, rule.when, truth):
                yield f"lint: `{rule.id}` is never {truth}", Condition(policy, [(rule.when, bits)]).holds
        if decides(rule) and never_decides(policy, rule):
            yield f"lint: `{rule.id}` never decides", _comes_to(Winner(policy, rule.id))
    for invariant in policy.invariants:
        found = check_invariant(invariant, Program(policy))
        if found.answer.status == PROVED:
            yield f"test: `{invariant.id}` is proved", _breaks(policy, invariant)
        if found.applies.status == PROVED:
            given = Condition(policy, [(invariant.given, TRUE)])
            yield f"test: `{invariant.id}` promises nothing", given.holds
    every = mutants(policy)
    for mutant in Random(seed).sample(every, min(made, len(every))):
        changed = mutant.of(policy)
        if judge(policy, mutant, limits).status == PROVED:
            for stage in STAGES:
                differ = Differ(policy, changed, stage, False)
                yield f"mutate: `{mutant.id}` is equivalent", _comes_to(differ)
        yield from _of_difference(policy, changed, limits, mutant.id)


def _of_proof(policy: CompiledPolicy, proof: Proof) -> Iterator[Statement]:
    told = f"prove: {proof.kind} {proof.subject} {proof.status} {proof.says} {proof.more}"
    if proof.kind == RULE:
        yield told, _comes_to(Winner(policy, proof.subject))
    elif proof.kind == CLASS:
        for stage in STAGES if proof.subject not in (CONTINUE, OTHERWISE) else (AFTER_ITERATION,):
            reached = Decided(policy, results(policy, proof.subject, stage), stage, None)
            yield told, _comes_to(reached)
    elif proof.kind == INVARIANT:
        invariant = next(one for one in policy.invariants if one.id == proof.subject)
        nothing = "promises nothing" in proof.says
        given = Condition(policy, [(invariant.given, TRUE)]).holds
        yield told, given if nothing else _breaks(policy, invariant)
    elif proof.kind == SILENCE:
        silent = Node("silence", (), 0, 0, BOOL)
        yield told, _breaks(policy, Invariant("", silent, "", "never", "EXIT", None, proof.stage))
    elif proof.kind == OVERLAP:
        whens = {rule.id: rule.when for rule in policy.rules}
        for line in proof.more:
            if line.startswith("never true when it decides: "):
                for name in line.partition(": ")[2].split(", "):
                    yield told, _comes_to(Winner(policy, proof.subject, also=whens[name]))


def _comes_to(question: Question) -> Refutes:
    """Return whether a run, or its first iterations, are played to an answer from the first iteration on."""
    return lambda run: any(question.shown(run[:end]) is not None for end in range(1, len(run) + 1))


def _breaks(policy: CompiledPolicy, invariant: Invariant) -> Refutes:
    given = strict(invariant.given, domains(policy), policy)
    wanted = breaking(policy, invariant.claim, invariant.verdict, invariant.stage)
    return _comes_to(Decided(policy, wanted, invariant.stage, given))


def _of_difference(
    policy: CompiledPolicy, changed: CompiledPolicy, limits: Limits, id: str
) -> Iterator[Statement]:
    found = decision_changes(policy, changed, limits)
    if found.rest.status != PROVED:
        return
    known = {(kind.stage, kind.before.decides, kind.after.decides) for kind in found.kinds}
    programs = Program(policy), Program(changed)
    for stage in STAGES:
        if not any(deciding(one, stage) for one in (policy, changed)):
            continue

        differ = Differ(policy, changed, stage, False)

        def is_new(run: Run, stage: str = stage, differ: Differ = differ) -> bool:
            for end in range(1, len(run) + 1):
                one, other = (result_of(program, run[:end], stage).decides for program in programs)
                if (
                    one != other
                    and (stage, one, other) not in known
                    and differ.reached(run[:end]) is not None
                ):
                    return True
            return False

        yield f"diff: {len(known)} kinds, and no other, with `{id}`", is_new


def wild_runs(policy: CompiledPolicy, seed: int, count: int) -> Iterator[Run]:
    """Yield runs that can be, half of them with values from anywhere in place of those around constants."""
    random = Random(seed)
    for number, run in enumerate(Sampler(policy, seed).runs(ALWAYS, count)):
        found: list[Mapping[str, object]] = []
        for values in run:
            wild = {
                name: _any(policy, name, random)
                if number % 2 and not name.startswith(GROUPS) and random.random() < 0.5
                else value
                for name, value in values.items()
            }
            found.append({name: value for name, value in wild.items() if not isinstance(value, Unknown)})
        if all(consistent(values, policy) for values in found):
            yield tuple(found)


def _any(policy: CompiledPolicy, name: str, random: Random) -> object:
    kind = policy.facts[name].type
    text = "".join(random.choice(LETTERS) for _ in range(random.randrange(LONGEST + 1)))
    return {
        "bool": random.random() < 0.5,
        "count": random.choice((random.randrange(12), random.randrange(1000))),
        "percent": random.choice((float(random.randrange(101)), random.random() * 100)),
        "number": random.choice((random.random() * 4, random.random() * -1000, random.randrange(100) / 4)),
        "duration": random.random() * 10_000,
        "text": text,
        "signature": text,
        "list": tuple(text),
        "enum": random.choice(kind.members or ("",)),
    }[kind.kind]
