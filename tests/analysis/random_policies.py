"""
Strategies: small policies of mixed facts, written as a person would, parsed and checked by the language.

`small_policies()` gives a `CompiledPolicy` of two to four rules over two to five facts: plain ones of
every kind, a plan (`tasks.*`, tied by the checklist), a block (`status.*`), unknown everywhere. `OPERATIONS`
says by name which families of operations may occur; `families(policy)` says which do.
"""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st
from random_conditions import Writer

from exitgate.core.facts.extractors import checklist, status_block
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.measure import lookback
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type
from exitgate.core.policy.compiled import (
    CompiledPolicy,
    Derived,
    Extraction,
    Invariant,
    Parameter,
    PointsRow,
    Rule,
)
from exitgate.core.policy.points import ADD_NOTHING, OPEN

STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))
NAMES = Type("list", item=TEXT)
_SIGNAL = {"type": "bool", "key": "EXIT_SIGNAL"}
_SCORE = {"type": "count", "key": "SCORE"}
BLOCK = JsonObject(fields={"exit_signal": _SIGNAL, "score": _SCORE})
BLOCK_WITH_STAND_IN = {"fields": {"exit_signal": {**_SIGNAL, "unreadable": False}, "score": _SCORE}}

PLANS: tuple[dict[str, object], ...] = (
    {}, {}, {"optional_sections": ["Later"]}, {"marks": {"-": "cancelled"}},
)  # fmt: skip
_OF_PLANS = ("total", "done", "open", "percent", "complete", "blocking_open")

#: Families of operations: what each adds to conditions.
OPERATIONS = (
    "order", "membership", "history", "counting", "series", "arithmetic", "texts", "points", "formulas",
    "progress", "blocks", "plans", "silence", "endings",
)  # fmt: skip
_PLAIN = {
    "flag.a": BOOL, "flag.b": BOOL, "n.a": COUNT, "n.b": COUNT, "p.a": PERCENT, "x.a": NUMBER,
    "e.a": STATE, "g.a": SIGNATURE, "s.a": TEXT, "l.a": NAMES, "t.a": DURATION,
    "clock.elapsed": DURATION,
}  # fmt: skip
#: What a check knows of how the agent ended: all of one status.
_ENDINGS = {"run.agent_exit": NUMBER, "run.failed": BOOL, "run.interrupted": BOOL}
_SIGNALS = ("count", "bool", "signature")
_PROGRESS = {"progress.made": BOOL, "progress.known": COUNT, "progress.signals": NAMES}
_EFFECTS = ("complete", "stuck", "blocked", "continue", "continue", "warn")
_MODES = ("enforce", "enforce", "enforce", "enforce", "warn", "shadow")


@st.composite
def small_policies(
    draw: st.DrawFn, families: frozenset[str] = frozenset(OPERATIONS), given: bool = True
) -> CompiledPolicy:
    """
    Return a policy of two to four rules over two to five facts.

    Args:
        families: Families of operations that may occur.
        given: Whether it has an invariant.
    """
    facts, extractions, unreadable = _facts(draw, families)
    parameters = {
        "n": Parameter("n", COUNT, draw(st.integers(1, 3)), 2, 1, 3, "", None),
        "p": Parameter("p", PERCENT, draw(st.sampled_from((30, 50.5, 70))), 70, 0, 100, "", None),
    }
    types = {name: parameter.type for name, parameter in parameters.items()}
    values = {name: parameter.value for name, parameter in parameters.items()}
    writer = Writer(draw, facts, families)

    def checked(text: str, want: Type | None = BOOL) -> Node:
        try:
            node = check(parse(text), Scope(writer.facts, types, conditions), want)
        except LanguageError as error:  # the items of a list in each iteration of a long window
            assume({problem.code for problem in error.problems} != {"EP418"})
            raise
        return check(parse(unparse(node)), Scope(writer.facts, types, conditions), want)

    conditions: dict[str, Node] = {}
    if draw(st.integers(0, 3)) == 0:
        conditions["named"] = checked(writer.condition(1))
        writer.named.append("named")
    derived: list[Derived] = []
    for made in _derived(draw, writer, families, checked):
        derived += made
        for one in made:
            writer.facts[one.name] = FactSpec(one.name, one.type, "", low=one.low, high=one.high, read=False)
    rules = [_rule(draw, f"r{n}", checked(writer.condition())) for n in range(draw(st.integers(2, 4)))]
    invariants = []
    if given:
        node = checked(writer.condition(1))
        claim, verdict = (
            draw(st.sampled_from(("always", "never"))),
            draw(st.sampled_from(("exit", "continue"))),
        )
        invariants.append(Invariant("i0", node, unparse(node), claim, verdict))
    trees = [*(rule.when for rule in rules), *(row.when for fact in derived for row in fact.rows)]
    return CompiledPolicy(
        name="small", format=1, version="1.0.0", title="Small", digest="00", path="small.yaml",
        parameters=parameters, extractions=extractions, derived=tuple(derived), facts=writer.facts,
        conditions=conditions, rules=tuple(rules), otherwise_message=(), exit_after_blind=None,
        unreadable=unreadable, invariants=tuple(invariants),
        lookback=max(lookback(tree, values, conditions) for tree in trees),
    )  # fmt: skip


def _facts(
    draw: st.DrawFn, families: frozenset[str]
) -> tuple[dict[str, FactSpec], tuple[Extraction, ...], dict[str, object]]:
    kinds = [n for n, t in _PLAIN.items() if t.kind not in ("text", "list") or "texts" in families]
    names = draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=4, unique=True))
    facts = {name: _spec(name, _PLAIN[name]) for name in names}
    extractions: list[Extraction] = []
    if "endings" in families and draw(st.integers(0, 3)) == 0:
        wanted = draw(st.lists(st.sampled_from(tuple(_ENDINGS)), min_size=1, unique=True))
        facts |= {name: FactSpec(name, _ENDINGS[name], "", read=False) for name in wanted}
        extractions.append(Extraction("run", "run", "run", {}))
    unreadable: dict[str, object] = {}
    if "plans" in families and draw(st.integers(0, 2)) == 0:
        extractions.append(Extraction("tasks", "checklist", "plan", draw(st.sampled_from(PLANS))))
        wanted = draw(st.lists(st.sampled_from(_OF_PLANS), min_size=1, max_size=3, unique=True))
        facts |= {
            f"tasks.{s.name}": _named("tasks", s) for s in checklist.specs(JsonObject()) if s.name in wanted
        }
    if "blocks" in families and draw(st.integers(0, 3)) == 0:
        block = draw(st.sampled_from((BLOCK, BLOCK_WITH_STAND_IN)))
        extractions.append(Extraction("status", "status_block", "output", block))
        keep = ("present", "exit_signal", "score")
        facts |= {
            f"status.{s.name}": _named("status", s) for s in status_block.specs(BLOCK) if s.name in keep
        }
        if draw(st.booleans()):
            unreadable["status.exit_signal"] = False
    return facts, tuple(extractions), unreadable


def _spec(name: str, kind: Type) -> FactSpec:
    low = 0 if kind.kind in ("count", "percent", "duration") else None
    # time says nothing about what the agent did
    high, read = 100 if kind.kind == "percent" else None, not name.startswith("clock.")
    return FactSpec(name, kind, "", low=low, high=high, read=read)


def _named(prefix: str, spec: FactSpec) -> FactSpec:
    name = f"{prefix}.{spec.name}"
    return FactSpec(name, spec.type, spec.doc, spec.unknown_when, spec.low, spec.high, spec.read)


def _derived(draw: st.DrawFn, writer: Writer, families: frozenset[str], checked):  # type: ignore[no-untyped-def]
    """Yield groups of computed facts; each may read those before it."""
    if "progress" in families and draw(st.integers(0, 3)) == 0:
        named = [name for name, spec in writer.facts.items() if spec.type.kind in _SIGNALS]
        if named:
            signals = tuple(draw(st.lists(st.sampled_from(named), min_size=1, max_size=3, unique=True)))
            moves = tuple(draw(st.sampled_from(("", "falls", "changes"))) for _ in signals)
            wanted = draw(st.lists(st.sampled_from(tuple(_PROGRESS)[1:]), unique=True))
            writer.signals = signals
            yield [Derived(n, _PROGRESS[n], signals=signals, moves=moves) for n in ("progress.made", *wanted)]
    if "points" in families and draw(st.integers(0, 2)) == 0:
        adds = st.sampled_from((10, 30, 45.5, -20))
        rows = tuple(PointsRow(checked(writer.condition(1)), draw(adds), "")
                     for _ in range(draw(st.integers(1, 3))))  # fmt: skip
        high = draw(st.sampled_from((50, 100, None)))
        unsure = draw(st.sampled_from((OPEN, OPEN, ADD_NOTHING)))
        yield [Derived("score", NUMBER, rows, None, 0, high, unknown_rows=unsure)]
    if "formulas" in families and draw(st.integers(0, 3)) == 0:
        name = writer.fact("count", "number")
        if name is not None:
            other = writer.fact("count", "number")
            text = writer.one(f"2 * {name} + 1", f"{name} + {other}", f"10 * {name} / ({other} + 1)",
                              f"max({name}, {other}) - 1", f"({name} or else 0) + 3")  # fmt: skip
            yield [Derived("sum.a", NUMBER, (), checked(text, None), None, draw(st.sampled_from((None, 20))))]


def _rule(draw: st.DrawFn, id: str, when: Node) -> Rule:
    effect = draw(st.sampled_from(_EFFECTS))
    kind = effect if effect in ("continue", "warn") else "exit"
    mode = "enforce" if effect == "warn" else draw(st.sampled_from(_MODES))
    return Rule(id, kind, effect if kind == "exit" else None, id, when, unparse(when), mode=mode)


def written(policy: CompiledPolicy) -> str:
    """Return the policy as lines to read in a failure."""
    lines = [f"{name} = {p.value}" for name, p in policy.parameters.items()]
    lines += [f"@{name}: {unparse(node)}" for name, node in policy.conditions.items()]
    for fact in policy.derived:
        rows = [f"{row.add} if {unparse(row.when)}" for row in fact.rows]
        formula = unparse(fact.formula) if fact.formula is not None else " ".join(fact.signals)
        lines.append(f"{fact.name} [{fact.low}, {fact.high}]: {'; '.join(rows) or formula}")
    lines += [f"{r.id} {r.effect} {r.exit_class or ''} ({r.mode}): {r.text}" for r in policy.rules]
    lines += [f"{i.id}: given {i.text} {i.claim} {i.verdict}" for i in policy.invariants]
    return "\n".join([*lines, f"unreadable: {dict(policy.unreadable)}"])


def operations(policy: CompiledPolicy) -> frozenset[str]:
    """Return the operations of the language, and kinds of computed facts, that a policy uses."""
    trees = [
        *(r.when for r in policy.rules),
        *(i.given for i in policy.invariants),
        *policy.conditions.values(),
    ]
    trees += [row.when for fact in policy.derived for row in fact.rows]
    trees += [fact.formula for fact in policy.derived if fact.formula is not None]
    found = {
        part.op if part.op != "call" else f"call {part.args[0]}" for tree in trees for part in tree.walk()
    }
    for fact in policy.derived:
        found.add("points" if fact.rows else "progress" if fact.signals else "formula")
    return frozenset(found | {f"extract {e.extractor}" for e in policy.extractions})
