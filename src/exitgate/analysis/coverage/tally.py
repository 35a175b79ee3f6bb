"""What decisions have shown so far: the first case for each truth of each leaf, for each rule and result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from exitgate.analysis.coverage.sites import CIRCUIT, CONDITION, FORMULA, POINTS, Site, reaches, sites
from exitgate.analysis.results.coverage import FALSE, TRUE, UNKNOWN
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.measure import names_in
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.decision import EXIT, Decision
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy

Records = Sequence[Mapping[str, object]]
Key = tuple[str, str, str]


OTHERWISE = "otherwise"
_ALL_SHOWN = 3


class Tally:
    """
    Adds up what the decisions of one policy show, under any parameters.

    `see` takes each decision; the rest reads. Equal decisions in another order give equal truths,
    only the cases named first may differ.
    """

    def __init__(self) -> None:
        self._leaves: dict[tuple[str, str, str], dict[str, str]] = {}
        self._rules: dict[str, str] = {}
        self._results: dict[str, str] = {}
        self._probes: dict[Program, Probe] = {}

    def see(
        self, case: str, program: Program, records: Records, decision: Decision, given: Collection[str] = ()
    ) -> None:
        """
        Take what one decision shows.

        Args:
            case: Name of the case that made it.
            program: The policy that decided.
            records: As it saw them, with computed facts, oldest first.
            decision: What it decided.
            given: Facts of the last record that were given and not extracted or computed.
        """
        self._see_decision(case, program.policy, decision)
        probe = self._probes.get(program)
        if probe is None:
            probe = self._probes[program] = Probe(program.policy)
        computed = {fact.name for fact in program.policy.derived} | {"circuit.state"}
        size = len(records)
        views = [records[: number + 1] for number in range(size)]
        for question in probe.asked(decision.stage, decision.rule, frozenset(computed.intersection(given))):
            shown = self._leaves.setdefault(question.key, {})
            if len(shown) == _ALL_SHOWN:
                continue
            for view in views[max(0, size - 1 - question.back) :]:
                truth = question.test(view)
                what = TRUE if truth is True else FALSE if truth is False else UNKNOWN
                shown.setdefault(what, case)

    def leaf(self, kind: str, name: str, text: str) -> Mapping[str, str]:
        """Return truth -> first case, for a leaf of the site of that kind and name."""
        return self._leaves.get((kind, name, text), {})

    def rule(self, name: str) -> str:
        """Return the first case in which the rule decided, or was true where it only warns, or ""."""
        return self._rules.get(name, "")

    def result(self, name: str) -> str:
        """Return the first case with a class of exit, ``undetermined`` or ``otherwise``, or ""."""
        return self._results.get(name, "")

    def _see_decision(self, case: str, policy: CompiledPolicy, decision: Decision) -> None:
        warned = {warning.rule for warning in decision.warnings}
        for rule in policy.rules:
            deciding = rule.effect != "warn" and rule.mode == "enforce"
            if deciding:
                shows = rule.id == decision.rule
            else:
                shows = rule.id in (decision.shadows if rule.mode == "shadow" else warned)
            if shows:
                self._rules.setdefault(rule.id, case)
        result = decision.exit_class if decision.verdict == EXIT else None
        if result is None and decision.rule is None:
            result = OTHERWISE
        if result is not None:
            self._results.setdefault(result, case)


# What a decision asks: every leaf, with its evaluator and how far back it is asked.

#: Further back than any run of a case reaches.
ALL = 1_000_000


class Question(Value):
    """A leaf to be asked: its site and text, its evaluator, and at how many earlier iterations too."""

    __slots__ = ("back", "key", "test")

    def __init__(self, key: Key, test: Callable[[Records], object], back: int) -> None:
        self.key = key
        self.test = test
        self.back = back


class Probe:
    """
    The leaves of one policy with its effective parameters, compiled once.

    A leaf counts only where the decision rests on it: those of a rule where the rule was asked, so not
    behind the one that decided; those of a named condition where a part that was asked names it; those of
    points and formulas where the fact was computed and not given; those of the breaker at every iteration,
    where its state was not given. A condition that only invariants and forms of output name is asked at every
    decision. Within what was asked every leaf counts, also one that the engine passes over because the part
    beside it settles the matter: the trace shows it all the same.
    """

    def __init__(self, policy: CompiledPolicy) -> None:
        self._policy = policy
        self._unread = unread_facts(policy)
        self._sites = sites(policy)
        self._apart = _apart(self._sites)
        self._tests: dict[Node, Callable[[Records], object]] = {}
        self._texts: dict[Node, str] = {}
        self._plans: dict[tuple[str, str | None, frozenset[str]], tuple[Question, ...]] = {}

    def asked(self, stage: str, winner: str | None, given: frozenset[str]) -> tuple[Question, ...]:
        """
        Return the questions of a decision.

        Args:
            stage: The stage that was decided.
            winner: Id of the rule that decided, or None where none did.
            given: The computed facts that were given, and of the breaker's facts `circuit.state`.
        """
        key = stage, winner, given
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._plan(stage, winner, given)
        return plan

    def _plan(self, stage: str, winner: str | None, given: frozenset[str]) -> tuple[Question, ...]:
        backs: dict[tuple[str, str, Node], int] = {}
        values = self._policy.values()
        for site, trees, least in self._roots(stage, winner, given):
            for tree, is_condition in trees:
                for (name, leaf), back in reaches(
                    tree, values, self._policy.conditions, is_condition
                ).items():
                    key = (CONDITION, name, leaf) if name else (*site.key, leaf)
                    backs[key] = max(back, least, backs.get(key, 0))
        return tuple(
            Question((kind, name, self._text(leaf)), self._test(leaf), back)
            for (kind, name, leaf), back in backs.items()
        )

    def _roots(
        self, stage: str, winner: str | None, given: frozenset[str]
    ) -> Iterable[tuple[Site, tuple[tuple[Node, bool], ...], int]]:
        """Yield every site that was asked, which of its trees, and from how far back on."""
        decided = False
        for site in self._sites:
            rule = site.rule
            if rule is not None:
                if rule.stage == stage and (not decided or rule.effect == "warn" or rule.mode == "warn"):
                    yield site, site.trees if rule.id == winner else site.trees[:1], 0
                decided = decided or rule.id == winner
            elif site.kind in (POINTS, FORMULA) and site.name not in given:
                yield site, site.trees, 0
            elif site.kind == CIRCUIT and "circuit.state" not in given:
                yield site, site.trees, ALL
            elif site.kind == CONDITION and site.name in self._apart:
                yield site, site.trees, 0

    def _test(self, leaf: Node) -> Callable[[Records], object]:
        found = self._tests.get(leaf)
        if found is None:
            policy = self._policy
            found = compile_node(leaf, policy.values(), policy.conditions, self._unread)
            self._tests[leaf] = found
        return found

    def _text(self, leaf: Node) -> str:
        found = self._texts.get(leaf)
        if found is None:
            found = self._texts[leaf] = unparse(leaf)
        return found


def _apart(found: Iterable[Site]) -> frozenset[str]:
    """Return the named conditions that no rule, computed fact, breaker or other condition names."""
    own = {site.name for site in found if site.kind == CONDITION}
    used = {name for site in found for tree, _ in site.trees for name in names_in(tree)}
    return frozenset(own - used)
