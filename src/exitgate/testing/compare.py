"""One want against one decided iteration: met, or a failure that says why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import written
from exitgate.core.model.decision import Decision, Step
from exitgate.core.model.display import counted
from exitgate.core.model.display import shown as show
from exitgate.core.model.value import Unknown
from exitgate.testing.cases.case import Failure, Want
from exitgate.testing.cases.values import same, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    Comparison = Callable[[Want, "View"], Failure | None]

    from exitgate.testing.extract import Observed


def compare(want: Want, view: View) -> Failure | None:
    """Return None when `want` is met. Raises KeyError for a key that is not one of `COMPARISONS`."""
    return COMPARISONS[want.key](want, view)


def _said(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _list(values: object) -> str:
    return ", ".join(str(v) for v in values) or "none" if isinstance(values, list | tuple) else str(values)


def _part(attribute: str) -> Comparison:
    """Compare with one part of the decision."""

    def comparison(want: Want, view: View) -> Failure | None:
        got = getattr(view.decision, attribute)
        if got == want.value:
            return None
        detail = view.about_rule(str(want.value)) if want.key == "rule" and want.value else []
        if view.decision.rule is not None or not detail:
            detail += view.about_decision()
        return Failure(want, _said(want.value), _said(got), tuple(detail))

    return comparison


def _wording(attribute: str) -> Comparison:
    """Compare with a text: each of the wanted parts in it, or exactly the wanted one."""

    def comparison(want: Want, view: View) -> Failure | None:
        got = str(getattr(view.decision, attribute))
        if isinstance(want.value, dict):
            exact = want.value["exact"]
            return (
                None
                if got == exact
                else Failure(want, _quoted(exact), _quoted(got), tuple(view.about_decision()))
            )
        missing = [part for part in _texts(want.value) if part not in got]
        if not missing:
            return None
        parts = " and ".join(f"`{part}`" for part in missing)
        return Failure(want, f"{parts} in it", _quoted(got), tuple(view.about_decision()))

    return comparison


def _quoted(text: object) -> str:
    """Return a text as it is reported: one of several lines as it is, for a diff."""
    return str(text) if "\n" in str(text) else f"`{text}`" if text else "none"


def _texts(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list | tuple) else [str(value)]


def _rules(want: Want, view: View) -> Failure | None:
    """Compare the ids of all rules that came out a certain way; order means nothing."""
    decision = view.decision
    got = {
        "undetermined": [step.rule for step in decision.undetermined],
        "alternatives": [alternative.rule for alternative in decision.alternatives],
        "shadows": list(decision.shadows),
    }[want.key]
    wanted = _texts(want.value)
    if sorted(got) == sorted(wanted):
        return None
    differing = [rule for rule in (*wanted, *got) if (rule in wanted) != (rule in got)]
    detail = [line for rule in differing for line in view.about_rule(rule)]
    return Failure(want, _list(wanted), _list(got), tuple(detail))


def _warnings(want: Want, view: View) -> Failure | None:
    """Each want must fit a warning of its own: be its rule's id or a part of its message."""
    left = list(view.decision.warnings)
    missing = []
    for part in _texts(want.value):
        fitting = next((w for w in left if part == w.rule or part in w.message), None)
        if fitting is None:
            missing.append(part)
        else:
            left.remove(fitting)
    if not missing and not left:
        return None
    got = "; ".join(f"{w.rule}: {w.message}" if w.rule else w.message for w in view.decision.warnings)
    return Failure(want, _list(_texts(want.value)), got or "none")


def _fact(want: Want, view: View) -> Failure | None:
    spec = view.program.policy.facts[want.subject]
    got = view.observed.record.get(want.subject, Unknown("it was not given", want.subject))
    if same(got, want.value):
        return None
    detail = tuple(view.about_fact(want.subject))
    wanted = show(want.value, spec.type)
    return Failure(want, wanted, shown(got, spec.type), detail)


def _evidence(want: Want, view: View) -> Failure | None:
    fact = view.observed.facts.get(want.subject)
    excerpts = [e.excerpt for e in fact.evidence] if fact is not None else []
    wanted = _texts(want.value)
    missing = [part for part in wanted if not any(part in excerpt for excerpt in excerpts)]
    if not missing and (wanted or not excerpts):
        return None
    return Failure(want, _list(wanted), _list(excerpts), tuple(view.about_fact(want.subject)))


def _rejected(want: Want, view: View) -> Failure | None:
    fact = view.observed.facts.get(want.subject)
    guards = [str(e.guard) for e in fact.rejected] if fact is not None else []
    wanted = _texts(want.value)
    if all(guard in guards for guard in wanted) and (wanted or not guards):
        return None
    return Failure(want, _list(wanted), _list(guards), tuple(view.about_fact(want.subject)))


def _pending(want: Want, view: View) -> Failure | None:
    step = view.step(want.subject)
    counts = [str(p) for p in step.pending] if step is not None else []
    if want.value in counts or (want.value is None and not counts):
        return None
    return Failure(want, _said(want.value), _list(counts), tuple(view.about_rule(want.subject)))


#: By key of `expect:`.
COMPARISONS: dict[str, Comparison] = {
    "verdict": _part("verdict"),
    "class": _part("exit_class"),
    "outcome": _part("outcome"),
    "rule": _part("rule"),
    "firm": _part("firm"),
    "blind": _part("blind"),
    "message": _wording("message"),
    "advice": _wording("advice"),
    "escalation": _wording("escalation"),
    "facts": _fact,
    "evidence": _evidence,
    "rejected": _rejected,
    "pending": _pending,
    "undetermined": _rules,
    "alternatives": _rules,
    "shadows": _rules,
    "warnings": _warnings,
}


# One decided iteration of a case, and what can be said about its rules.

#: Rules reported where no single one is in question.
RULES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class View:
    """
    A decision with all it was made from.

    `stage` is the one that was asked first; `also` are those that would be, where it says CONTINUE.
    """

    program: Program
    stage: str
    observed: Observed
    records: Sequence[Record]
    decision: Decision
    also: tuple[str, ...] = ()

    def step(self, rule: str) -> Step | None:
        """Return the step of a rule, asked even if it follows the winner; None in another stage."""
        steps = (s for stage in (self.stage, *self.also) for s in self.program.trace(self.records, stage))
        return next((s for s in steps if s.rule == rule), None)

    def truth(self, node: Node) -> str:
        """Return how a condition came out: ``true``, ``false`` or ``unknown``."""
        policy = self.program.policy
        return _truth(compile_node(node, policy.values(), policy.conditions)(self.records))

    def about_rule(self, rule: str) -> list[str]:
        """Return lines on how the condition of `rule` came out and what kept it from deciding."""
        step = self.step(rule)
        found = next((r for r in self.program.policy.rules if r.id == rule), None)
        if found is None:
            return [f"the policy has no rule `{rule}`"]
        if step is None:
            return [f"rule `{rule}` belongs to stage {found.stage}, this case tests {self.stage}"]
        policy = self.program.policy
        text = written(found.when, self.records, policy.values(), policy.conditions)
        lines = [f"rule `{rule}` is {_truth(step.truth)}: {text}"]
        lines += [
            f"  unknown: {u.origin}, {u.reason}" if u.origin else f"  {u.reason}" for u in step.unknowns
        ]
        lines += [f"  pending {p}: {p.form}" for p in step.pending]
        if step.truth is True and self.decision.rule != rule:
            lines.append(self._overruled(rule, found.mode))
        return lines

    def _overruled(self, rule: str, mode: str) -> str:
        order = [r.id for r in self.program.policy.rules]
        winner = self.decision.rule
        if winner is not None and order.index(winner) < order.index(rule):
            return f"  but `{winner}`, which comes before it, decided"
        return (
            f"  but its mode is {mode}, so it decides nothing" if mode != "enforce" else "  but it only warns"
        )

    def about_decision(self) -> list[str]:
        """Return lines on why the decision is what it is: the rule that decided, else every rule."""
        if self.decision.rule is not None:
            return self.about_rule(self.decision.rule)
        stages = (self.stage, *self.also)
        rules = [r.id for r in self.program.policy.rules if r.stage in stages]
        lines = [line for rule in rules[:RULES_SHOWN] for line in self.about_rule(rule)]
        more = len(rules) - RULES_SHOWN
        return [*lines, f"and {counted(more, 'more rule')}"] if more > 0 else lines

    def about_fact(self, name: str) -> list[str]:
        """Return lines on what a fact rests on and which matches did not count."""
        fact = self.observed.facts.get(name)
        if fact is None:
            return [f"`{name}` was not given"]
        spec = self.program.policy.facts.get(name)
        lines = [f"`{name}` is {shown(fact.value, spec.type if spec else None)}"]
        lines += [f"  {fact.note}"] if fact.note else []
        lines += [f"  {e.source}:{e.line}:{e.column}: {e.excerpt.strip()}" for e in fact.evidence]
        lines += [
            f"  did not count ({e.guard}): {e.source}:{e.line}:{e.column}: {e.excerpt.strip()}"
            for e in fact.rejected
        ]
        return lines


def _truth(truth: object) -> str:
    if isinstance(truth, Unknown):
        return "unknown"
    return str(truth).lower()
