"""Facts of probes are read where their answer is there in time: the world is asked only when it matters."""

from __future__ import annotations

from exitgate.core.facts.extractors.probe import EVERY_ITERATION
from exitgate.core.facts.extractors.probes import SO_FAR
from exitgate.core.facts.registry import ASKING
from exitgate.core.language.functions import HISTORY
from exitgate.core.language.measure import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.policy.findings import Findings

_HELP = "write `asked: every_iteration` in the fact that asks, or read it outside of history"


def check_asked(policy: CompiledPolicy, findings: Findings) -> CompiledPolicy:
    """
    Return the policy, looked at for facts that are read before they are asked for.

    Facts of probes in history, the breaker, progress and pauses are reported (EP523), and `report` in
    conditions. A fact that asks in every iteration can be read anywhere.
    """
    _check(policy, findings)
    return policy


def _check(policy: CompiledPolicy, findings: Findings) -> None:
    prefixes = [
        entry.prefix
        for entry in policy.extractions
        if entry.extractor in ASKING and entry.options.get("asked") != EVERY_ITERATION
    ]
    shown = {
        f"{entry.prefix}.{name}"
        for entry in policy.extractions
        for name in SO_FAR
        if entry.extractor == "probes"
    }
    if not prefixes and not shown:
        return
    late = {name for name in policy.facts if name.partition(".")[0] in prefixes}
    late |= _computed_from(late, policy)

    def wrong(names: Collection[str], what: str, place: Location | None = None) -> None:
        for name in sorted(names):
            findings.error("EP523", f"{what} reads `{name}`, which is not asked for by then", place, _HELP)

    for rule in policy.rules:
        what = f"the history in rule `{rule.id}`"
        wrong(_in_history((rule.when,), policy.conditions) & late, what, rule.place)
        if rule.retry_after is not None:
            wrong(
                facts_of(rule.retry_after, policy.conditions) & late,
                f"`retry_after` of `{rule.id}`",
                rule.place,
            )
    for invariant in policy.invariants:
        what = f"the history in invariant `{invariant.id}`"
        wrong(_in_history((invariant.given,), policy.conditions) & late, what, invariant.place)
    for fact in policy.derived:
        wrong(_in_history(fact.trees(), policy.conditions) & late, f"the history in fact `{fact.name}`")
        wrong(late.intersection(fact.signals), f"`{fact.name}`")
    if policy.breaker is not None:
        wrong(
            set().union(*(facts_of(one, policy.conditions) for one in policy.breaker.conditions())) & late,
            "the breaker",
        )
    placed = [(one.when, one.place) for one in policy.rules] + [
        (one.given, one.place) for one in policy.invariants
    ]
    for node, place in [*placed, *((tree, None) for fact in policy.derived for tree in fact.trees())]:
        for name in sorted(facts_of(node, policy.conditions) & shown):
            message = f"a condition reads `{name}`, which says how far the questions got"
            findings.error(
                "EP523", message, place, "it is for messages; read `passed`, `failed` or `failing`"
            )


def _computed_from(late: set[str], policy: CompiledPolicy) -> set[str]:
    """Return the computed facts that rest on some of `late`, also by way of others."""
    found: set[str] = set()
    for fact in policy.derived:  # each follows what it uses
        uses = {name for tree in fact.trees() for name in facts_of(tree, policy.conditions)} | set(
            fact.signals
        )
        if uses & (late | found):
            found.add(fact.name)
    return found


def _in_history(trees: Iterable[Node], conditions: Mapping[str, Node]) -> set[str]:
    """Return the facts that history forms of some trees read."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = list(trees)
    while todo:
        for part in todo.pop().walk():
            if part.op in HISTORY:
                found |= facts_of(part, conditions)
            elif part.op == "condition" and str(part.args[0]) not in seen:
                seen.add(str(part.args[0]))
                todo.append(conditions[str(part.args[0])])
    return found
