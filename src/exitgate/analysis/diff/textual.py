"""What is written differently in two policies: `written`."""

from __future__ import annotations

import json

from exitgate.analysis.diff.matching import between, moved
from exitgate.analysis.results import comparison as sections
from exitgate.analysis.results.comparison import ADDED, CHANGED, MOVED, REMOVED, RENAMED, Change, Detail
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.lexicons.lexicon import WORKED_OUT
from exitgate.core.facts.lexicons.resolved import whole
from exitgate.core.facts.registry import BUILT_IN
from exitgate.core.language.unparse import exact_text, unparse
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import DURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.results.comparison import Side

    Named = Mapping[str, Mapping[str, str]]
    from collections.abc import Mapping

    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import (
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
    from collections.abc import Iterator, Mapping


#: What makes two rules of different ids the same rule.
SAME_RULE = ("effect", "when", "stage", "mode", "retry_after", "on_silence")


def text_changes(before: Side, after: Side) -> tuple[Change, ...]:
    """
    Return what the second policy has otherwise than the first, section by section in the order of a file.

    Conditions and messages are compared in canonical form, so layout and comments make no difference; what
    a policy inherits counts as its own.
    """
    old, new = as_texts(before), as_texts(after)
    found: list[Change] = []
    for section in sections.SECTIONS:
        changes = _section(section, old[section], new[section])
        if section == sections.PARAMETERS:
            changes = [_without_default(change) for change in changes]
        if section == sections.FACTS:
            changes = _with_options(changes, before, after)
        if section == sections.RULES:
            changes = _chain(changes, old[section], new[section])
        found += changes
    return tuple(found)


def _section(section: str, old: Named, new: Named) -> list[Change]:
    """Return the changes of one section: those of the new order, with what is gone before what follows it."""
    found = [
        Change(section, name, REMOVED, _details(old[name], {}))
        if name not in new
        else Change(section, name, CHANGED, _details(old[name], new[name]))
        for name in old
        if name not in new or old[name] != new[name]
    ]
    added = [name for name in new if name not in old]
    return found + [Change(section, name, ADDED, _details({}, new[name])) for name in added]


def _without_default(change: Change) -> Change:
    """Return the change of a parameter without its value where that is the default on both sides."""
    value, default = change.of(VALUE), change.of("default")
    if value is None or default is None or (value.before, value.after) != (default.before, default.after):
        return change
    kept = tuple(one for one in change.details if one.property != VALUE)
    return Change(change.section, change.name, change.kind, kept)


def _details(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[Detail, ...]:
    keys = (*old, *(key for key in new if key not in old))
    return tuple(Detail(key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key))


def _with_options(changes: Sequence[Change], before: Side, after: Side) -> list[Change]:
    """Return the changes of facts together with what their extractors are reported."""
    old = {one.prefix: one for one in entries(before.policy)}
    new = {one.prefix: one for one in entries(after.policy)}
    found = {one.name: one for one in changes}
    for name in (*old, *(name for name in new if name not in old)):
        if name in old and name in new and old[name].extractor == new[name].extractor:
            details = option_details(old[name], new[name])
        else:
            options = [spelled_options(side[name]) if name in side else {} for side in (old, new)]
            details = _details(*options)
        if details:
            known = found.get(name, Change(sections.FACTS, name, CHANGED))
            found[name] = Change(known.section, name, known.kind, (*known.details, *details))
    order = {name: at for at, name in enumerate((*old, *new, *found))}
    return sorted(found.values(), key=lambda one: order[one.name])


def _chain(changes: Sequence[Change], old: Named, new: Named) -> list[Change]:
    """Return the changes of rules in the order of the chain; renames and moves are shown as such."""
    renamed = _renamed(changes)
    before = [renamed.get(name, name) for name in old]
    after = list(new)
    elsewhere = set(moved(before, after))
    known = {one.name: one for one in changes if one.name not in renamed}
    found = [one for one in changes if one.kind == REMOVED and one.name not in renamed]
    former = {now: was for was, now in renamed.items()}
    for name in after:
        change = known.get(name)
        if name in former:
            details = _details(_apart(old[former[name]]), _apart(new[name]))
            change = Change(sections.RULES, name, RENAMED, details, former[name])
        if name in elsewhere:
            details = change.details if change is not None else ()
            kind, was = (RENAMED, former[name]) if name in former else (MOVED, between(before, name))
            change = Change(sections.RULES, name, kind, details, was, between(after, name))
        elif change is not None and change.kind == ADDED:
            change = Change(sections.RULES, name, ADDED, change.details, now=between(after, name))
        if change is not None:
            found.append(change)
    return found


def _renamed(changes: Sequence[Change]) -> dict[str, str]:
    """Return former id -> new id of rules that are gone and come again, but for their id and their words."""
    gone = [one for one in changes if one.kind == REMOVED]
    come = [one for one in changes if one.kind == ADDED]
    found: dict[str, str] = {}
    for old in gone:
        same = [new for new in come if _core(new) == _core(old) and new.name not in found.values()]
        if len(same) == 1:
            found[old.name] = same[0].name
    return found


def _core(change: Change) -> tuple[str | None, ...]:
    details = (change.of(key) for key in SAME_RULE)
    return tuple(None if one is None else one.after or one.before for one in details)


def _apart(rule: Mapping[str, str]) -> Mapping[str, str]:
    return {key: value for key, value in rule.items() if key not in SAME_RULE}


# A policy taken apart into texts: section -> name -> property -> text.

#: Property that the value in force of a parameter goes by, and that of a list, which has no other.
VALUE = "value"


def as_texts(side: Side) -> Spelled:
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


# What two policies tell an extractor: differences in its options, lexicons included, by path.


def option_details(before: Extraction, after: Extraction) -> tuple[Detail, ...]:
    """Return each option that differs, as ``lexicon.entries.ID.words``, entries of lexicons by their id."""
    return tuple(_differences("", _whole(before.options), _whole(after.options)))


def spelled_options(entry: Extraction) -> dict[str, str]:
    """Return every option of an entry as text, by name."""
    return {name: text(_plain(value)) for name, value in sorted(_whole(entry.options).items())}


def _whole(options: JsonObject) -> JsonObject:
    """Return options with their lexicon as it is written."""
    if "lexicon" not in options:
        return options
    return JsonObject({**options, "lexicon": whole(options.object("lexicon"))})


def _differences(path: str, before: object, after: object) -> Iterator[Detail]:
    if before == after:
        return
    old, new = _by_name(before), _by_name(after)
    if old is None or new is None:
        yield Detail(path, text(_plain(before)), text(_plain(after)))
        return
    start = f"{path}." if path else ""
    shared = [name for name in old if name in new]
    for name in (*old, *(name for name in new if name not in old)):
        if name in WORKED_OUT and path:
            continue
        if name not in new:
            yield Detail(start + name, text(_plain(old[name])), None)
        elif name not in old:
            yield Detail(start + name, None, text(_plain(new[name])))
        else:
            yield from _differences(start + name, old[name], new[name])
    if shared != [name for name in new if name in old] and isinstance(before, list):
        yield Detail(f"{path} in order", ", ".join(old), ", ".join(new))


def _by_name(plain: object) -> Mapping[str, object] | None:
    """Return the values of a mapping, or of a list whose items all have ids of their own, by name."""
    if isinstance(plain, dict):
        return plain
    if not isinstance(plain, list):
        return None
    named = {str(one["id"]): one for one in plain if isinstance(one, dict) and "id" in one}
    return named if len(named) == len(plain) else None


def _plain(value: object) -> object:
    """Return plain data without what the compiler worked out."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items() if key not in WORKED_OUT}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
