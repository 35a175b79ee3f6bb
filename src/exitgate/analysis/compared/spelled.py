"""A policy taken apart into texts: section -> name -> property -> text."""

from __future__ import annotations

import json

from exitgate.facts.given import NAME as GIVEN
from exitgate.facts.registry import BUILT_IN
from exitgate.language.unparse import unparse
from exitgate.language.written import exact_text
from exitgate.model.type import DURATION
from exitgate.policy.compared import change as sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.type import Type
    from exitgate.policy.compared.change import Side
    from exitgate.policy.compiled import (
        Breaker,
        CompiledPolicy,
        Derived,
        Extraction,
        Parameter,
        Rule,
        Slot,
        Template,
    )

    Properties = dict[str, str]
    Spelled = dict[str, dict[str, Properties]]

#: Property that the value in force of a parameter goes by, and that of a list, which has no other.
VALUE = "value"


def spelled(side: Side) -> Spelled:
    """Return all of a policy but what its extractors are reported (`options` compares that), as texts."""
    policy = side.policy
    found: Spelled = {section: {} for section in sections.SECTIONS}
    found[sections.POLICY] = {"policy": _head(side)}
    found[sections.PARAMETERS] = {name: _parameter(one) for name, one in policy.parameters.items()}
    for key in (sections.PROFILES, sections.LISTS):
        found[key] = _declared(side.declared.get(key))
    found[sections.FACTS] = _facts(policy)
    found[sections.CONDITIONS] = {name: {"when": unparse(node)} for name, node in policy.conditions.items()}
    if policy.breaker is not None:
        found[sections.CIRCUIT] = _breaker(policy.breaker)
    found[sections.RULES] = {rule.id: _rule(rule) for rule in policy.rules}
    if policy.otherwise_message:
        found[sections.OTHERWISE] = {"otherwise": {"because": template_text(policy.otherwise_message)}}
    if policy.exit_after_blind is not None:
        found[sections.UNDETERMINED] = {"undetermined": {"exit_after": str(policy.exit_after_blind)}}
    found[sections.INVARIANTS] = {
        one.id: {"given": one.text, one.claim: one.verdict.lower()} for one in policy.invariants
    }
    found[sections.VIEWS] = {
        name: {field: text(value) for field, value in view.items()} for name, view in policy.views.items()
    }
    found[sections.MASK] = {
        str(shape.get("id")): {key: text(value) for key, value in shape.items() if key != "id"}
        for shape in policy.mask
    }
    return found


def text(plain: object) -> str:
    """Return plain data as one line: a text as it is, everything else as JSON."""
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _value(value: object, type: Type) -> str:
    """Return a value in full: what people are shown elsewhere is cut."""
    if isinstance(value, str):
        return value if type.kind in ("enum", "signature") else text(value)
    return text(list(value)) if isinstance(value, tuple) else exact_text(value, type)


def template_text(template: Template) -> str:
    """Return a message as it is in the policy, ``{tasks.done} of {$goal}``."""
    return "".join(part if isinstance(part, str) else _slot(part) for part in template)


def _slot(slot: Slot) -> str:
    if len(slot) == 3:
        mark = "'" if '"' in slot[2] else '"'
        return f"{{{slot[0]} or else {mark}{slot[2]}{mark}}}"
    return f"{{{slot[0]}}}" if len(slot) == 1 else f"{{history({slot[0]}, last {slot[1]})}}"


def _head(side: Side) -> Properties:
    policy = side.policy
    found = {"policy": policy.name, "version": policy.version, "title": policy.title}
    if "doc" in side.declared:
        found["doc"] = text(side.declared["doc"])
    return {key: value for key, value in found.items() if value}


def _parameter(one: Parameter) -> Properties:
    found = {"type": str(one.type), "default": _value(one.default, one.type)}
    found[VALUE] = _value(one.value, one.type)
    for key, bound in (("min", one.low), ("max", one.high)):
        if bound is not None:
            found[key] = _value(bound, one.type)
    return found | ({"doc": one.doc} if one.doc else {})


def _declared(plain: object) -> dict[str, Properties]:
    if not isinstance(plain, dict):
        return {}
    return {
        str(name): {str(key): text(value) for key, value in entry.items()}
        if isinstance(entry, dict)
        else {VALUE: text(entry)}
        for name, entry in plain.items()
    }


def entries(policy: CompiledPolicy) -> tuple[Extraction, ...]:
    """Return what the policy says is read; what is always there counts where options are given."""
    return tuple(one for one in policy.extractions if one.options or one.prefix not in BUILT_IN)


def _facts(policy: CompiledPolicy) -> dict[str, Properties]:
    """Return computed facts and entries of extractors, without the options of the latter."""
    found: dict[str, Properties] = {
        one.prefix: {}  # all that is written of it is among its options
        if one.extractor == GIVEN
        else {"extract": one.extractor, "from": one.source}
        for one in entries(policy)
    }
    for name, value in policy.unreadable.items():
        prefix = max((p for p in found if name == p or name.startswith(p + ".")), key=len, default=name)
        found.setdefault(prefix, {})[f"unreadable.{name}"] = text(value)
    return found | {fact.name: _derived(fact) for fact in policy.derived}


def _derived(fact: Derived) -> Properties:
    found: Properties = {"type": str(fact.type)}
    if fact.formula is not None:
        found["formula"] = unparse(fact.formula)
    for row in fact.rows:
        key = f"points when {unparse(row.when)}"
        found[key] = f"{found[key]}, {row.add:g}" if key in found else f"{row.add:g}"
        if row.because:
            found[f"because of {key}"] = row.because
    for key, bound in (("min", fact.low), ("max", fact.high)):
        if bound is not None:
            found[key] = _value(bound, fact.type)
    for signal, moves in zip(fact.signals, fact.moves, strict=False):
        found[f"signal {signal}"] = moves or "changes"
    return found


def _breaker(breaker: Breaker) -> dict[str, Properties]:
    found = {one.id: {"open when": one.text} for one in breaker.openings}
    moves = {key: unparse(node) for key, node in (("watch", breaker.watch), ("close", breaker.close)) if node}
    if breaker.cooldown is not None:
        moves["cooldown"] = _value(breaker.cooldown, DURATION)
    return found | ({"circuit": moves} if moves else {})


def _rule(rule: Rule) -> Properties:
    effect = f"exit: {rule.exit_class}" if rule.effect == "exit" else f"{rule.effect}: true"
    found = {"effect": effect, "when": rule.text}
    usual: Mapping[str, tuple[str, str]] = {
        "outcome": (rule.outcome, rule.id),
        "mode": (rule.mode, "enforce"),
        "stage": (rule.stage, "after_iteration"),
    }
    found |= {key: said for key, (said, otherwise) in usual.items() if said != otherwise}
    for key in ("locked", "on_silence"):
        if getattr(rule, key):
            found[key] = "true" if key == "locked" else "exit"
    if rule.retry_after is not None:
        found["retry_after"] = unparse(rule.retry_after)
    messages = {"because": rule.because, "advice": rule.advice, "escalation": rule.escalation}
    return found | {key: template_text(one) for key, one in messages.items() if one}
