"""Every form of the language, written out for z3, says of given facts what the engine says of them."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from time import monotonic

import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import small_policies, written

from exitgate.analysis.solver.context import Context
from exitgate.analysis.solver.encode import Encoder
from exitgate.analysis.solver.facts import Facts
from exitgate.analysis.solver.search import _trees
from exitgate.analysis.solver.terms import Amount, Item, Share, Truth, negated, z3_of
from exitgate.analysis.space.samples import Sampler
from exitgate.analysis.walk.questions import Condition
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy

#: Numbers for what no condition names.
BEYOND: dict[object, int] = {}


def truths_in_z3(
    policy: CompiledPolicy, node: Node, run: tuple[dict[str, object], ...], named: Collection[str]
) -> tuple[set[object], set[object]]:
    """
    Return the truths that the encoding allows when the facts are those of the run.

    The first are those that proofs reckon with, the second those that examples are made from.
    """
    question = Condition(policy, [(node, 7)])
    world = Context((policy,), _trees(question), len(run), monotonic() + 60, fixed=True)
    facts = Facts(world, (policy,))
    truth = Encoder(policy, world, facts).truth(node, 0)
    for number, values in enumerate(run):
        for name in values:
            facts.term(policy.facts[name], len(run) - 1 - number)
    solver = z3.Solver()
    solver.add(*world.constraints)
    for (name, at), term in facts.names().items():
        values = run[len(run) - 1 - at]
        if name not in named and any(other.startswith("tasks.") for other in values):
            continue  # what a plan says is known as a whole; the run holds what conditions name of it
        solver.add(_is(term, values.get(name), world, name, facts.type_of(name).kind))
    wanted = {True: truth.yes, False: truth.no, None: negated(truth.known)}
    return tuple(
        {value for value, flag in wanted.items() if solver.check(_flag(flag), *strict) == z3.sat}
        for strict in ((), (world.strict,))
    )


def _is(term: object, value: object, world: Context, name: str, kind: str) -> z3.BoolRef:
    if value is None or isinstance(value, Unknown):
        return z3.Not(_flag(term.known))
    if isinstance(term, Truth):
        return _flag(term.yes if value else term.no)
    if isinstance(term, Item):
        numbers = {held: number for number, held in world.atoms.candidates(kind)}
        # what no condition names is told apart, and no more
        beyond = world.atoms.size + BEYOND.setdefault(value, len(BEYOND))
        return z3.And(
            _flag(term.known), term.number == numbers.get(value, beyond), _in_its_part(world, name, value)
        )
    if isinstance(term, Share):
        share = Fraction(repr(value)).limit_denominator(10**6)
        return z3.And(
            _flag(term.known), z3_of(term.over) * share.denominator == share.numerator * z3_of(term.under)
        )
    assert isinstance(term, Amount)
    return z3.And(
        _flag(term.known), term.value == z3_of(value if isinstance(value, int) else Fraction(value))
    )


def _in_its_part(world: Context, name: str, value: object) -> z3.BoolRef:
    """Say what the tests of a text find in it: a number beyond the table may stand for any other text."""
    parts = world.texts._of(name)
    if parts is None or value not in BEYOND:
        return z3.BoolVal(True)
    return parts.of(world.atoms.size + BEYOND[value]) == parts.number(parts.found.way(str(value)))


def _flag(flag: object) -> z3.BoolRef:
    return z3.BoolVal(flag) if isinstance(flag, bool) else flag


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), st.integers(0, 2**20))
def test_the_encoding_allows_exactly_what_the_engine_says(policy: CompiledPolicy, seed: int) -> None:
    node = policy.rules[seed % len(policy.rules)].when
    question = Condition(policy, [(node, 7)])
    test = compile_node(node, policy.values(), policy.conditions, unread_facts(policy))
    exact = 0
    # proofs reckon with what a check before the first iteration has seen of the signals
    moves = any(fact.signals for fact in policy.derived)
    # z3 knows that signals moved, not which: an example that rests on it is left to the engine
    which = any(fact.signals and fact.type.kind == "list" for fact in policy.derived)
    sampler = Sampler(policy, seed)
    for run in sampler.runs(node, 4):
        known = tuple({n: v for n, v in values.items() if not isinstance(v, Unknown)} for values in run[-4:])
        found = test(question.wholes(known)[0])
        truth = None if isinstance(found, Unknown) else found
        allowed, sure = truths_in_z3(policy, node, known, sampler.domains)
        assert truth in allowed, (written(policy), known, allowed)
        assert which or sure <= {truth}, (written(policy), known, sure)
        exact += (sure if moves else allowed) == {truth}
    assert exact or _is_loose(question), written(policy)


def _is_loose(question: Condition) -> bool:
    loose = {"contains", "matches", "call", "largest", "smallest", "median", "percentile", "deviation"}
    loose |= {"window", "of_items", "count_items"}
    return any(part.op in loose for tree in _trees(question) for part in tree.walk())
