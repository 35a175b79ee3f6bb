"""Every value that layers can change, by a path such as ``rules.stagnation.when``, and who set each."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.layers.places import POLICY
from exitgate.policy.layers.rule_edits import EDITS
from exitgate.policy.part import Part
from exitgate.policy.provenance import Setting
from exitgate.policy.rule_chain import id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.model.place import Place
    from exitgate.policy.provenance import Chain

#: Sections whose values are shown, beside the rules.
_SECTIONS = ("facts", "conditions", "views")
#: Keys of entries of lexicons that are for their readers and tests.
_FOR_READERS = ("examples", "counterexamples", "doc")
#: What a value is that a layer took out.
REMOVED = "removed"


class Values(Value):
    """
    What is in force at one layer.

    Args:
        parts: Path -> part, for every value and for each mapping and list on the way to it.
        leaves: The paths of the values.
    """

    __slots__ = ("leaves", "parts")

    def __init__(self, parts: Mapping[str, Part], leaves: frozenset[str]) -> None:
        self.parts = parts
        self.leaves = leaves

    def says(self, path: str) -> object:
        """Return the plain value at a path, without what is for readers."""
        plain = self.parts[path].plain()
        return _without(plain, _FOR_READERS) if isinstance(plain, dict) else plain


def values_of(root: Part, rules: Sequence[Part]) -> Values:
    """Return the values of a merged policy that layers can change: its rules, facts, conditions, views."""
    found: list[tuple[str, Part, bool]] = []
    for rule in rules:
        path = f"rules.{id_of(rule)}"
        kept = {key: part for key, part in rule.fields.items() if key in EDITS}
        found.append((path, Part(kept, rule.fields["id"].place), False))
        found += [(f"{path}.{key}", part, True) for key, part in kept.items()]
    for section in _SECTIONS:
        part = root.get(section)
        for name, entry in part.fields.items() if part is not None else ():
            found += _flat(f"{section}.{name}", entry)
    circuit = root.get("circuit")
    if circuit is not None and "from" in circuit.fields:
        found.append(("sources.circuit", circuit.fields["from"], True))
    return _values(found)


def entries_of(name: str, lexicon: Part) -> Values:
    """Return the values in a lexicon that layers can change."""
    found: list[tuple[str, Part, bool]] = [(f"lexicons.{name}", lexicon, False)]
    for key in ("entries", "apply", "guards"):
        part = lexicon.get(key)
        if part is not None:
            found += _flat(f"lexicons.{name}" + ("" if key == "entries" else f".{key}"), part)
    return _values([one for one in found if one[0].rpartition(".")[2] not in _FOR_READERS])


def _values(found: list[tuple[str, Part, bool]]) -> Values:
    return Values({path: part for path, part, _ in found}, frozenset(path for path, _, leaf in found if leaf))


def _flat(path: str, part: Part) -> Iterator[tuple[str, Part, bool]]:
    """
    Yield path and part of every value below, parents first.

    Mappings in a list are named by their id, or else by their position from 1.
    """
    if part.items and all(item.fields for item in part.items):
        yield path, part, False
        for number, item in enumerate(part.items, 1):
            name = f"{path}.{id_of(item) if 'id' in item.fields else number}"
            kept = item.with_fields({key: inner for key, inner in item.fields.items() if key != "id"})
            yield name, kept, False
            yield from ((f"{name}.{key}", inner, True) for key, inner in kept.fields.items())
    elif part.fields:
        yield path, part, False
        for key, inner in part.fields.items():
            yield from _flat(f"{path}.{key}", inner)
    else:
        yield path, part, True


def first_chains(values: Values) -> dict[str, Chain]:
    """Return path -> what the policy itself says."""
    return {path: (_setting(POLICY, values, path),) for path in values.parts if path in values.leaves}


def with_layer(chains: Mapping[str, Chain], before: Values, after: Values, layer: str) -> dict[str, Chain]:
    """
    Return the chains with what one layer changed: set, set anew, or took out.

    What is new or gone with all that is in it is one entry.
    """
    found = dict(chains)
    new, lost = after.parts.keys() - before.parts.keys(), before.parts.keys() - after.parts.keys()
    for path, part in after.parts.items():
        old = before.parts.get(path)
        anew = path in after.leaves and old is not None and old != part
        if anew or (path in new and _above(path) not in new):
            known = found.get(path, (_setting(POLICY, before, path),) if old is not None else ())
            found[path] = (*known, _setting(layer, after, path))
    for path in before.parts:
        if path in lost and _above(path) not in lost and _above(path) not in after.leaves:
            known = found.get(path, (_setting(POLICY, before, path),))
            for gone in [one for one in found if one.startswith(path + ".")]:
                del found[gone]
            found[path] = (*known, Setting(layer, REMOVED, _nearest(path, after)))
    return found


def _setting(layer: str, values: Values, path: str) -> Setting:
    return Setting(layer, values.says(path), values.parts[path].place)


def _above(path: str) -> str:
    return path.rpartition(".")[0]


def _nearest(path: str, values: Values) -> Place | None:
    """Return where the nearest thing above a path is that is still there."""
    while path:
        path = _above(path)
        if path in values.parts:
            return values.parts[path].place
    return None


def _without(plain: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    return {key: value for key, value in plain.items() if key not in keys}
