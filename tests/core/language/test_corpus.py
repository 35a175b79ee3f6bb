"""
The semantics of the language, case by case: `corpus/*.yaml`.

A file declares `types` of facts and of `parameters` (as [type, value]) and texts of `conditions`. A
case has a `note`, an `expr`, `facts` of the current iteration, `history` in series notation, or as a
list where values are lists (oldest first, the current iteration last; a record lacks what a shorter
series does not reach) and what comes out: `want` (true, false, unknown or a value), `want_pending`
(every pending count, in order), `want_unknown` (the origin of every unknown) or, for what is refused,
`want_code` (one, or the list of all).
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import each

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.chain import compile_chain, compile_truths
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.evaluation.unknowns import unknowns
from exitgate.core.language.literals import duration
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, Type, Unknown
from exitgate.testing.cases import series

FILES = sorted((Path(__file__).parent / "corpus").glob("*.yaml"))
KEYS = {"note", "expr", "facts", "history", "want", "want_code", "want_pending", "want_unknown"}
LEAST = 250


def type_of(plain: object) -> Type:
    if isinstance(plain, list):
        return Type("enum", members=tuple(plain))
    text = str(plain)
    if text.startswith("list of "):
        return Type(
            "list", item=type_of(text.removeprefix("list of ").split("|") if "|" in text else text[8:])
        )
    if text.startswith("money "):
        return Type("money", currency=text[6:])
    return Type(text)


def value_of(plain: object, type_: Type) -> object:
    """A value as it is written in a case: a scalar of YAML, or a text in the notation of the language."""
    if plain == "_" or isinstance(plain, Unknown):
        return Unknown("given as unknown", "case")
    if isinstance(plain, list):
        return tuple(value_of(item, type_.item) for item in plain)
    if not isinstance(plain, str):
        return plain
    if type_.kind == "bool":
        return {"true": True, "false": False}[plain]
    if type_.kind == "duration":
        return duration(plain, 0)
    if type_.kind in ("count", "number", "percent", "money"):
        number = plain.removesuffix("%").removesuffix(" USD")
        return float(number) if "." in number else int(number)
    return plain


def samples(plain: object) -> list:
    """What stands under `history`: a text in series notation, or a list where the values are lists."""
    return plain if isinstance(plain, list) else list(series.parse(str(plain)))


class Setting:
    """What a file declares."""

    def __init__(self, document: dict) -> None:
        self.types = {name: type_of(plain) for name, plain in document["types"].items()}
        given = document.get("parameters", {})
        parameters = {name: type_of(kind) for name, (kind, _) in given.items()}
        self.parameters = {name: value_of(value, parameters[name]) for name, (_, value) in given.items()}
        specs = {name: FactSpec(name, kind, "") for name, kind in self.types.items()}
        self.scope = Scope(specs, parameters, {})
        for name, text in document.get("conditions", {}).items():
            tree = check(parse(text), self.scope)
            self.scope = Scope(specs, parameters, {**self.scope.conditions, name: tree})

    def records(self, case: dict) -> tuple[dict[str, object], ...]:
        columns = {
            name: [value_of(sample, self.types[name]) for sample in samples(text)]
            for name, text in case.get("history", {}).items()
        }
        for name, plain in case.get("facts", {}).items():
            columns[name] = [value_of(plain, self.types[name])]
        size = max(map(len, columns.values()), default=1)
        rows: list[dict[str, object]] = [{} for _ in range(size)]
        for name, column in columns.items():
            for row, value in zip(rows[size - len(column) :], column, strict=True):
                row[name] = value
        return tuple(rows)


def cases() -> list:
    found = []
    for file in FILES:
        document = yaml.safe_load(file.read_text())
        setting = Setting(document)
        for number, case in enumerate(document["cases"], 1):
            found.append(pytest.param(setting, case, id=f"{file.stem}-{number}-{case.get('note')}"))
    return found


CASES = cases()


def test_the_corpus_is_large_enough_and_well_formed():
    assert len(CASES) >= LEAST
    for param in CASES:
        case = param.values[1]
        assert case.keys() <= KEYS, case
        assert {"note", "expr"} <= case.keys(), case
        assert ("want" in case) != ("want_code" in case), case


@each(("setting", "case"), [p for p in CASES if "want" in p.values[1]])
def test_value(setting, case):
    records, want = setting.records(case), case["want"]
    tree = typed(setting, case)
    asked = (setting.parameters, setting.scope.conditions)
    value = compile_node(tree, *asked)(records)
    second = evaluate(tree, records, *asked)
    if want == "unknown":
        assert isinstance(value, Unknown)
        assert isinstance(second, Unknown)
    else:
        wanted = value_of(want, tree.type)
        assert (value, value.__class__) == (wanted, wanted.__class__), value
        assert (second, second.__class__) == (wanted, wanted.__class__), second
    if tree.type == BOOL:
        assert compile_chain([tree], *asked)(records) == (0 if want is True else -1)
        (truth,) = compile_truths([tree], *asked)(records)
        assert truth is want or (want == "unknown" and isinstance(truth, Unknown))
    if "want_pending" in case:
        assert [str(p) for p in pending(tree, records, *asked)] == case["want_pending"]
    if "want_unknown" in case:
        assert [u.origin for u in unknowns(tree, records, *asked)] == case["want_unknown"]


@each(("setting", "case"), [p for p in CASES if "want_code" in p.values[1]])
def test_refusal(setting, case):
    with pytest.raises(LanguageError) as caught:
        check(parse(case["expr"]), setting.scope)
    problems = caught.value.problems
    wanted = case["want_code"]
    assert [problem.code for problem in problems] == (wanted if isinstance(wanted, list) else [wanted])
    for problem in problems:
        assert 0 <= problem.start <= problem.end <= len(case["expr"]) + 1
        assert problem.message


def typed(setting: Setting, case: dict) -> Node:
    tree = parse(case["expr"])
    truth = isinstance(case["want"], bool) or case["want"] == "unknown"
    checked = check(tree, setting.scope, None)
    if checked.type == BOOL:
        assert truth, f"a condition gives no {case['want']}"
        checked = check(tree, setting.scope)
    assert parse(unparse(tree)) == tree
    return checked
