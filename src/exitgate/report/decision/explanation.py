"""What `explain` shows, gathered: the ladder of rules with the facts each of them names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exitgate.analysis.results.counterfactual import Outlook
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import Decision, Step
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy, Derived, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import JsonObject
    from exitgate.report.decision.summary import Setting


DECIDED, TRUE, WARNS, SHADOW = "decided", "true", "warns", "shadow"
FALSE, PENDING, UNKNOWN, NOT_ASKED = "false", "pending", "unknown", "not asked"

NO_OUTLOOK = Outlook()


class Rung(Value):
    """
    One rule of the ladder.

    Args:
        rule: The rule.
        step: How it was evaluated.
        state: `DECIDED`, `TRUE`, `WARNS`, `SHADOW`, `FALSE`, `PENDING`, `UNKNOWN` or `NOT_ASKED`.
        written: Its condition with values written in, or the empty text where it was not asked.
        names: Facts the condition rests on, in the order it names them.
    """

    __slots__ = ("names", "rule", "state", "step", "written")

    def __init__(self, rule: Rule, step: Step, state: str, written: str, names: tuple[str, ...]) -> None:
        self.rule = rule
        self.step = step
        self.state = state
        self.written = written
        self.names = names


class Explanation(Value):
    """
    One decision with everything that explains it.

    Args:
        policy: The policy that decided.
        decision: What it decided.
        rungs: Its ladder, in chain order.
        facts: Facts of the iteration by name.
        run: Id of the run, or the empty text.
        number: Number of the iteration in the run, 0 when there is none.
        texts: Text of each source that is at hand, to quote whole lines from.
        outlook: What would have changed the decision, how far thresholds are, what is next.
        all: Everything of that is to be shown, and every rule, not only what is nearest.
        setting: What `check` says of it needs, None where only the decision is at hand.
        rule: Id of the one rule to show, or the empty text.
        why_not: The class whose rules are to be shown, or the empty text.
        probes: What each probe that was asked said, as the ledger keeps it.
    """

    __slots__ = (
        "all", "decision", "facts", "number", "outlook", "policy", "probes", "rule", "run", "rungs",
        "setting", "texts", "why_not",
    )  # fmt: skip

    def __init__(
        self,
        policy: CompiledPolicy,
        decision: Decision,
        rungs: tuple[Rung, ...],
        facts: Mapping[str, Fact],
        run: str = "",
        number: int = 0,
        texts: Mapping[str, str] | None = None,
        outlook: Outlook = NO_OUTLOOK,
        all: bool = False,
        setting: Setting | None = None,
        rule: str = "",
        why_not: str = "",
        probes: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self.policy = policy
        self.decision = decision
        self.rungs = rungs
        self.facts = facts
        self.run = run
        self.number = number
        self.texts = texts or {}
        self.outlook = outlook
        self.all = all
        self.setting = setting
        self.rule = rule
        self.why_not = why_not
        self.probes = probes or {}


def rungs(
    policy: CompiledPolicy, decision: Decision, records: Sequence[Mapping[str, object]], whole: bool = False
) -> tuple[Rung, ...]:
    """
    Return the ladder of a decision.

    Args:
        policy: The policy it was made with.
        decision: With its steps.
        records: Values of the facts, oldest first, the decided iteration last.
        whole: Conditions of rules that were not asked are written, too.
    """
    from exitgate.core.language.unparse import written

    by_id = {rule.id: rule for rule in policy.rules}
    values = policy.values()
    found = []
    for step in decision.steps:
        rule = by_id[step.rule]
        state = state_of(rule, step, decision)
        skipped = state == NOT_ASKED and not whole
        text = "" if skipped else written(rule.when, records, values, policy.conditions)
        names = names_of(rule.when, policy)
        if rule.retry_after is not None and state == DECIDED:
            names = tuple(dict.fromkeys((*names, *names_of(rule.retry_after, policy))))
        found.append(Rung(rule, step, state, text, names))
    return tuple(found)


def state_of(rule: Rule, step: Step, decision: Decision) -> str:
    """Return the state of a rung, one of the words above."""
    if step.truth is None:
        return NOT_ASKED
    if step.truth is True:
        if rule.id == decision.rule:
            return DECIDED
        if rule.effect == "warn" or rule.mode == "warn":
            return WARNS
        return SHADOW if rule.mode == "shadow" else TRUE
    if step.truth is False:
        return PENDING if step.pending else FALSE
    return UNKNOWN


def names_of(node: Node, policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts that a condition rests on in reading order; a derived one is followed by its own."""
    derived = {fact.name: fact for fact in policy.derived}
    seen: dict[str, None] = {}
    waiting = [node]
    while waiting:
        for part in waiting.pop(0).walk():
            name = str(part.args[0]) if part.args else ""
            if part.op == "condition" and name in policy.conditions:
                waiting.append(policy.conditions[name])
            elif part.op == "fact" and name not in seen:
                seen[name] = None
                fact = derived.get(name)
                seen.update(dict.fromkeys(fact.signals if fact is not None else ()))
                waiting += _below(fact)
    return tuple(seen)


def _below(fact: Derived | None) -> list[Node]:
    if fact is None:
        return []
    return [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
