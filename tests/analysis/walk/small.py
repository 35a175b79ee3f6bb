"""Policies of a few facts for tests of the walk, written as text, without YAML."""

from __future__ import annotations

from exitgate.analysis.prove.prove import condition
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type
from exitgate.core.policy.compiled import CompiledPolicy, Derived, Parameter, PointsRow, Rule

TYPES = {
    "a": BOOL, "b": BOOL, "n": COUNT, "m": COUNT, "x": NUMBER, "p": PERCENT, "d": DURATION, "t": TEXT,
    "sig": SIGNATURE, "names": Type("list", item=TEXT),
    "state": Type("enum", members=("CLOSED", "OPEN")),
}  # fmt: skip
PARAMETERS = {"two": 2, "three": 3}


def policy(
    *rules: str, points: dict[str, list[tuple[str, float]]] | None = None, **facts: Type
) -> CompiledPolicy:
    """
    Return a policy of rules ``CONDITION -> complete`` or ``CONDITION -> continue``, in order.

    `points` gives sums their rows; `facts` replaces types of `TYPES`.
    """
    specs = {name: _spec(name, kind) for name, kind in {**TYPES, **facts}.items()}
    parameters = {n: Parameter(n, COUNT, v, v, 1, 9, "", None) for n, v in PARAMETERS.items()}

    def checked(text: str) -> Node:
        return check(parse(text), Scope(specs, dict.fromkeys(PARAMETERS, COUNT), {}))

    derived = []
    for name, rows in (points or {}).items():
        made = tuple(PointsRow(checked(when), add, "") for when, add in rows)
        derived.append(Derived(name, NUMBER, made, None, 0, 100))
        specs[name] = FactSpec(name, NUMBER, "", low=0, high=100, read=False)
    chain = []
    for number, text in enumerate(rules):
        when, _, effect = text.rpartition(" -> ")
        kind = "continue" if effect == "continue" else "exit"
        id = f"r{number}"
        chain.append(Rule(id, kind, None if kind == "continue" else effect, id, checked(when), when))
    return CompiledPolicy(
        name="small", format=1, version="1.0.0", title="Small", digest="00", path="small.yaml",
        parameters=parameters, extractions=(), derived=tuple(derived), facts=specs, conditions={},
        rules=tuple(chain), otherwise_message=(), exit_after_blind=None, unreadable={}, invariants=(),
        lookback=3,
    )  # fmt: skip


def asked(text: str, **facts: Type) -> tuple[CompiledPolicy, Node]:
    """Return a policy of one rule, and its condition."""
    of = policy(f"{text} -> complete", **facts)
    return of, of.rules[0].when


def also(of: CompiledPolicy, text: str) -> Node:
    """Return another condition over the facts of a policy."""
    return condition(of, text)


def _spec(name: str, kind: Type) -> FactSpec:
    low = 0 if kind.kind in ("count", "percent", "duration") else None
    return FactSpec(name, kind, "", low=low, high=100 if kind.kind == "percent" else None)
