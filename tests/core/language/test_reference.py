"""The reference evaluator is locked down, and never calls the closures."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import simpleeval
from cases import each

from exitgate.analysis.reference_evaluator import evaluator as evaluator_module
from exitgate.analysis.reference_evaluator import history, logic, lowering
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.chain import Source, compile_chain
from exitgate.core.language.evaluation.closures import Compilation, compile_node
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, TEXT, Unknown

EVIL = 'x"); __import__("os").system("true") #'
SCOPE = Scope({"summary": FactSpec("summary", TEXT, "")}, {}, {})

REFUSED = (
    "1", "'a'", "None", "n0.real", "n0[n0]", "[n0]", "(n0, n0)", "{n0: n0}", "{n0}", "n0 if n0 else n0",
    "n0 and n0", "n0 or n0", "[n for n in n0]", "lambda: n0", "f'{n0}'", "n0 ** n0", "n0 % n0", "n0 // n0",
    "n0 << n0", "n0 in n0", "n0 is n0", "~n0", "+n0", "rand()", "randint(n0)", "open(n0)", "upper(a=n0)",
    "upper(*n0)", "n0.upper()", "n9",
)  # fmt: skip


def run(text: str) -> object:
    evaluator = evaluator_module.locked({"n0": 3, "n1": 4}, logic.FUNCTIONS)
    return evaluator.eval("", previously_parsed=ast.parse(text, mode="eval").body)


@each("text", REFUSED)
def test_refused(text):
    with pytest.raises((simpleeval.InvalidExpression, KeyError)):
        run(text)


def test_what_is_allowed_works():
    assert run("n0 + n1 > -n0") is True
    assert isinstance(run("n0 / (n1 - n1)"), Unknown)
    assert run("or_(unknown_(n0), n0 > n1)") is False


@pytest.mark.parametrize("value", [[], {}, object(), len, ast, Unknown("x"), None])
def test_names_hold_plain_scalars_only(value):
    with pytest.raises(TypeError):
        evaluator_module.locked({"n0": value}, {})


@pytest.mark.parametrize("module", [evaluator_module, lowering, logic, history])
def test_it_is_a_second_implementation(module):
    tree = ast.parse(Path(module.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        f"{node.module}.{a.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for a in node.names
    }
    first = {
        f"exitgate.core.language.{n}"
        for n in ("closures", "closures_tests", "closures_values", "kleene", "history")
    }
    first |= {
        f"exitgate.core.language.{n}" for n in ("history_counts", "history_values", "chain", "chain_source")
    }
    assert not imported & first


def test_texts_of_a_user_are_data_in_both_evaluators():
    text = 'summary is "' + EVIL.replace('"', '""') + '"'
    tree = check(parse(text), SCOPE)
    assert evaluator_module.evaluate(tree, ({"summary": EVIL},), {}, {}) is True
    source = Source(Compilation({}, {}))
    source.rule(tree, 0)
    assert "import" not in source.text()
    assert "summary" not in source.text()


def test_evaluating_imports_no_parser():
    import subprocess
    import sys

    code = (
        "import sys; from exitgate.core.language.evaluation import chain, closures; "
        "print([m for m in ('lark', 'simpleeval', 'ast', 'typing', 're') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_conditions_as_deep_as_may_be_do_not_exhaust_the_stack():
    facts = {"a": FactSpec("a", BOOL, "")}
    scope = Scope(facts, {}, {})
    for level in range(66):
        inner = "a" if level == 0 else f"@c{level - 1}"
        tree = check(parse(f"not ({inner} and a)"), scope)
        scope = Scope(facts, {}, {**scope.conditions, f"c{level}": tree})
    tree = scope.conditions["c65"]  # three levels each
    records = ({"a": True},)
    wanted = compile_node(tree, {}, scope.conditions)(records)
    assert evaluator_module.evaluate(tree, records, {}, scope.conditions) is wanted
    assert compile_chain([tree], {}, scope.conditions)(records) == (0 if wanted else -1)
    lost = ({"a": Unknown("not said", "a")},)
    assert [u.origin for u in unknowns(tree, lost, {}, scope.conditions)] == ["a"]
    assert pending(tree, lost, {}, scope.conditions) == ()
