"""What the thing under the cursor is."""

from __future__ import annotations

from exitgate.analysis.lint import registry as registry_of_lints
from exitgate.facts import registry
from exitgate.facts.given import NAME as GIVEN
from exitgate.language.functions import FUNCTIONS
from exitgate.model.counted import counted
from exitgate.model.value import Value
from exitgate.surfaces.lsp.complete_values import extractor_doc
from exitgate.surfaces.lsp.hover_lexicon import entry_page, lexicon_page
from exitgate.surfaces.lsp.occurrence import (
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
)  # fmt: skip
from exitgate.surfaces.lsp.origin import origin
from exitgate.surfaces.lsp.roles import LEXICON as A_LEXICON
from exitgate.surfaces.lsp.say import condition_doc, fact_doc, parameter_doc, signature
from exitgate.surfaces.lsp.shapes import shapes_at
from exitgate.surfaces.lsp.spans import key_of, value_of
from exitgate.surfaces.lsp.spot import in_comment
from exitgate.surfaces.lsp.twig import SCALAR
from exitgate.surfaces.lsp.uses import name_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.known import Known
    from exitgate.surfaces.lsp.page import Page


class Hover(Value):
    """Markdown about what is between two offsets."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end


def hover(page: Page, cursor: int) -> Hover | None:
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
    words = f"**{module.ID}**: {module.TITLE}\n\n{module.DOC.finds}\n\n{module.DOC.matters}"
    return Hover(words, start, end)


def _about(page: Page, found: Occurrence, cursor: int) -> str:
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


def _of_policy(page: Page, found: Occurrence, known: Known) -> str:
    name = found.name
    if found.kind == FACT and name in known.facts:
        spec = known.facts[name]
        return f"```\n{name}: {spec.type}\n```\n\n{fact_doc(spec, known)}"
    if found.kind in (ENTRY, FACT):
        return _entry(name, known)
    if found.kind == PARAMETER and name in known.parameters:
        parameter = known.parameters[name]
        head = f"```\n${name}: {parameter.type}\n```"
        return "\n\n".join(part for part in (head, parameter_doc(parameter), origin(page, name)) if part)
    if found.kind == CONDITION and name in known.conditions:
        return f"**@{name}**\n\n{condition_doc(name, known)}"
    if found.kind == RULE and name in known.rules:
        return _rule(name, known)
    if found.kind == POLICY:
        return _policy(name, known)
    return ""


def _entry(name: str, known: Known) -> str:
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


def _rule(name: str, known: Known) -> str:
    rule, file = known.rules[name]
    when = rule.get("when")
    lines = [f"**{name}**, a rule" + (f" of `{file}`" if file != known.path else "")]
    for key in ("exit", "continue", "warn", "mode", "stage"):
        if key in rule.fields:
            lines.append(f"`{key}: {rule.fields[key].text}`")
    if when is not None and when.text:
        lines.append(f"```\n{when.text.strip()}\n```")
    return "\n\n".join(lines)


def _policy(name: str, known: Known) -> str:
    title = known.root.get("title")
    version = known.root.get("version")
    if len(known.chain) == 1 or title is None:
        return ""
    rules = counted(len(known.rules), "rule")
    return f"**{name}**\n\n{rules} with those extended. {version.text if version else ''}"


def _about_format(page: Page, cursor: int) -> Hover | None:
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
