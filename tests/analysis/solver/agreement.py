"""
Holds three who answer against each other: the engine on points, the boundary walk, and z3.

`disagreements(policy, seed)` asks questions about a policy and returns what does not fit together:

- z3 finds an input where the walk has proved that there is none, or vice versa;
- one of them proves that there is none, and a run drawn at random is one;
- an example of either is none for the engine as `decide` sees it, rule by rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, Answer
from exitgate.analysis.solver import queries as solver
from exitgate.analysis.space.counters import has_failed
from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.samples import Sampler
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk import queries as walk
from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.analysis.walk.questions import Condition, Decided, Question, Winner, breaking, results
from exitgate.analysis.walk.search import Limits
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL, Unknown
from exitgate.core.policy.compiled import CompiledPolicy

BITS = {True: TRUE, False: FALSE, None: UNKNOWN}
ALWAYS = Node("bool", (True,), type=BOOL)
#: Runs drawn where one of them proves that there is none.
DRAWN = 60


@dataclass
class Tally:
    """What was asked, and how it came out."""

    policies: int = 0
    questions: int = 0
    outcomes: dict[tuple[str, str], int] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    points: int = 0

    def count(self, answer: Answer, other: Answer) -> None:
        """Count one question with the answers of z3 and of the walk."""
        self.questions += 1
        key = (answer.status, other.status)
        self.outcomes[key] = self.outcomes.get(key, 0) + 1
        if answer.status == UNDECIDED:
            self.open[answer.why] = self.open.get(answer.why, 0) + 1


def disagreements(
    policy: CompiledPolicy, seed: int, tally: Tally, z3_limits: Limits, walk_limits: Limits, most: int = 5
) -> list[str]:
    """Return what does not fit together, as lines, for up to `most` questions about a policy."""
    draw = Random(seed)
    tally.policies += 1
    found: list[str] = []
    questions = _questions(policy, draw)
    for name, about, question in draw.sample(questions, min(most, len(questions))):
        ours = getattr(solver, name)(policy, *about, limits=z3_limits)
        theirs = getattr(walk, name)(policy, *about, limits=walk_limits)
        tally.count(ours, theirs)
        told = f"{name} {[getattr(a, 'id', None) or _text(a) for a in about]}"
        if ours.status == REFUTED and theirs.status == PROVED:
            found.append(f"{told}: z3 finds {ours.run}, the walk proves that there is none")
        if ours.status == PROVED and theirs.status == REFUTED:
            found.append(f"{told}: the walk finds {theirs.run}, z3 proves that there is none")
        for who, answer in (("z3", ours), ("the walk", theirs)):
            if answer.status == REFUTED and not question.holds(answer.run or ()):
                found.append(f"{told}: {who} finds {answer.run}, for the engine it is none")
            elif answer.status == PROVED:
                run = _brute(question, draw, tally)
                if run is not None:
                    found.append(f"{told}: {who} proves that there is none, but {run} is one")
    return found


def _text(about: object) -> object:
    return unparse(about) if hasattr(about, "op") else getattr(about, "name", about)


def _questions(policy: CompiledPolicy, draw: Random) -> list[tuple[str, tuple[object, ...], Question]]:
    found: list[tuple[str, tuple[object, ...], Question]] = []
    for rule in policy.rules:
        if rule.mode == "enforce" and rule.effect != "warn":
            found.append(("can_decide", (rule.id,), Winner(policy, rule.id)))
        for truth, bit in BITS.items():
            found.append(("can_be", (rule.when, truth), Condition(policy, [(rule.when, bit)])))
    for one, other in zip(policy.rules, policy.rules[1:], strict=False):
        wanted = [(one.when, TRUE), (other.when, TRUE)]
        found.append(("both_true", (one.id, other.id), Condition(policy, wanted)))
    for result in ("EXIT", "CONTINUE", "complete", "otherwise"):
        question = Decided(policy, results(policy, result), "after_iteration", None)
        found.append(("reaches", (result,), question))
    for invariant in policy.invariants:
        wanted_rules = breaking(policy, invariant.claim, invariant.verdict)
        given = strict(invariant.given, domains(policy), policy)
        found.append(("breaks", (invariant,), Decided(policy, wanted_rules, "after_iteration", given)))
    other_policy = _changed(policy, draw)
    found.append(("differ", (other_policy,), Differ(policy, other_policy, "after_iteration", False)))
    return found


def _changed(policy: CompiledPolicy, draw: Random) -> CompiledPolicy:
    """Return the policy with another parameter, without a rule, or with two rules in each other's place."""
    way = draw.randrange(3)
    if way == 0:
        n = policy.parameters["n"]
        return policy.but(parameters={**policy.parameters, "n": n.but(value=1 + int(str(n.value)) % 3)})
    rules = list(policy.rules)
    if way == 1:
        del rules[draw.randrange(len(rules))]
    else:
        rules[0], rules[-1] = rules[-1], rules[0]
    return policy.but(rules=tuple(rules))


def _brute(question: Question, draw: Random, tally: Tally) -> object:
    """Return a run that is an answer after all, of `DRAWN` drawn at random around the constants; or None."""
    first, *others = question.policies
    sampler = Sampler(first, draw.randrange(2**31))
    about = question.nodes[0] if question.nodes else ALWAYS
    for run in sampler.runs(about, DRAWN):
        tally.points += 1
        known = tuple({n: v for n, v in values.items() if not isinstance(v, Unknown)} for values in run)
        possible = all(consistent(values, p) for values in known for p in (first, *others))
        # after an iteration in which the agent failed another stage is asked
        possible &= not (question.staged and question.from_first and has_failed(known[-1]))
        if possible and question.holds(known):
            return known
    return None
