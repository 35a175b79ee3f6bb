"""
Lists and how a policy that extends another changes them: append, remove, replace, change. Never by merging.

Items that are mappings with an `id` are named by it: `remove: [ID]`, `change: {ID: {key: value}}`.
"""

from __future__ import annotations

from exitgate.policy.part import Part
from exitgate.policy.schema_words import described
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings

CHANGES = ("append", "remove", "replace", "change")


def is_change(part: Part) -> bool:
    """Return whether a part says how a list changes."""
    return isinstance(part.value, dict) and all(key in CHANGES for key in part.fields)


def change_list(base: Part | None, change: Part, findings: Findings) -> Part:
    """
    Return a list of the extended policy as a later policy changes it.

    Args:
        base: The list so far, a single item for a list of one, or None when there is none.
        change: A mapping with `append`, `remove`, `replace` or `change`, or a list.
        findings: Takes EP460 (a list over a list, a change of nothing, an item twice) and EP461.
    """
    if not is_change(change):
        if base is not None:
            help = "write `append: [...]`, `remove: [...]` or `replace: [...]` under it"
            related = (("the list of the extended policy", base.label),)
            findings.error(
                "EP460", "this list exists already, and lists do not merge", change.label, help, related
            )
        return change
    if base is None or base.fields:
        findings.error(
            "EP460", "there is no list to change here", change.label, "write the list itself: `[...]`"
        )
        return Part((), change.place, change.key)
    replace = change.get("replace")
    if replace is not None and len(change.fields) > 1:
        help = "write the whole list under `replace:`, or omit `replace:`"
        message = "`replace` cannot be combined with `append` or `remove`"
        findings.error("EP460", message, replace.label, help)
    before = base.items if isinstance(base.value, tuple) else (base,)
    items = list(replace.items if replace is not None else before)
    items = _without(items, change.get("remove"), findings)
    items = _changed(items, change.get("change"), findings)
    append = change.get("append")
    for item in append.items if append is not None else ():
        name = _name(item)
        if name is not None and name.text in _names(items):
            help = f"write `change: {{{name.text}: ...}}`, or give this one a different id"
            findings.error("EP460", f"`{name.text}` is already in the list", name.place, help)
            continue
        items.append(item)
    return Part(tuple(items), change.place, change.key)


def _name(item: Part) -> Part | None:
    """Return the id of an item; None for one that has none."""
    return item.get("id")


def _names(items: Sequence[Part]) -> list[str]:
    """Return the ids of items, those that have one."""
    return [name.text for name in map(_name, items) if name is not None]


def _without(items: list[Part], remove: Part | None, findings: Findings) -> list[Part]:
    """Return the items without those that are named by id, or whole."""
    for item in remove.items if remove is not None else ():
        plain = item.plain()
        kept = [
            other for other in items if plain not in (other.plain(), other.fields.get("id", other).plain())
        ]
        if len(kept) == len(items):
            texts = [other.text for other in items if other.written is not None] + _names(items)
            help = (
                suggestion(item.text, texts, "items")
                if item.written is not None
                else "compare it with the list"
            )
            findings.error("EP461", f"{described(item)} is not in the list", item.place, help)
        items = kept
    return items


def _changed(items: list[Part], change: Part | None, findings: Findings) -> list[Part]:
    """Return the items with what is changed in those of an id."""
    for name, fields in change.fields.items() if change is not None else ():
        if name not in _names(items):
            help = suggestion(name, _names(items), "ids")
            findings.error("EP461", f"the list has no entry with the id `{name}`", fields.label, help)
            continue
        items = [_patched(i, fields, findings) if _names([i]) == [name] else i for i in items]
    return items


def _patched(item: Part, change: Part, findings: Findings) -> Part:
    """Return an item with the keys of a change; lists in it change as lists do."""
    fields = dict(item.fields)
    for key, part in change.fields.items():
        old = fields.get(key)
        listed = old is not None and isinstance(old.value, tuple)
        fields[key] = change_list(old, part, findings) if listed else part
    return Part(fields, item.place, item.key)
