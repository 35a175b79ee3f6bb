"""What a policy changes in the one it extends, outside the rules."""

from __future__ import annotations

from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.schema.messages import described
from exitgate.core.policy.sections.given import SECTION as GIVEN
from exitgate.core.policy.sections.given import override_given
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.policy.findings import Findings


#: Keys that say which kind of fact an entry is; another kind replaces the entry.
KINDS = ("extract", "points", "formula")

#: Pairs, not lists: the later one replaces.
_PAIRS = frozenset(("range",))


def override(base: YamlNode, later: YamlNode, findings: Findings) -> YamlNode:
    """
    Return the top-level mapping of `base` with the changes of `later`; rules are not looked at.

    Scalars and whole sections replace; `parameters`, `facts`, `given`, `conditions`, `profiles` and each of
    the `views` replace key by key; `lists` and lists among a fact's options change only by append, remove,
    replace, change; invariants and changes of `lexicons` add up.
    """
    fields = dict(base.fields)
    for key, part in later.fields.items():
        old = fields.get(key)
        if key == "rules":
            continue
        if old is None or not old.value:
            fields[key] = _first(key, part, findings)
        elif key in ("parameters", "profiles", "views"):
            fields[key] = _each(old, part)
        elif key == GIVEN:
            fields[key] = override_given(old, part)
        elif key == "lexicons":
            fields[key] = _lexicons(old, part)
        elif key == "conditions":
            fields[key] = old.with_fields({**old.fields, **part.fields})
        elif key == "lists":
            lists = {name: change_list(old.get(name), words, findings) for name, words in part.fields.items()}
            fields[key] = old.with_fields({**old.fields, **lists})
        elif key == "facts":
            facts = {name: fact(old.get(name), entry, findings) for name, entry in part.fields.items()}
            fields[key] = old.with_fields({**old.fields, **facts})
        elif key == "invariants":
            fields[key] = old.with_items([*old.items, *part.items])
        else:
            fields[key] = part
    return base.with_fields(fields)


def first(root: YamlNode, findings: Findings) -> YamlNode:
    """Return a policy that extends nothing; there is nothing its lists could change (EP460)."""
    fields = {key: _first(key, part, findings) for key, part in root.fields.items()}
    return root.with_fields(fields)


def _first(key: str, part: YamlNode, findings: Findings) -> YamlNode:
    if key == "lists":
        return part.with_fields({n: change_list(None, words, findings) for n, words in part.fields.items()})
    if key == "facts":
        return part.with_fields({n: fact(None, entry, findings) for n, entry in part.fields.items()})
    return _lexicons(part.with_fields({}), part) if key == "lexicons" else part


def _lexicons(old: YamlNode, new: YamlNode) -> YamlNode:
    """Return lexicon -> the changes of it, in the order in which they are made."""
    joined = dict(old.fields)
    for name, change in new.fields.items():
        before = joined[name].items if name in joined else ()
        joined[name] = YamlNode((*before, change), change.place, change.key)
    return old.with_fields(joined)


def _fields(old: YamlNode, new: YamlNode) -> YamlNode:
    merged = {**old.fields, **new.fields}
    return YamlNode(merged, old.place, new.key)


def _each(old: YamlNode, new: YamlNode) -> YamlNode:
    merged = dict(old.fields)
    for name, entry in new.fields.items():
        before = merged.get(name)
        # a view may be written without keys
        merged[name] = _fields(before, entry) if before is not None and before.fields else entry
    return old.with_fields(merged)


def stand_ins(unreadable: YamlNode) -> dict[str, YamlNode]:
    """Return what stands in for a fact that cannot be read, by its last name: empty for the entry's own."""
    if unreadable.is_mapping:
        return dict(unreadable.fields)
    return {"": unreadable}


def fact(base: YamlNode | None, later: YamlNode, findings: Findings) -> YamlNode:
    """Return an entry under `facts:` with the keys that a later policy changes."""
    kind = next((key for key in KINDS if key in later.fields), None)
    replaced = base is not None and kind is not None and kind not in base.fields
    if base is not None and kind == "extract" and not replaced:
        replaced = base.fields["extract"].value != later.fields["extract"].value
    old = base.fields if base is not None and not replaced else {}
    fields = dict(old)
    for key, part in later.fields.items():
        before = old.get(key)
        if key == "unreadable" and before is not None:
            # a list here is the value of a fact, not a list of the policy
            fields[key] = before.with_fields({**stand_ins(before), **stand_ins(part)})
            continue
        listed = before is not None and before.is_sequence
        changes = listed if part.is_sequence or not part.fields else is_change(part)
        if key not in _PAIRS and changes:
            fields[key] = change_list(before, part, findings)
        else:
            fields[key] = part
    return YamlNode(fields, later.place, later.key)


# Lists and how a policy that extends another changes them: append, remove, replace, change. Never by
# merging.
#
# Items that are mappings with an `id` are named by it: `remove: [ID]`, `change: {ID: {key: value}}`.

CHANGES = ("append", "remove", "replace", "change")


def is_change(part: YamlNode) -> bool:
    """Return whether a part says how a list changes."""
    return part.is_mapping and all(key in CHANGES for key in part.fields)


def change_list(base: YamlNode | None, change: YamlNode, findings: Findings) -> YamlNode:
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
        return YamlNode((), change.place, change.key)
    replace = change.get("replace")
    if replace is not None and len(change.fields) > 1:
        help = "write the whole list under `replace:`, or omit `replace:`"
        message = "`replace` cannot be combined with `append` or `remove`"
        findings.error("EP460", message, replace.label, help)
    before = base.items if base.is_sequence else (base,)
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
    return YamlNode(tuple(items), change.place, change.key)


def _name(item: YamlNode) -> YamlNode | None:
    """Return the id of an item; None for one that has none."""
    return item.get("id")


def _names(items: Sequence[YamlNode]) -> list[str]:
    """Return the ids of items, those that have one."""
    return [name.text for name in map(_name, items) if name is not None]


def _without(items: list[YamlNode], remove: YamlNode | None, findings: Findings) -> list[YamlNode]:
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


def _changed(items: list[YamlNode], change: YamlNode | None, findings: Findings) -> list[YamlNode]:
    """Return the items with what is changed in those of an id."""
    for name, fields in change.fields.items() if change is not None else ():
        if name not in _names(items):
            help = suggestion(name, _names(items), "ids")
            findings.error("EP461", f"the list has no entry with the id `{name}`", fields.label, help)
            continue
        items = [_patched(i, fields, findings) if _names([i]) == [name] else i for i in items]
    return items


def _patched(item: YamlNode, change: YamlNode, findings: Findings) -> YamlNode:
    """Return an item with the keys of a change; lists in it change as lists do."""
    fields = dict(item.fields)
    for key, part in change.fields.items():
        old = fields.get(key)
        listed = old is not None and old.is_sequence
        fields[key] = change_list(old, part, findings) if listed else part
    return YamlNode(fields, item.place, item.key)
