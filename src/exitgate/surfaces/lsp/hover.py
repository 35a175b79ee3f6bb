"""What the thing under the cursor is."""

from __future__ import annotations

import os

from msgspec import Struct

from exitgate.analysis.lint import registry as registry_of_lints
from exitgate.analysis.lint.doc import doc_of
from exitgate.core.facts import registry
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.unparse import value_text
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.policy import shipped
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import is_path
from exitgate.core.policy.yaml.document import read_document
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.provenance import Setting, Settled
from exitgate.core.state.discover import DEFAULT_POLICY
from exitgate.core.system import portable
from exitgate.surfaces.lsp.completion.complete import extractor_doc
from exitgate.surfaces.lsp.cursor import in_comment
from exitgate.surfaces.lsp.document import Document
from exitgate.surfaces.lsp.occurrences import (
    CONDITION,
    ENTRY,
    EXTRACTOR,
    FACT,
    FUNCTION,
    LEXICON,
    PARAMETER,
    POLICY,
    RULE,
    Occurrence,
    key_of,
    value_of,
)
from exitgate.surfaces.lsp.policy_index import (
    PolicyIndex,
    condition_doc,
    fact_doc,
    file_of,
    parameter_doc,
    signature,
)
from exitgate.surfaces.lsp.references import name_at
from exitgate.surfaces.lsp.schema import LEXICON as A_LEXICON
from exitgate.surfaces.lsp.schema import shapes_at
from exitgate.surfaces.lsp.tree import SCALAR, Path


class Hover(Struct, frozen=True):
    """Markdown about what is between two offsets."""

    text: str
    start: int
    end: int


def hover(page: Document, cursor: int) -> Hover | None:
    """Return what is to be said of what is at `cursor`; None for nothing."""
    if not page.kind:
        return None
    lint = _lint(page.text, cursor)
    if lint is not None:
        return lint
    found = name_at(page, cursor)
    if found is not None:
        text = _about(page, found, cursor)
        if text:
            return Hover(text, found.start, found.end)
    return _about_format(page, cursor)


def _lint(text: str, cursor: int) -> Hover | None:
    """Return what a lint finds whose id is at the cursor in a comment, as a suppression names it."""
    if not in_comment(text, cursor):
        return None
    start = end = cursor
    while start and (text[start - 1].isalnum() or text[start - 1] == "-"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "-"):
        end += 1
    if text[start:end] not in registry_of_lints.IDS:
        return None
    module = registry_of_lints.load(text[start:end])
    words = f"**{module.ID}**: {module.TITLE}\n\n{doc_of(module).finds}\n\n{doc_of(module).matters}"
    return Hover(words, start, end)


def _about(page: Document, found: Occurrence, cursor: int) -> str:
    """Return what is known of a name; empty for one that is not one."""
    if found.kind == FUNCTION:
        function = FUNCTIONS[found.name]
        return f"```\n{signature(function)}\n```\n\n{function.doc}\n\nExample: `{function.example}`"
    if found.kind == EXTRACTOR:
        return f"**{found.name}**, an extractor\n\n{extractor_doc(found.name)}" if _extractor(found) else ""
    if found.kind == LEXICON:
        return lexicon_page(page, found.name)
    known = page.known(cursor)
    return _of_policy(page, found, known) if known is not None else ""


def _extractor(found: Occurrence) -> bool:
    return found.name in registry.names()


def _of_policy(page: Document, found: Occurrence, known: PolicyIndex) -> str:
    name = found.name
    if found.kind == FACT and name in known.facts:
        spec = known.facts[name]
        return f"```\n{name}: {spec.type}\n```\n\n{fact_doc(spec, known)}"
    if found.kind in (ENTRY, FACT):
        return _entry(name, known)
    if found.kind == PARAMETER and name in known.parameters:
        parameter = known.parameters[name]
        head = f"```\n${name}: {parameter.type}\n```"
        return "\n\n".join(
            part for part in (head, parameter_doc(parameter), parameter_origin(page, name)) if part
        )
    if found.kind == CONDITION and name in known.conditions:
        return f"**@{name}**\n\n{condition_doc(name, known)}"
    if found.kind == RULE and name in known.rules:
        return _rule(name, known)
    if found.kind == POLICY:
        return _policy(name, known)
    return ""


def _entry(name: str, known: PolicyIndex) -> str:
    """Return the facts that an entry gives."""
    rows = [
        f"- `{fact}`: {spec.type}" + (f". {spec.doc}" if spec.doc else "")
        for fact, spec in known.facts.items()
        if known.entry_of(fact) == name
    ]
    extraction = known.extractions.get(name)
    head = f"**{name}**"
    if extraction is not None:
        head += (
            ", given by the caller of a check"
            if extraction.extractor == GIVEN
            else f", extractor `{extraction.extractor}`, from `{extraction.source}`"
        )
    return head + "\n\n" + "\n".join(rows) if rows else ""


def _rule(name: str, known: PolicyIndex) -> str:
    rule, file = known.rules[name]
    when = rule.get("when")
    lines = [f"**{name}**, a rule" + (f" of `{file}`" if file != known.path else "")]
    for key in ("exit", "continue", "warn", "mode", "stage"):
        if key in rule.fields:
            lines.append(f"`{key}: {rule.fields[key].text}`")
    if when is not None and when.text:
        lines.append(f"```\n{when.text.strip()}\n```")
    return "\n\n".join(lines)


def _policy(name: str, known: PolicyIndex) -> str:
    title = known.root.get("title")
    version = known.root.get("version")
    if len(known.chain) == 1 or title is None:
        return ""
    rules = counted(len(known.rules), "rule")
    return f"**{name}**\n\n{rules} with those extended. {version.text if version else ''}"


def _about_format(page: Document, cursor: int) -> Hover | None:
    """Return what the format says of the key or of the word at the cursor."""
    best: Hover | None = None
    for path, entry in page.root.walk():
        if not entry.start <= cursor <= entry.value.end:
            continue
        key = key_of(page.text, entry)
        if key is not None and entry.key_start <= cursor <= entry.key_end:
            about = shapes_at(page.kind, path, page.root).about()
            if about:
                best = Hover(about, entry.key_start, entry.key_end)
        elif entry.value.kind == SCALAR and entry.value.start <= cursor:
            word = value_of(page.text, entry.value)
            if word is None:
                continue
            meanings = dict(shapes_at(page.kind, path, page.root).words())
            if meanings.get(word[0]):
                best = Hover(f"**{word[0]}**: {meanings[word[0]]}", word[1], word[1] + len(word[0]))
            elif page.kind == A_LEXICON and path[-1] == "id" and path[0] == "entries":
                best = Hover(entry_page(page, path[:-1]), word[1], word[1] + len(word[0]))
    return best


# What a lexicon and its entries look for.

#: Entries and examples that are shown, at most.
_ENTRIES, _EXAMPLES = 12, 3
_LONGEST = 100
_LOOKS = ("phrase", "words", "pattern")


def lexicon_page(page: Document, name: str) -> str:
    """Return title and first entries of a lexicon that a page names; empty where there is none."""
    path = os.path.join(page.folder, name) if is_path(name) else None
    if path is None and name in shipped.lexicons():
        path = shipped.lexicon_path(name)
    text = page.desk.text(path) if path is not None else None
    document = read_document(text, name, Findings()) if text is not None else None
    if document is None:
        return ""
    title = document.root.get("title")
    entries = document.root.get("entries")
    items = entries.items if entries is not None else ()
    uses = document.root.get("uses")
    used = ", ".join(f"`{item.text}`" for item in uses.items) if uses is not None else ""
    lines = [
        f"**{name}**, a lexicon of {counted(len(items), 'entry', 'entries')}"
        + (f"; uses {used}" if used else "")
    ]
    lines += [title.text] if title is not None else []
    rows = [
        f"- `{item.fields['id'].text}`: {looked_for(item)}" for item in items[:_ENTRIES] if item.get("id")
    ]
    rows += [f"- and {len(items) - _ENTRIES} more"] if len(items) > _ENTRIES else []
    return "\n\n".join([*lines, "\n".join(rows)]).rstrip()


def looked_for(entry: YamlNode) -> str:
    """Return what an entry of a lexicon matches, on one line."""
    for key in _LOOKS:
        part = entry.get(key)
        if part is not None:
            words = [item.text for item in part.items] or [part.text]
            text = ", ".join(f"`{word}`" for word in words)
            return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return ""


def entry_page(page: Document, path: Path) -> str:
    """Return what the entry at a path of a lexicon matches and does not."""
    document = read_document(page.text, page.path, Findings())
    if document is None:
        return ""
    try:
        entry = document.root.at(path)
    except KeyError:
        return ""
    id_ = entry.get("id")
    lines = [f"**{id_.text if id_ is not None else ''}** looks for {looked_for(entry)}"]
    weight, guards = entry.get("weight"), entry.get("guards") or document.root.get("apply")
    if weight is not None:
        lines.append(f"Weight {weight.text}.")
    if guards is not None:
        lines.append("Guards: " + (", ".join(f"`{item.text}`" for item in guards.items) or "none") + ".")
    for key, words in (("examples", "Counts"), ("counterexamples", "Does not count")):
        part = entry.get(key)
        shown = (
            [item.text.strip().splitlines() for item in part.items[:_EXAMPLES]] if part is not None else []
        )
        lines += [f"{words}: `{first[0]}`" for first in shown if first]
    return "\n\n".join(lines)


# The value of a parameter that is in force, and who set it.


def parameter_origin(page: Document, name: str) -> str:
    """
    Return the effective value of a parameter where checks of the workspace run, the file and line that set
    it, and what that overrode; the empty text where the settings or the policy have an error.
    """
    settled = settled_for(page)
    chain = settled.parameters.get(name, ()) if settled is not None else ()
    if settled is None or not chain:
        return ""
    type_ = settled.policy.parameters[name].type
    now, *before = reversed(chain)
    text = f"Now `{value_text(now.value, type_)}`, set by {_who(now, page)}."
    if before:
        overrode = "; ".join(f"`{value_text(one.value, type_)}` of {_who(one, page)}" for one in before)
        text += f" It overrides {overrode}."
    return text


def _who(setting: Setting, page: Document) -> str:
    place = setting.place
    if place is None or place.file.startswith("<"):
        return f"the {setting.layer}"
    name = place.file
    if not name.startswith(shipped.ELSEWHERE):
        path = os.path.realpath(file_of(name))
        root = next((r for r in page.desk.roots if portable.is_below(path, r)), "")
        name = portable.relative(path, root) if root else name
    return f"{setting.layer} `{name}:{place.line}`"


def settled_for(page: Document) -> Settled | None:
    """Return the policy of a page with all layers of its workspace applied, None after an error."""
    from exitgate.core.settings.load import load_settled

    path = page.policy_path()
    root = next((r for r in page.desk.roots if portable.is_below(page.path, r)), page.folder)
    asked = SettingsRequest(DEFAULT_POLICY, policy=path, root=root)
    try:
        return page.desk.reading(lambda: load_settled(asked))
    except ExitgateError:
        # What is wrong is among the diagnostics of the file it is in.
        return None
