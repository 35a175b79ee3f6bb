"""What an editor knows of a policy: its names and what they mean, also while the policy has faults."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.language.functions import MAY_WINDOW, MUST_WINDOW, SAME, WINDOWED, Function
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse, value_text
from exitgate.core.model.fact import FactSpec
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import Derived, Extraction, Parameter
from exitgate.core.policy.extending.merged import CHAIN_LIMIT, sound
from exitgate.core.policy.extending.overrides import first, override
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library, is_path
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.points import ADD_NOTHING
from exitgate.core.policy.schema.check import inspect
from exitgate.core.policy.sections.computed import read_computed
from exitgate.core.policy.sections.conditions import Names
from exitgate.core.policy.sections.facts import read_extractions
from exitgate.core.policy.sections.options import Known as Options
from exitgate.core.policy.sections.parameters import read_parameters
from exitgate.core.policy.yaml.document import Document
from exitgate.core.policy.yaml.node import YamlNode


class PolicyIndex(Struct, frozen=True):
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

    path: str
    chain: tuple[str, ...]
    root: YamlNode
    facts: Mapping[str, FactSpec]
    parameters: Mapping[str, Parameter]
    conditions: Mapping[str, Node]
    rules: Mapping[str, tuple[YamlNode, str]]
    extractions: Mapping[str, Extraction]
    derived: Mapping[str, Derived]

    def section(self, name: str) -> Mapping[str, YamlNode]:
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


def index_of(path: str) -> PolicyIndex | None:
    """
    Return what is known of the policy at `path`; None where the file is missing or no YAML.

    Nothing is reported, parts with faults are left out. Read it where open texts stand in for files
    (`exitgate.surfaces.lsp.workspace.Desk.reading`).
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
    files = tuple(library.path_of(document.file) for document in documents)
    rules: dict[str, tuple[YamlNode, str]] = {}
    for document, file in zip(documents, files, strict=True):
        for id_, rule in rules_of(document.root):
            rules.setdefault(id_, (rule, file))
    return PolicyIndex(
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
        if extends is None or not extends.is_text or not extends.value:
            return
        whole = is_remote(extends.text)
        document = library.policy(extends.text if whole else extends.text.partition("@")[0], extends.place)


def _sound(document: Document) -> YamlNode:
    """Return a document without what is out of shape."""
    shape = inspect(document.root, shipped.schema("policy"), Findings())
    if shape.bad is None:
        return shape.root.with_fields({})
    whole = sound(shape.root, shape.bad)
    if whole is not None:
        return whole.root
    heads = {path[0] for path in shape.bad if path}
    return shape.root.with_fields({k: part for k, part in shape.root.fields.items() if k not in heads})


def rules_of(root: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    """Yield id and part of each rule of a document."""
    section = root.get("rules")
    for rule in section.items if section is not None else ():
        id_ = rule.get("id")
        if id_ is not None and id_.is_text:
            yield id_.text, rule


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


# What facts, parameters, conditions and functions are, in Markdown.

#: A reason for being unknown that begins otherwise is a clause, and needs an `if`.
_BEGINNINGS = ("when ", "if ", "without ", "outside ", "at ")


def _unknown(reason: str) -> str:
    """Return the sentence that says when a fact is unknown."""
    if not reason:
        return "Never unknown on a readable source."
    return f"Unknown {reason}." if reason.startswith(_BEGINNINGS) else f"Unknown if {reason}."


def fact_doc(spec: FactSpec, known: PolicyIndex) -> str:
    """Return what a fact means, when it is unknown, and its origin."""
    lines = [spec.doc] if spec.doc else []
    if spec.low is not None or spec.high is not None:
        lines.append(f"From {_bound(spec.low)} to {_bound(spec.high)}.")
    lines.append(_unknown(spec.unknown_when))
    entry = known.entry_of(spec.name)
    extraction = known.extractions.get(entry or "")
    derived = known.derived.get(spec.name)
    if derived is not None:
        lines.append(_computed(derived))
    elif extraction is not None and extraction.extractor == GIVEN:
        lines.append(f"Given by the caller of a check: `--fact {spec.name}=VALUE`.")
    elif extraction is not None:
        lines.append(f"Extractor `{extraction.extractor}`, from `{extraction.source}`.")
    return "\n\n".join(lines)


def _bound(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"


def _computed(derived: Derived) -> str:
    if derived.formula is not None:
        return f"Computed: `{unparse(derived.formula)}`"
    if derived.rows:
        rows = "\n".join(f"- {row.add:+g} when `{unparse(row.when)}`" for row in derived.rows)
        unsure = "add nothing" if derived.unknown_rows == ADD_NOTHING else "leave the sum between two bounds"
        return f"Points of the rows that are definitely true; unknown rows {unsure}:\n{rows}"
    return "Progress by " + ", ".join(f"`{signal}`" for signal in derived.signals) + "."


def parameter_doc(parameter: Parameter) -> str:
    """Return what a parameter is for, its default and its bounds."""
    lines = [parameter.doc] if parameter.doc else []
    lines.append(f"Default `{shown_value(parameter.default, parameter)}`{_range(parameter)}.")
    return "\n\n".join(lines)


def _range(parameter: Parameter) -> str:
    words = ""
    if parameter.low is not None:
        words += f", at least `{shown_value(parameter.low, parameter)}`"
    if parameter.high is not None:
        words += f", at most `{shown_value(parameter.high, parameter)}`"
    return words


def shown_value(value: object, parameter: Parameter) -> str:
    """Return a value of a parameter as a condition writes it."""
    return value_text(value, parameter.type)


def condition_doc(name: str, known: PolicyIndex) -> str:
    """Return the canonical text of a named condition and what its `doc:` says."""
    part = known.section("conditions").get(name)
    doc = part.get("doc") if part is not None else None
    text = f"```\n{unparse(known.conditions[name])}\n```"
    return f"{doc.text}\n\n{text}" if doc is not None else text


def signature(function: Function) -> str:
    """Return the kinds of a function's arguments and what it gives: ``count(bool, last N) → count``."""
    words = [_kinds(kinds) for kinds in function.kinds]
    if function.many:
        words = [*words, "…"]
    if function.window == MUST_WINDOW:
        words.append("last N")
    inner = ", ".join(words) + (" [, last N]" if function.window == MAY_WINDOW else "")
    result = "as its argument" if function.result == SAME else function.result
    windowed = f" or {function.name}({words[0]}, last N)" if function.name in WINDOWED else ""
    return f"{function.name}({inner}){windowed} → {result}"


def _kinds(kinds: tuple[str, ...]) -> str:
    if len(kinds) == 1:
        return kinds[0]
    return "/".join(kinds) if len(kinds) <= 2 else ("number" if "text" not in kinds else "any")
