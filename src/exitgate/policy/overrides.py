"""What a policy changes in the one it extends, outside the rules."""

from __future__ import annotations

from exitgate.policy.given import SECTION as GIVEN
from exitgate.policy.given import override_given
from exitgate.policy.lists import change_list, is_change
from exitgate.policy.part import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings

#: Keys that say which kind of fact an entry is; another kind replaces the entry.
KINDS = ("extract", "points", "formula")

#: Pairs, not lists: the later one replaces.
_PAIRS = frozenset(("range",))


def override(base: Part, later: Part, findings: Findings) -> Part:
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


def first(root: Part, findings: Findings) -> Part:
    """Return a policy that extends nothing; there is nothing its lists could change (EP460)."""
    fields = {key: _first(key, part, findings) for key, part in root.fields.items()}
    return root.with_fields(fields)


def _first(key: str, part: Part, findings: Findings) -> Part:
    if key == "lists":
        return part.with_fields({n: change_list(None, words, findings) for n, words in part.fields.items()})
    if key == "facts":
        return part.with_fields({n: fact(None, entry, findings) for n, entry in part.fields.items()})
    return _lexicons(part.with_fields({}), part) if key == "lexicons" else part


def _lexicons(old: Part, new: Part) -> Part:
    """Return lexicon -> the changes of it, in the order in which they are made."""
    joined = dict(old.fields)
    for name, change in new.fields.items():
        before = joined[name].items if name in joined else ()
        joined[name] = Part((*before, change), change.place, change.key)
    return old.with_fields(joined)


def _fields(old: Part, new: Part) -> Part:
    merged = {**old.fields, **new.fields}
    return Part(merged, old.place, new.key)


def _each(old: Part, new: Part) -> Part:
    merged = dict(old.fields)
    for name, entry in new.fields.items():
        before = merged.get(name)
        # a view may be written without keys
        merged[name] = _fields(before, entry) if before is not None and before.fields else entry
    return old.with_fields(merged)


def stand_ins(unreadable: Part) -> dict[str, Part]:
    """Return what stands in for a fact that cannot be read, by its last name: empty for the entry's own."""
    if isinstance(unreadable.value, dict):
        return dict(unreadable.fields)
    return {"": unreadable}


def fact(base: Part | None, later: Part, findings: Findings) -> Part:
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
        listed = before is not None and isinstance(before.value, tuple)
        changes = listed if isinstance(part.value, tuple) or not part.fields else is_change(part)
        if key not in _PAIRS and changes:
            fields[key] = change_list(before, part, findings)
        else:
            fields[key] = part
    return Part(fields, later.place, later.key)
