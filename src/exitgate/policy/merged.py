"""A policy and those it extends: read, each held against the format, merged into one."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy import marks, shipped
from exitgate.policy.conditions import parse_condition
from exitgate.policy.findings import Findings
from exitgate.policy.overrides import first, override
from exitgate.policy.rule_chain import change_rules, first_rules, id_of, is_true
from exitgate.policy.rule_shape import check_invariant, check_rule
from exitgate.policy.schema_check import check_schema
from exitgate.policy.semver import accepts
from exitgate.policy.templates import check_braces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place
    from exitgate.policy.document import Document
    from exitgate.policy.library import Library
    from exitgate.policy.part import Part

#: The newest format this version reads.
FORMAT = 1

#: So many policies may extend one another.
CHAIN_LIMIT = 8


class Merged(Value):
    """
    A policy merged with those it extends.

    Args:
        file: The policy's own file, as diagnostics name it.
        root: All sections but the rules, of the shape the schema allows.
        rules: The chain, disabled rules left out.
    """

    __slots__ = ("file", "root", "rules")

    def __init__(self, file: str, root: Part, rules: tuple[Part, ...]) -> None:
        self.file = file
        self.root = root
        self.rules = rules


def read_merged(reference: str, library: Library, findings: Findings) -> Merged | None:
    """
    Read a policy and all it extends, and merge them.

    Args:
        reference: Name of a shipped policy, or a path.
        library: Reads the files.
        findings: Takes everything that is wrong with their form.

    Returns:
        None when a file is missing or not of the shape the schema allows; then the syntax of all
        conditions and messages is reported, too.
    """
    chain, complete = _chain(reference, library, findings)
    shapes = [_in_shape(document, findings) for document in chain]
    if not complete or not all(fits for _, fits in shapes):
        for root, _ in shapes:
            _check_syntax(root, findings)
        return None
    base, *later = (root for root, _ in reversed(shapes))
    merged = first(base, findings)
    rules = first_rules(_rules(base), findings)
    for root in later:
        _check_locked_conditions(merged, rules, root, findings)
        rules = change_rules(rules, _rules(root), findings)
        merged = override(merged, root, findings)
    return Merged(chain[0].file, merged, tuple(rules))


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
            findings.error("EP453", message, extends.place, "let the first of them extend nothing")
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
        message = f"`{name}` has version {found}, wanted is `{wanted}`"
        findings.error("EP452", message, place, f"look at what changed, then write `{name}@^{found}`")
    except ValueError:
        help = "write `NAME@1.2.3`, `NAME@^1.2` or `NAME@>=1.2 <2`"
        findings.error("EP452", f"`{wanted}` is no range of versions", place, help)


def _in_shape(document: Document, findings: Findings) -> tuple[Part, bool]:
    """Return a document without unknown keys, and whether it can be worked with."""
    root = document.root
    format_ = root.get("format")
    number = format_.value if format_ is not None else None
    if format_ is not None and isinstance(number, int) and number > FORMAT:
        from exitgate import __version__

        message = f"this policy is written in format {number}; exitgate {__version__} reads format {FORMAT}"
        help = f"install a version of exitgate that reads format {number}: `pip install --upgrade exitgate`"
        findings.error("EP207", message, format_.place, help)
        return root.with_fields({}), False
    root, fits = check_schema(root, shipped.schema("policy"), findings)
    before = findings.errors()
    if fits:
        if "rules" not in root.fields and "extends" not in root.fields:
            findings.error("EP202", "`rules` is missing", root.place, "add `rules:`, or `extends:` a policy")
        for rule in _rules(root):
            check_rule(rule, findings)
        invariants = root.get("invariants")
        for invariant in invariants.items if invariants is not None else ():
            check_invariant(invariant, findings)
    return root, fits and findings.errors() == before


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


def _check_locked_conditions(base: Part, rules: list[Part], later: Part, findings: Findings) -> None:
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
