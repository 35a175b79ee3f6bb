"""
Strategies: small policies of mixed facts, written as a person would, parsed and checked by the language.

`small_policies()` gives a `CompiledPolicy` of two to four rules over two to five facts: plain ones of
every kind, a plan (`tasks.*`, tied by the checklist), a block (`status.*`), unknown everywhere. `OPERATIONS`
says by name which families of operations may occur; `families(policy)` says which do.
"""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from exitgate.facts.extractors import checklist, status_block
from exitgate.language.check import check
from exitgate.language.measure import lookback
from exitgate.language.parse import parse
from exitgate.language.problem import LanguageError
from exitgate.language.scope import Scope
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type
from exitgate.policy.compiled import (
    CompiledPolicy,
    Derived,
    Extraction,
    Invariant,
    Parameter,
    PointsRow,
    Rule,
)
from exitgate.policy.points import ADD_NOTHING, OPEN

STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))
NAMES = Type("list", item=TEXT)
_SIGNAL = {"type": "bool", "key": "EXIT_SIGNAL"}
_SCORE = {"type": "count", "key": "SCORE"}
BLOCK = {"fields": {"exit_signal": _SIGNAL, "score": _SCORE}}
BLOCK_WITH_STAND_IN = {"fields": {"exit_signal": {**_SIGNAL, "unreadable": False}, "score": _SCORE}}

PLANS: tuple[dict[str, object], ...] = (
    {}, {}, {"optional_sections": ["Later"]}, {"marks": {"-": "cancelled"}},
)  # fmt: skip
_OF_PLANS = ("total", "done", "open", "percent", "complete", "blocking_open")

#: Families of operations: what each adds to conditions.
OPERATIONS = (
    "order", "membership", "history", "counting", "series", "arithmetic", "texts", "points", "formulas",
    "progress", "blocks", "plans", "silence",
)  # fmt: skip
_PLAIN = {
    "flag.a": BOOL, "flag.b": BOOL, "n.a": COUNT, "n.b": COUNT, "p.a": PERCENT, "x.a": NUMBER,
    "e.a": STATE, "g.a": SIGNATURE, "s.a": TEXT, "l.a": NAMES, "t.a": DURATION,
    "clock.elapsed": DURATION,
}  # fmt: skip
_NUMBERS = {"count": ("0", "1", "2", "5"), "percent": ("0%", "30%", "33.3%", "70%", "100%"),
            "number": ("0", "0.5", "3"), "duration": ("1m", "2h")}  # fmt: skip
_PATTERNS = ("^a", "^ok$", "ok", "[0-9]+ tests? failed", "(?i)^OK", "^[^a]*$", "[.]")
_SIGNS = ("<", "<=", ">", ">=", "==", "!=")
_EFFECTS = ("complete", "stuck", "blocked", "continue", "continue", "warn")
_MODES = ("enforce", "enforce", "enforce", "enforce", "warn", "shadow")


class Writer:
    """Writes conditions over some facts, in the families it may use."""

    def __init__(self, draw: st.DrawFn, facts: dict[str, FactSpec], families: frozenset[str]) -> None:
        self._draw = draw
        self.facts = dict(facts)
        self._families = families
        self.named: list[str] = []

    def one(self, *choices: str) -> str:
        """Return one of the texts."""
        return self._draw(st.sampled_from(choices))

    def fact(self, *kinds: str) -> str | None:
        """Return a fact of one of the kinds, or None."""
        names = [name for name, spec in self.facts.items() if spec.type.kind in kinds]
        return self.one(*names) if names else None

    def condition(self, depth: int = 2) -> str:
        """Return a condition that joins tests up to `depth` levels deep."""
        if depth <= 0 or self._draw(st.integers(0, 2)) == 0:
            return self.test()
        form = self.one("and", "or", "not", "and", "known", "named", "history")
        if form == "named" and self.named:
            return f"@{self.one(*self.named)}"
        if form == "known":
            return f"({self.condition(depth - 1)}) is {self.one('known', 'unknown')}"
        if form == "history" and "history" in self._families:
            return self._joined_history(depth - 1)
        if form == "not":
            return f"not ({self.condition(depth - 1)})"
        word = "or" if form == "or" else "and"
        return f"({self.condition(depth - 1)}) {word} ({self.condition(depth - 1)})"

    def _joined_history(self, depth: int) -> str:
        inner = f"({self.condition(depth)})"
        n = self.one("1", "2", "3")
        window = self.window("2", "3", around=inner)
        if "last 1m" in window and self.one("lasts", "is among") == "lasts":
            return f"{inner} for 1m"
        return self.one(
            f"{inner} for {n} consecutive iterations",
            f"after {n} iterations and {inner}",
            f"any of {window} where {inner}",
            f"all of {window} where {inner}",
            f"at least 2 of {self.window('3', around=inner)} where {inner}",
            f"at most 1 of {window} where {inner}",
        )

    def window(self, *sizes: str, around: str = "") -> str:
        """Return a window of iterations, at times in time or per key; in time only around what is cheap."""
        size = self.one(*sizes)
        key = self.fact("text", "enum", "count", "signature") if self.one("per", "", "", "") else None
        if "clock.elapsed" in self.facts and not any(t in around for t in ("last ", "for ", "@", "streak")):
            size = self.one(size, "1m", "2h")
        return f"last {size} per {key}" if key is not None else f"last {size}"

    def test(self) -> str:
        """Return one test of facts."""
        tests = [self._flag, self._order, self._order, self._presence]
        more = {"membership": self._member, "history": self._steady, "counting": self._counted,
                "series": self._series, "arithmetic": self._calculated, "texts": self._text,
                "silence": self._silent}  # fmt: skip
        tests += [test for family, test in more.items() if family in self._families]
        for _ in range(4):
            text = self._draw(st.sampled_from(tests))()
            if text is not None:
                return text
        return self._presence() or "true"

    def _flag(self) -> str | None:
        name = self.fact("bool")
        if name is None:
            return None
        return self.one(
            name, f"{name} is false", f"({name} or else {self.one('true', 'false')})", f"not {name}"
        )

    def _order(self) -> str | None:
        name = self.fact(*_NUMBERS)
        return None if name is None else f"{name} {self.one(*_SIGNS)} {self.constant(name)}"

    def constant(self, name: str) -> str:
        """Return a constant or parameter of the fact's kind."""
        kind = self.facts[name].type.kind
        return self.one(*_NUMBERS[kind], *({"count": ("$n",), "percent": ("$p",)}.get(kind, ())))

    def _presence(self) -> str | None:
        name = self.fact(*(spec.type.kind for spec in self.facts.values()))
        return None if name is None else f"{name} is {self.one('known', 'unknown')}"

    def _member(self) -> str | None:
        name = self.fact("enum")
        if name is None:
            number = self.fact("count")
            return None if number is None else f"{number} {self.one('in', 'not in')} [0, $n]"
        return self.one(f"{name} is OPEN", f"{name} is not CLOSED", f"{name} in [OPEN, HALF_OPEN]",
                        f"{name} not in [CLOSED]", f"({name} or else CLOSED) is OPEN")  # fmt: skip

    def _steady(self) -> str | None:
        name = self.fact(*(spec.type.kind for spec in self.facts.values()))
        if name is None:
            return None
        n = self.one("1", "2", "$n")
        forms = [f"{name} unchanged for {n} iterations", f"{name} repeats {n} times"]
        if self.facts[name].type.kind != "list":
            forms.append(f"{name} repeats 2 times within last 3")
        if self.facts[name].type.kind in _NUMBERS:
            by = self.one("50%", "100%", "33.3%", "$p")
            forms += [f"{name} declined by {by} over last {self.one('1', '2')}",
                      f"{name} rose by {by} over last {self.one('1', '2')}"]  # fmt: skip
        return self.one(*forms)

    def _counted(self) -> str | None:
        name, flag = self.fact("count", "enum", "signature", "percent", "bool"), self.test_of_flag()
        window = self.window("2", "3")
        counts = [f"streak({flag}, {window})", f"count({flag}, {window})"]
        if name is not None:
            counts += [f"repeats({name}, {window})", f"distinct({name}, {window})",
                       f"occurrences({name}, {window})"]  # fmt: skip
        count = self.one(*counts)
        if self.one("between", "sign", "sign") == "between":
            return f"{count} between 1 and 2"
        return f"{count} {self.one(*_SIGNS)} {self.one('1', '2', '$n')}"

    def test_of_flag(self) -> str:
        """Return a short condition."""
        return self._flag() or self._order() or "true"

    def _series(self) -> str | None:
        name = self.fact(*_NUMBERS)
        if name is None:
            other = self.fact("bool", "enum")
            return None if other is None else f"previous({other}) is {other}"
        window = self.window("2", "3")
        value = self.one(f"previous({name})", f"first({name}, {window})", f"last({name}, {window})",
                         f"sum({name}, {window})", f"average({name}, {window})",
                         f"max({name}, {window})", f"min({name}, {window})", f"median({name}, {window})",
                         f"percentile({name}, {self.one('30%', '60%', '$p')}, {window})",
                         f"deviation({name}, {window})")  # fmt: skip
        return f"{value} {self.one(*_SIGNS)} {self.one(name, self.constant(name))}"

    def _calculated(self) -> str | None:
        name = self.fact("count", "percent", "number")
        if name is None:
            return None
        others = [n for n, spec in self.facts.items() if spec.type == self.facts[name].type]
        other, constant = self.one(*others), self.constant(name)
        value = self.one(f"{name} + {other}", f"{name} - {constant}", f"2 * {name}", f"max({name}, {other})",
                         f"min({name}, {constant})", f"abs({name} - {other})", f"{name} / 2", other,
                         f"round({name} / 2)")  # fmt: skip
        return f"{value} {self.one(*_SIGNS)} {self.one(constant, name)}"

    def _text(self) -> str | None:
        name = self.fact("text", "list")
        if name is None:
            return None
        if self.facts[name].type.kind == "list":
            if self.one("whole", "items") == "items":
                return self._items(name)
            return self.one(f'{name} contains "a"', f"length({name}) >= {self.one('2', '5')}",
                            f'{name} is ["a"]', f'"b" in {name}',
                            f"length({name}) between 1 and $n")  # fmt: skip
        size = f"{self.one(*_SIGNS)} {self.one('0', '3', '12', '$n')}"
        return self.one(f'{name} is "a"', f'{name} contains "b"', f'{name} matches "{self.one(*_PATTERNS)}"',
                        f'lower({name}) is "a"', f"length({name}) {size}", f'{name} in ["a", "ok"]',
                        f'({name} or else "ok") matches "{self.one(*_PATTERNS)}"',
                        f'lower({name}) matches "{self.one(*_PATTERNS)}"',
                        f'previous({name}) matches "^a"', f"2 < length({name})")  # fmt: skip

    def _items(self, name: str) -> str:
        size = f"length(item) {self.one(*_SIGNS)} {self.one('1', '3')}"
        pattern = f'item matches "{self.one(*_PATTERNS)}"'
        test = self.one('item is "a"', 'item contains "b"', pattern, size, 'lower(item) is "ok"')
        test += self.one("", "", f" {self.one('and', 'or')} {self.test_of_flag()}", ' and item is not "a"')
        if self.one("count", "any", "all") == "count":
            return f"count of {name} where ({test}) {self.one(*_SIGNS)} {self.one('0', '1', '2', '$n')}"
        listed = self.one(name, name, f"({name} or else [])")
        return f"{self.one('any', 'all')} of {listed} where ({test})"

    def _silent(self) -> str | None:
        return "nothing is known"


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
    unreadable: dict[str, object] = {}
    if "plans" in families and draw(st.integers(0, 2)) == 0:
        extractions.append(Extraction("tasks", "checklist", "plan", draw(st.sampled_from(PLANS))))
        wanted = draw(st.lists(st.sampled_from(_OF_PLANS), min_size=1, max_size=3, unique=True))
        facts |= {f"tasks.{s.name}": _named("tasks", s) for s in checklist.specs({}) if s.name in wanted}
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
        signal = writer.fact("count", "bool", "signature")
        if signal is not None:
            moves = draw(st.sampled_from(("", "falls", "changes")))
            yield [Derived("progress.made", BOOL, signals=(signal,), moves=(moves,))]
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
