"""Closures, generated chain and reference evaluator agree on every value and on every unknown."""

from __future__ import annotations

import os

from bounded import BOUNDED
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from typed import SCOPE, conditions, facts_of_kind, leaf, parameters, records, values

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation.chain import compile_chain, compile_truths
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import Unknown

EXAMPLES = int(os.environ.get("EXITGATE_EXAMPLES", "200"))
thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def checked(node: Node, want_bool: bool = True) -> Node:
    try:
        return check(node, SCOPE) if want_bool else check(node, SCOPE, None)
    except LanguageError as error:
        refused = {problem.code for problem in error.problems}
        assume(not refused <= {"EP413", "EP416", "EP418", "EP421", "EP422"})
        raise


def shape(value: object) -> tuple[type, object]:
    """Unknowns are alike if their bounds are, whatever their reason; True is not 1."""
    if isinstance(value, Unknown):
        return Unknown, (value.least, value.most)
    return value.__class__, value


@thorough
@given(conditions(), records(), parameters)
def test_conditions(node, history, settings_):
    tree = checked(node)
    closure = compile_node(tree, settings_, SCOPE.conditions)(history)
    second = evaluate(tree, history, settings_, SCOPE.conditions)
    assert closure in (True, False) or isinstance(closure, Unknown)
    assert shape(closure) == shape(second), unparse(tree)
    chain = compile_chain([tree], settings_, SCOPE.conditions, bounded=BOUNDED)
    assert chain(history) == (0 if closure is True else -1), unparse(tree)
    (truth,) = compile_truths([tree], settings_, SCOPE.conditions, bounded=BOUNDED)(history)
    assert shape(truth) == shape(closure), unparse(tree)


@thorough
@given(st.sampled_from(("count", "number", "percent", "duration", "money", "text", "enum")), st.data())
def test_values(kind, data):
    tree = checked(data.draw(values(kind, 3)), want_bool=False)
    history, settings_ = data.draw(records()), data.draw(parameters)
    closure = compile_node(tree, settings_, SCOPE.conditions)(history)
    assert shape(closure) == shape(evaluate(tree, history, settings_, SCOPE.conditions)), unparse(tree)


@settings(thorough, max_examples=max(30, EXAMPLES // 4))
@given(st.lists(conditions(2), min_size=2, max_size=6), records(), parameters)
def test_a_chain_gives_its_first_true_rule(nodes, history, settings_):
    trees = [checked(node) for node in nodes]
    truths = [compile_node(tree, settings_, SCOPE.conditions)(history) for tree in trees]
    first = next((i for i, truth in enumerate(truths) if truth is True), -1)
    assert compile_chain(trees, settings_, SCOPE.conditions, bounded=BOUNDED)(history) == first
    found = compile_truths(trees, settings_, SCOPE.conditions, bounded=BOUNDED)(history)
    assert [shape(t) for t in found] == [shape(t) for t in truths]


@settings(deadline=None, max_examples=20)
@given(facts_of_kind("bool"), records())
def test_a_long_chain_crosses_its_chunks(node, history):
    never = leaf("and", leaf("fact", "flag.a"), leaf("not", leaf("fact", "flag.a")))
    trees = [check(never, SCOPE)] * 600 + [check(node, SCOPE)]
    truth = compile_node(trees[-1], {}, {})(history)
    assert compile_chain(trees, {}, {})(history) == (600 if truth is True else -1)


@settings(deadline=None, max_examples=20)
@given(records(strays=False))
def test_values_of_records_are_not_changed(history):
    before = [dict(record) for record in history]
    tree = check(leaf("unchanged", leaf("fact", "l.a"), leaf("number", 1)), SCOPE)
    compile_node(tree, {}, {})(history)
    evaluate(tree, history, {}, {})
    assert [dict(record) for record in history] == before
