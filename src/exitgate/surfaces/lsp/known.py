"""What an editor knows of a policy: its names and what they mean, also while the policy has faults."""

from __future__ import annotations

import os

from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.policy.computed import read_computed
from exitgate.policy.fact_entries import read_extractions
from exitgate.policy.findings import Findings
from exitgate.policy.library import Library, is_path
from exitgate.policy.merged import CHAIN_LIMIT
from exitgate.policy.names import Names
from exitgate.policy.options import Known as Options
from exitgate.policy.overrides import first, override
from exitgate.policy.parameters import read_parameters
from exitgate.policy.schema_check import inspect
from exitgate.policy.sound import sound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.language.tree import Node
    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import Derived, Extraction, Parameter
    from exitgate.policy.document import Document
    from exitgate.policy.part import Part


class Known(Value):
    """
    The names of a policy and of those it extends.

    Args:
        path: The policy's own file.
        chain: Files of the policy, of the one it extends, and so on.
        root: All of them merged, as far as they are sound; `rules` is that of the policy itself.
        facts: Full name -> spec.
        parameters: By name, with their defaults.
        conditions: Checked trees by name.
        rules: Id -> the rule and the file it is from, the nearest first.
        extractions: Prefix -> what fills it.
        derived: Name -> points, formula or progress.
    """

    __slots__ = (
        "chain",
        "conditions",
        "derived",
        "extractions",
        "facts",
        "parameters",
        "path",
        "root",
        "rules",
    )

    def __init__(
        self,
        path: str,
        chain: tuple[str, ...],
        root: Part,
        facts: Mapping[str, FactSpec],
        parameters: Mapping[str, Parameter],
        conditions: Mapping[str, Node],
        rules: Mapping[str, tuple[Part, str]],
        extractions: Mapping[str, Extraction],
        derived: Mapping[str, Derived],
    ) -> None:
        self.path = path
        self.chain = chain
        self.root = root
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions
        self.rules = rules
        self.extractions = extractions
        self.derived = derived

    def section(self, name: str) -> Mapping[str, Part]:
        """Return the entries of a section of the merged policy, empty where there is none."""
        part = self.root.get(name)
        return part.fields if part is not None else {}

    def prefixes(self) -> tuple[str, ...]:
        """Return the names under `facts:` and those that are always there."""
        return tuple(dict.fromkeys((*self.section("facts"), *self.extractions)))

    def entry_of(self, fact: str) -> str | None:
        """Return the entry that a fact belongs to, None for a name that is not a fact's."""
        owners = [name for name in self.prefixes() if fact == name or fact.startswith(name + ".")]
        return max(owners, key=len, default=None)


def known_of(path: str) -> Known | None:
    """
    Return what is known of the policy at `path`; None where the file is missing or no YAML.

    Nothing is reported, parts with faults are left out. Read it where open texts stand in for files
    (`exitgate.surfaces.lsp.desk.Desk.reading`).
    """
    findings = Findings()
    library = Library(findings, os.path.dirname(path))
    documents = tuple(_chain(path, library))
    if not documents:
        return None
    roots = [_sound(document) for document in documents]
    merged = first(roots[-1], findings)
    for root in reversed(roots[:-1]):
        merged = override(merged, root, findings)
    parameters, broken = read_parameters(merged.get("parameters"), findings)
    extracted = read_extractions(merged, Options(merged, parameters, broken), library, findings)
    spoilt = {"$" + name for name in broken} | extracted.broken
    names, derived = read_computed(merged, Names(extracted.specs, parameters, {}, spoilt), findings)
    files = tuple(file_of(document.file) for document in documents)
    rules: dict[str, tuple[Part, str]] = {}
    for document, file in zip(documents, files, strict=True):
        for id_, rule in rules_of(document.root):
            rules.setdefault(id_, (rule, file))
    return Known(
        path, files, merged, names.facts, parameters, names.conditions, rules,
        {extraction.prefix: extraction for extraction in extracted.extractions},
        {fact.name: fact for fact in derived},
    )  # fmt: skip


def _chain(path: str, library: Library) -> Iterator[Document]:
    """Yield the policy, the one it extends, and so on, as far as they can be read."""
    document = library.policy(path)
    seen: list[Document] = []
    while document is not None and document not in seen and len(seen) < CHAIN_LIMIT:
        seen.append(document)
        yield document
        extends = document.root.get("extends")
        if extends is None or not isinstance(extends.value, str) or not extends.value:
            return
        document = library.policy(extends.text.partition("@")[0], extends.place)


def _sound(document: Document) -> Part:
    """Return a document without what is out of shape."""
    shape = inspect(document.root, shipped.schema("policy"), Findings())
    if shape.bad is None:
        return shape.root.with_fields({})
    whole = sound(shape.root, shape.bad)
    if whole is not None:
        return whole.root
    heads = {path[0] for path in shape.bad if path}
    return shape.root.with_fields({k: part for k, part in shape.root.fields.items() if k not in heads})


def rules_of(root: Part) -> Iterator[tuple[str, Part]]:
    """Yield id and part of each rule of a document."""
    section = root.get("rules")
    for rule in section.items if section is not None else ():
        id_ = rule.get("id")
        if id_ is not None and isinstance(id_.value, str):
            yield id_.value, rule


def file_of(name: str) -> str:
    """Return the path of a file that a place names: a shipped one, one below home, or a path."""
    if name.startswith("shipped:lexicons/"):
        return shipped.lexicon_path(name.partition("/")[2])
    if name.startswith("shipped:"):
        return shipped.path(name.partition(":")[2])
    return os.path.abspath(os.path.expanduser(name))


def reference(named: str, folder: str) -> str | None:
    """Return the path of a policy named in a file of `folder`, None for a name of none."""
    name = named.partition("@")[0]
    if is_path(name):
        return os.path.normpath(os.path.join(folder, os.path.expanduser(name)))
    return shipped.path(name) if name in shipped.policies() else None
