"""A policy and those it extends: read, each compared with the format, merged into one."""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.policy import shipped
from exitgate.core.policy.extending import condition_sites
from exitgate.core.policy.extending.condition_sites import MESSAGES
from exitgate.core.policy.extending.overrides import first, override
from exitgate.core.policy.extending.rule_chain import (
    change_rules,
    check_invariant,
    check_rule,
    complete,
    first_rules,
    id_of,
    is_patch,
    is_true,
)
from exitgate.core.policy.extending.semver import accepts
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.core.policy.schema.check import Shape, inspect
from exitgate.core.policy.sections.conditions import parse_condition
from exitgate.core.policy.sections.templates import check_braces
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.library import Library
    from exitgate.core.policy.schema.check import Path
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


#: What is remembered of a document that is of the shape the schema allows.
_IN_SHAPE = "in shape"

#: So many policies may extend one another.
CHAIN_LIMIT = 8


class Merged(Value):
    """
    A policy merged with those it extends.

    Args:
        file: The policy's own file, as diagnostics name it.
        root: All sections but the rules, of the shape the schema allows.
        rules: The chain, disabled rules left out.
        broken: Names declared in parts that were out of shape, as conditions write them. Where there
            are such parts an error was reported, and the policy can only be looked at.
    """

    __slots__ = ("broken", "file", "root", "rules")

    def __init__(
        self, file: str, root: YamlNode, rules: tuple[YamlNode, ...], broken: frozenset[str] = frozenset()
    ) -> None:
        self.file = file
        self.root = root
        self.rules = rules
        self.broken = broken


def read_merged(reference: str, library: Library, findings: Findings) -> Merged | None:
    """Do as `read_as_far`, and return the policy alone."""
    return read_as_far(reference, library, findings)[0]


def read_as_far(
    reference: str, library: Library, findings: Findings, named_in: Location | None = None
) -> tuple[Merged | None, Merged | None]:
    """
    Read a policy and all it extends, and merge them.

    Args:
        reference: Name of a shipped policy, or a path.
        library: Reads the files.
        findings: Takes everything that is wrong with their form.
        named_in: Where one of a package or repository is named; None on the command line.

    Returns:
        The policy; None when a file is missing or not of the shape the schema allows. Then the syntax of all
        conditions and messages is reported, too, and what is left of the policy comes second, for
        `exitgate.core.policy.compile.look_over`; None where too little is known of it.
    """
    chain, complete = _chain(reference, library, findings, named_in)
    shapes = [_in_shape(document, findings) for document in chain]
    if complete and all(shape.fits for shape in shapes):
        return _merge(chain[0].file, [shape.root for shape in shapes], findings), None
    for shape in shapes:
        _check_syntax(shape.root, findings)
    return None, _merge_sound(chain[0].file, shapes, findings) if complete else None


def _merge_sound(file: str, shapes: Sequence[Shape], findings: Findings) -> Merged | None:
    """
    Return the policy without the parts that are out of shape; None where too little is known of it.

    What merging several finds is not reported: it may come from what was taken out.
    """
    found = [sound(shape.root, shape.bad) if shape.bad is not None else None for shape in shapes]
    parts = [one for one in found if one is not None]
    if len(parts) < len(found):
        return None
    merged = _merge(file, [part.root for part in parts], findings if len(parts) == 1 else Findings())
    broken = frozenset().union(*(part.broken for part in parts))
    rest = without_broken(Sound(merged.root, broken))
    return Merged(file, rest.root, merged.rules, rest.broken)


def _merge(file: str, roots: Sequence[YamlNode], findings: Findings) -> Merged:
    """Return a policy, the first of `roots`, merged with those it extends."""
    base, *later = reversed(roots)
    merged = first(base, findings)
    rules = first_rules(_rules(base), findings)
    for root in later:
        check_locked_conditions(merged, rules, root, findings)
        rules, changes = complete(rules, _rules(root), findings)
        rules = change_rules(rules, changes, findings)
        merged = override(merged, root, findings)
    return Merged(file, merged, tuple(rules))


def _chain(
    reference: str, library: Library, findings: Findings, named_in: Location | None
) -> tuple[list[Document], bool]:
    """Return the policy, the one it extends, and so on; and whether all of them could be read."""
    document = library.policy(reference, named_in)
    chain: list[Document] = []
    while document is not None:
        chain.append(document)
        extends = document.root.get("extends")
        if extends is None or not extends.is_text or not extends.value:
            return chain, True
        remote = is_remote(extends.text)
        name, _, wanted = (extends.text, "", "") if remote else extends.text.partition("@")
        document = library.policy(name, extends.place)
        if document is not None and (document in chain or len(chain) >= CHAIN_LIMIT):
            message = "these policies extend each other in a circle"
            if document not in chain:
                message = f"more than {CHAIN_LIMIT} policies extend one another"
            findings.error("EP453", message, extends.place, "the first of them must not extend another")
            return chain, False
        if document is not None and "@" in extends.text and not remote:
            _check_version(name, wanted, document, extends.place, findings)
    return chain, False


def _check_version(name: str, wanted: str, document: Document, place: Location, findings: Findings) -> None:
    version = document.root.get("version")
    found = version.text if version is not None else ""
    try:
        if accepts(wanted, found):
            return
        message = f"`{name}` has version {found}, but `{wanted}` is required"
        findings.error("EP452", message, place, f"check the changes, then write `{name}@^{found}`")
    except ValueError:
        help = "write `NAME@1.2.3`, `NAME@^1.2` or `NAME@>=1.2 <2`"
        findings.error("EP452", f"`{wanted}` is not a version range", place, help)


def _in_shape(document: Document, findings: Findings) -> Shape:
    """Return a document without unknown keys, whether it is usable, and the places where it is not."""
    root = document.root
    if REMEMBERED.made(_IN_SHAPE, document) is not None:
        return Shape(root, True, frozenset())
    before = findings.told()
    shape = inspect(root, shipped.schema("policy"), findings)
    if shape.bad is None:
        return shape
    root, bad = shape.root, set(shape.bad)
    if "rules" not in root.fields and "extends" not in root.fields and ("rules",) not in bad:
        findings.error("EP202", "`rules` is missing", root.place, "add `rules:`, or `extends:` a policy")
        bad.add(())
    for name, check in (("rules", check_rule), ("invariants", check_invariant)):
        section = root.get(name)
        for number, item in enumerate(section.items if section is not None else ()):
            before = findings.errors()
            if "extends" in root.fields and name == "rules" and is_patch(item):
                continue  # what it changes is not known yet
            if not any(path[:2] in ((name,), (name, number)) for path in bad):
                check(item, findings)
            if findings.errors() > before:
                bad.add((name, number))
    if findings.told() == before and root is document.root and shape.fits and not bad:
        REMEMBERED.keep_made(_IN_SHAPE, document, True)
    return Shape(root, shape.fits and not bad, frozenset(bad))


def _check_syntax(root: YamlNode, findings: Findings) -> None:
    """Report the syntax of conditions and messages of a document that is not in shape."""
    for condition in condition_sites.conditions(root):
        for leaf in condition_sites.leaves(condition):
            if leaf.is_text:
                parse_condition(leaf, findings)
    for message in condition_sites.messages(root):
        if message.is_text:
            check_braces(message, findings)


def _rules(root: YamlNode) -> tuple[YamlNode, ...]:
    rules = root.get("rules")
    return rules.items if rules is not None else ()


def check_locked_conditions(
    base: YamlNode, rules: list[YamlNode], later: YamlNode, findings: Findings
) -> None:
    """Report named conditions that a locked rule uses and a later policy changes."""
    new, old = later.get("conditions"), base.get("conditions")
    if new is None or old is None:
        return
    changed = new.fields.keys() & old.fields.keys()
    for rule in rules:
        if changed and is_true(rule, "locked"):
            for name in sorted(changed & _used(rule.fields["when"], old)):
                message = f"the locked rule `{id_of(rule)}` uses `@{name}`, which cannot be changed"
                related = (("locked", rule.fields["locked"].label),)
                findings.error(
                    "EP458", message, new.fields[name].label, "give the condition another name", related
                )


def _used(condition: YamlNode, named: YamlNode) -> set[str]:
    """Return the named conditions that a condition uses, directly or through others."""
    found: set[str] = set()
    waiting = [condition]
    while waiting:
        spoken = parse_condition(waiting.pop(), Findings())
        for name in spoken.names("condition") - found if spoken is not None else ():
            found.add(name)
            if name in named.fields:
                waiting.append(condition_sites.named_condition(named.fields[name]))
    return found


# What is left of a document without the parts that are out of shape, and the names lost with them.

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

    def __init__(self, root: YamlNode, broken: frozenset[str]) -> None:
        self.root = root
        self.broken = broken


def sound(root: YamlNode, bad: frozenset[Path]) -> Sound | None:
    """
    Return the parts of `root` that do not hold a path of `bad`; None where a whole section of names is bad.

    A key that is missing from the document itself, path ``()``, is not a reason to leave anything out.
    """
    if any(path[:1] == ("extends",) or (len(path) == 1 and path[0] in _NAMING) for path in bad):
        return None
    fields: dict[str, YamlNode] = {}
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


def _items(name: str, section: YamlNode, bad: set[Path]) -> Iterator[YamlNode]:
    """Yield the items in shape, and for each other one with a sound condition a stand-in."""
    key, filler, value = _LISTED[name]
    for number, item in enumerate(section.items):
        spots = {path[2] if len(path) > 2 else None for path in bad if path[1] == number}
        if not spots:
            yield item
        elif key in item.fields and key not in spots:
            kept = {k: item.fields[k] for k in (key, *MESSAGES) if k in item.fields and k not in spots}
            kept["id"] = YamlNode(f"{name} {number}", item.place)
            kept[filler] = YamlNode(value, item.place)
            yield item.with_fields(kept)
