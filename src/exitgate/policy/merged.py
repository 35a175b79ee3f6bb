"""A policy and those it extends: read, each compared with the format, merged into one."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy import marks, shipped
from exitgate.policy.conditions import parse_condition
from exitgate.policy.findings import Findings
from exitgate.policy.overrides import first, override
from exitgate.policy.remembered import REMEMBERED
from exitgate.policy.rule_chain import change_rules, first_rules, id_of, is_true
from exitgate.policy.rule_patches import complete, is_patch
from exitgate.policy.rule_shape import check_invariant, check_rule
from exitgate.policy.schema_check import Shape, inspect
from exitgate.policy.semver import accepts
from exitgate.policy.sound import Sound, sound, without_broken
from exitgate.policy.templates import check_braces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.place import Place
    from exitgate.policy.document import Document
    from exitgate.policy.library import Library
    from exitgate.policy.part import Part

#: The newest format this version reads.
FORMAT = 1

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
        self, file: str, root: Part, rules: tuple[Part, ...], broken: frozenset[str] = frozenset()
    ) -> None:
        self.file = file
        self.root = root
        self.rules = rules
        self.broken = broken


def read_merged(reference: str, library: Library, findings: Findings) -> Merged | None:
    """
    Read a policy and all it extends, and merge them.

    Args:
        reference: Name of a shipped policy, or a path.
        library: Reads the files.
        findings: Takes everything that is wrong with their form.

    Returns:
        None when a file is missing or not of the shape the schema allows; then the syntax of all
        conditions and messages is reported, too, and what is wrong in the parts that are in shape.
    """
    return read_as_far(reference, library, findings)[0]


def read_as_far(reference: str, library: Library, findings: Findings) -> tuple[Merged | None, Merged | None]:
    """
    Do as `read_merged`; return beside its answer what is left of a policy that cannot be used.

    The second is None where the first is not, and where too little is known of the policy.
    """
    chain, complete = _chain(reference, library, findings)
    shapes = [_in_shape(document, findings) for document in chain]
    if complete and all(shape.fits for shape in shapes):
        return _merge(chain[0].file, [shape.root for shape in shapes], findings), None
    for shape in shapes:
        _check_syntax(shape.root, findings)
    rest = _merge_sound(chain[0].file, shapes, findings) if complete else None
    if rest is not None:
        from exitgate.policy.compile import look_over  # it compiles what this module reads

        look_over(rest, library, findings)
    return None, rest


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


def _merge(file: str, roots: Sequence[Part], findings: Findings) -> Merged:
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


def _chain(reference: str, library: Library, findings: Findings) -> tuple[list[Document], bool]:
    """Return the policy, the one it extends, and so on; and whether all of them could be read."""
    document = library.policy(reference)
    chain: list[Document] = []
    while document is not None:
        chain.append(document)
        extends = document.root.get("extends")
        if extends is None or not isinstance(extends.value, str) or not extends.value:
            return chain, True
        name, _, wanted = extends.text.partition("@")
        document = library.policy(name, extends.place)
        if document is not None and (document in chain or len(chain) >= CHAIN_LIMIT):
            message = "these policies extend each other in a circle"
            if document not in chain:
                message = f"more than {CHAIN_LIMIT} policies extend one another"
            findings.error("EP453", message, extends.place, "the first of them must not extend another")
            return chain, False
        if document is not None and "@" in extends.text:
            _check_version(name, wanted, document, extends.place, findings)
    return chain, False


def _check_version(name: str, wanted: str, document: Document, place: Place, findings: Findings) -> None:
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
    format_ = root.get("format")
    number = format_.value if format_ is not None else None
    if format_ is not None and isinstance(number, int) and number > FORMAT:
        from exitgate import __version__

        message = f"this policy is written in format {number}; exitgate {__version__} reads format {FORMAT}"
        help = f"install a newer version of exitgate: one that reads format {number}"
        findings.error("EP207", message, format_.place, help)
        return Shape(root.with_fields({}), False, None)
    if _is_older(root):
        from exitgate.policy.migrate.codes import OLDER

        help = f"run `exitgate migrate {document.file}` to see the changes, then add `--write`"
        message = f"this policy is written in an older format; exitgate reads format {FORMAT}"
        place = format_.place if format_ is not None else root.fields["apiVersion"].label
        findings.error(OLDER, message, place, help)
        return Shape(root.with_fields({}), False, None)
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


def _is_older(root: Part) -> bool:
    """Return whether a document says that it is of an earlier format; a missing number says nothing."""
    number = root.get("format")
    if number is None:
        return "apiVersion" in root.fields and "policy" not in root.fields
    return isinstance(number.value, int) and 0 <= number.value < FORMAT and number.value is not False


def _check_syntax(root: Part, findings: Findings) -> None:
    """Report the syntax of conditions and messages of a document that is not in shape."""
    for condition in marks.conditions(root):
        for leaf in marks.leaves(condition):
            if isinstance(leaf.value, str):
                parse_condition(leaf, findings)
    for message in marks.messages(root):
        if isinstance(message.value, str):
            check_braces(message, findings)


def _rules(root: Part) -> tuple[Part, ...]:
    rules = root.get("rules")
    return rules.items if rules is not None else ()


def check_locked_conditions(base: Part, rules: list[Part], later: Part, findings: Findings) -> None:
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


def _used(condition: Part, named: Part) -> set[str]:
    """Return the named conditions that a condition uses, directly or through others."""
    found: set[str] = set()
    waiting = [condition]
    while waiting:
        spoken = parse_condition(waiting.pop(), Findings())
        for name in spoken.names("condition") - found if spoken is not None else ():
            found.add(name)
            if name in named.fields:
                waiting.append(marks.named_condition(named.fields[name]))
    return found
