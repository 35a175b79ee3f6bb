"""Which shipped policies use what: facts of extractors, classes of exit, stages, modes."""

from __future__ import annotations

from exitgate.language.measure import facts_of
from exitgate.policy import shipped
from exitgate.policy.compile import load_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.policy.compiled import CompiledPolicy, Rule

#: So many rules of one policy are named.
_NAMED = 4


def policies() -> dict[str, CompiledPolicy]:
    """Return every shipped policy, compiled, by name."""
    return {name: load_policy(name) for name in shipped.policies()}


def fact_uses(all: Mapping[str, CompiledPolicy]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return (extractor, name behind the prefix) -> the policies and rules that use such a fact."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, policy in all.items():
        users = _users(policy)
        for prefix, extractor in _prefixes(policy):
            for fact in policy.facts:
                if fact != prefix and not fact.startswith(f"{prefix}."):
                    continue
                key = (extractor, fact[len(prefix) + 1 :])
                if users.get(fact):
                    found.setdefault(key, []).append(_told(name, fact, users[fact]))
    return {key: tuple(dict.fromkeys(some)) for key, some in found.items()}


def _prefixes(policy: CompiledPolicy) -> list[tuple[str, str]]:
    """Return each prefix of facts with its extractor; what the engine computes itself included."""
    found = {(entry.prefix, entry.extractor) for entry in policy.extractions}
    found |= {(one.name.rpartition(".")[0], "progress") for one in policy.derived if one.signals}
    return sorted(found | ({("circuit", "circuit")} if policy.breaker is not None else set()))


def _users(policy: CompiledPolicy) -> dict[str, list[str]]:
    """Return fact -> ids of the rules, or names of computed facts, that use it."""
    found: dict[str, list[str]] = {}
    for rule in policy.rules:
        for fact in facts_of(rule.when, policy.conditions):
            found.setdefault(fact, []).append(rule.id)
    for one in policy.derived:
        nodes = [row.when for row in one.rows] + ([one.formula] if one.formula is not None else [])
        names = {fact for node in nodes for fact in facts_of(node, policy.conditions)} | set(one.signals)
        for fact in names:
            found.setdefault(fact, []).append(one.name.rpartition(".")[0] if one.signals else one.name)
    if policy.breaker is not None:
        for opening in policy.breaker.openings:
            for fact in facts_of(opening.when, policy.conditions):
                found.setdefault(fact, []).append(f"breaker {opening.id}")
    return found


def _told(policy: str, fact: str, users: list[str]) -> str:
    some = list(dict.fromkeys(users))
    more = f" and {len(some) - _NAMED} more" if len(some) > _NAMED else ""
    names = ", ".join(f"`{name}`" for name in some[:_NAMED])
    return f"[{policy}](../policies/{policy}.md) as `{fact}` in {names}{more}"


def rules_by(all: Mapping[str, CompiledPolicy], key: Callable[[Rule], str | None]) -> dict[str, list[str]]:
    """Return what `key` says of a rule -> the rules of which it says so, as Markdown."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, policy in all.items():
        for rule in policy.rules:
            word = key(rule)
            if word:
                found.setdefault(word, {}).setdefault(name, []).append(f"`{rule.id}`")
    return {
        word: [f"[{name}](policies/{name}.md): {', '.join(rules)}" for name, rules in some.items()]
        for word, some in found.items()
    }
