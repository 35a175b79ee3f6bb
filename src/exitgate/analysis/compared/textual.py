"""What is written differently in two policies: `written`."""

from __future__ import annotations

from exitgate.analysis.compared.options import option_details, spelled_options
from exitgate.analysis.compared.order import between, moved
from exitgate.analysis.compared.spelled import VALUE, entries, spelled
from exitgate.policy.compared import change as sections
from exitgate.policy.compared.change import ADDED, CHANGED, MOVED, REMOVED, RENAMED, Change, Detail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.compared.change import Side

    Named = Mapping[str, Mapping[str, str]]

#: What makes two rules of different ids the same rule.
SAME_RULE = ("effect", "when", "stage", "mode", "retry_after", "on_silence")


def written(before: Side, after: Side) -> tuple[Change, ...]:
    """
    Return what the second policy has otherwise than the first, section by section in the order of a file.

    Conditions and messages are compared in canonical form, so layout and comments make no difference; what
    a policy inherits counts as its own.
    """
    old, new = spelled(before), spelled(after)
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
