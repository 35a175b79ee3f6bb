"""What decisions have shown so far: the first case for each truth of each leaf, for each rule and result."""

from __future__ import annotations

from exitgate.analysis.coverage.probe import Probe
from exitgate.model.coverage import FALSE, TRUE, UNKNOWN
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.engine.program import Program
    from exitgate.model.decision import Decision
    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]

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
