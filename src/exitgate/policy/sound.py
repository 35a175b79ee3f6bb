"""What is left of a document without the parts that are out of shape, and the names lost with them."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.marks import MESSAGES
from exitgate.policy.part import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.schema_check import Path

#: Sections of entries by name -> how conditions write such a name.
_NAMING = {"parameters": "$", "facts": "", "given": "", "conditions": "@", "lists": "list "}
#: Sections of items -> the key of an item's condition, and a key that makes it whole.
_LISTED: dict[str, tuple[str, str, bool | str]] = {
    "rules": ("when", "warn", True),
    "invariants": ("given", "never", "interrupted"),
}


class Sound(Value):
    """
    The sound parts of a document.

    Args:
        root: The document without what is out of shape. Of a rule or invariant whose condition is in
            shape, a stand-in with that condition is kept: it can still be looked at.
        broken: Names declared in what was taken out, as conditions write them.
    """

    __slots__ = ("broken", "root")

    def __init__(self, root: Part, broken: frozenset[str]) -> None:
        self.root = root
        self.broken = broken


def sound(root: Part, bad: frozenset[Path]) -> Sound | None:
    """
    Return the parts of `root` that do not hold a path of `bad`; None where a whole section of names is bad.

    A key that is missing from the document itself, path ``()``, is not a reason to leave anything out.
    """
    if any(path[:1] == ("extends",) or (len(path) == 1 and path[0] in _NAMING) for path in bad):
        return None
    fields: dict[str, Part] = {}
    broken: set[str] = {"circuit" for path in bad if path[:1] == ("circuit",)}
    for name, section in root.fields.items():
        here = {path for path in bad if path[:1] == (name,)}
        if not here:
            fields[name] = section
        elif name in _NAMING:
            lost = {str(path[1]) for path in here}
            broken |= {_NAMING[name] + key for key in lost}
            fields[name] = section.with_fields(
                {k: part for k, part in section.fields.items() if k not in lost}
            )
        elif name in _LISTED and (name,) not in here:
            fields[name] = section.with_items(list(_items(name, section, here)))
    return without_broken(Sound(root.with_fields(fields), frozenset(broken)))


def without_broken(found: Sound) -> Sound:
    """Return the document without entries of broken names, and without facts that use a broken list."""
    broken = set(found.broken)
    fields = dict(found.root.fields)
    facts = fields.get("facts")
    for name, entry in facts.fields.items() if facts is not None else ():
        named = [part.fields["list"].text for part in entry.walk() if list(part.fields) == ["list"]]
        if any("list " + one in broken for one in named):
            broken.add(name)
    for name, mark in _NAMING.items():
        section = fields.get(name)
        if section is not None:
            kept = {key: part for key, part in section.fields.items() if mark + key not in broken}
            fields[name] = section.with_fields(kept)
    profiles = fields.get("profiles")
    if profiles is not None:
        fields["profiles"] = profiles.with_fields({
            name: values.with_fields({k: part for k, part in values.fields.items() if "$" + k not in broken})
            for name, values in profiles.fields.items()
        })  # fmt: skip
    return Sound(found.root.with_fields(fields), frozenset(broken))


def _items(name: str, section: Part, bad: set[Path]) -> Iterator[Part]:
    """Yield the items in shape, and for each other one with a sound condition a stand-in."""
    key, filler, value = _LISTED[name]
    for number, item in enumerate(section.items):
        spots = {path[2] if len(path) > 2 else None for path in bad if path[1] == number}
        if not spots:
            yield item
        elif key in item.fields and key not in spots:
            kept = {k: item.fields[k] for k in (key, *MESSAGES) if k in item.fields and k not in spots}
            kept["id"] = Part(f"{name} {number}", item.place)
            kept[filler] = Part(value, item.place)
            yield item.with_fields(kept)
