"""Coverage told again the slow way: by the reference evaluator, from the steps that the engine recorded."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from exitgate.analysis.coverage.sites import leaves
from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.measure import reach
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import Unknown
from exitgate.core.policy.shipped import path
from exitgate.testing.cases.case import Case
from exitgate.testing.cases.load import load_file
from exitgate.testing.compare import View
from exitgate.testing.coverage import Watcher
from exitgate.testing.runner import run_case

Seen = dict[tuple[str, str, str], set[str]]


def ask(seen: Seen, view: View, where: tuple[str, str], tree: Node, back: int = 0) -> None:
    """Note the truth of each leaf below `tree`, at every iteration up to `back` before the last."""
    policy = view.program.policy
    own = set(map(id, leaves(tree)))

    def look(node: Node, back: int) -> None:
        if node.op == "condition":
            name = str(node.args[0])
            ask(seen, view, ("condition", name), policy.conditions[name], back)
            return
        if id(node) in own:
            for size in range(max(1, len(view.records) - back), len(view.records) + 1):
                truth = evaluate(
                    node, view.records[:size], policy.values(), policy.conditions, unread_facts(policy)
                )
                word = "unknown" if isinstance(truth, Unknown) else str(truth).lower()
                seen[*where, unparse(node)].add(word)
        for child in node.children():
            look(child, back + reach(node, policy.values()))

    look(tree, back)


def repeated_decision(view: View, seen: Seen) -> None:
    steps = {step.rule: step for step in view.decision.steps}
    for rule in view.program.policy.rules:
        step = steps.get(rule.id)
        if step is not None and step.truth is not None:
            ask(seen, view, ("rule", rule.id), rule.when)


@pytest.mark.parametrize("name", ["bb3", "guardrails", "loop-detection-faithful", "doyaken-faithful"])
def test_the_same_truths_are_found(name: str) -> None:
    suite = load_file(str(Path(path(name)).with_name("tests.yaml")))
    watcher = Watcher()
    seen: Seen = defaultdict(set)

    def watch(case: Case) -> None:
        def both(view: View) -> None:
            watcher.watch(suite, case, view)
            repeated_decision(view, seen)

        run_case(case, suite.program(case), both)

    for case in suite.cases:
        watch(case)
    (coverage,) = watcher.coverages()
    used = {("condition", name) for kind, name, _ in seen if kind == "condition"}
    found = {
        (part.kind, part.name, leaf.text): {aim.what for aim in leaf.aims if aim.shown_by}
        for part in coverage.parts
        for leaf in part.leaves
        if part.kind == "rule" or (part.kind, part.name) in used
    }
    computed = name == "doyaken-faithful"
    for key, truths in seen.items():
        # Rows of points name conditions as well, which only the coverage itself follows.
        assert truths <= found[key] if computed and key[0] == "condition" else truths == found[key], key
    assert {key for key in found if key[0] == "rule" and found[key]} == {
        key for key in seen if key[0] == "rule"
    }
