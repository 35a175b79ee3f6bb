"""All pages of the reference, made from the code and from what is written by hand beside this file."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping

from msgspec import Struct

from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings import registry
from exitgate.reference import diagnostics, extractors, language, source
from exitgate.reference import policies as policies_module
from exitgate.reference.diagnostics import codes_page
from exitgate.reference.examples import Run
from exitgate.reference.index import IDS, SCHEMA, Entry, Page, section
from exitgate.reference.source import table
from exitgate.report.formats.json_schema import schema_page


class Outside(Struct, frozen=True):
    """
    What only the command line knows.

    Args:
        codes: Every diagnostic code -> its meaning.
        commands: The page of commands.
        summaries: Command -> what it does, one line.
        run: Runs a command line of an example in a folder.
    """

    codes: Mapping[str, str]
    commands: str
    summaries: Mapping[str, str]
    run: Run


def build(outside: Outside) -> dict[str, str]:
    """
    Return path below `docs/reference` -> text of every page, and the list of ids.

    Raises:
        ValueError: Something has no page, a source belongs to nothing, or an example shows something else.
    """
    made = pages(outside)
    found = {page.path: page.text for page in made}
    if len(found) < len(made):
        raise ValueError("two pages of one path")
    entries = [entry for page in made for entry in page.entries]
    return {**found, IDS: ids(entries)}


def pages(outside: Outside) -> tuple[Page, ...]:
    """Return all pages. Raises ValueError as `build` does."""
    policies = policies_module.policies()
    return (
        *diagnostics.pages(outside.codes, outside.run),
        Page("diagnostics.md", codes_page(outside.codes)),
        *diagnostics.lint_pages(outside.run),
        *extractors.pages(policies_module.fact_uses(policies), outside.run),
        *language.pages(),
        language.semantics_page(),
        *language.word_pages(_rules(policies)),
        *policies_module.pages(policies),
        readers_page(),
        glossary_page(),
        _commands(outside),
        *_formats(),
        _contents(),
    )


def ids(entries: Iterable[Entry]) -> str:
    """Return the list of ids as JSON, sorted."""
    rows = [
        {"id": e.id, "kind": e.kind, "page": e.page, "heading": e.heading, "title": e.title}
        for e in sorted(entries, key=lambda e: (e.id, e.kind, e.page))
    ]
    return json.dumps({"schema": SCHEMA, "ids": rows}, ensure_ascii=False, indent=0) + "\n"


def _rules(policies: Mapping[str, CompiledPolicy]) -> dict[str, list[str]]:
    return {
        **policies_module.rules_by(policies, lambda rule: rule.exit_class),
        **policies_module.rules_by(
            policies, lambda rule: rule.stage if rule.stage != "after_iteration" else None
        ),
        **policies_module.rules_by(policies, lambda rule: rule.mode if rule.mode != "enforce" else None),
    }


def _commands(outside: Outside) -> Page:
    entries = [
        Entry(name, "command", "commands.md", f"exitgate {name}", summary)
        for name, summary in outside.summaries.items()
    ]
    return Page("commands.md", outside.commands, tuple(entries))


def _formats() -> Iterable[Page]:
    for name in shipped.schema_names():
        yield Page(f"{name}-format.md", schema_page(shipped.schema(name)))


def _contents() -> Page:
    formats = [f"- [{name}]({name}-format.md)" for name in shipped.schema_names()]
    return Page(
        "README.md", source.read(".", "contents.md").rstrip("\n") + "\n\n" + "\n".join(formats) + "\n"
    )


# The page of the readers of recorded runs.

PATH = "readers.md"
INTRODUCTION = """# Readers

A reader takes recorded runs in one program's format. The content of a file or folder decides which
reader takes it; `--reader` names one. What is kept of a recording, and what is not, is in
[transcripts](../explanation/transcripts.md); [write a reader](../how-to/write-a-reader.md) says how to
add one.
"""


def readers_page() -> Page:
    """Return the page: each reader with what writes its format and what it shows an iteration."""
    lines = [INTRODUCTION]
    entries = []
    for id in sorted(registry.READERS):
        reader = registry.load(id)
        doc = (inspect.getdoc(reader) or "").strip().replace("``", "`")
        rows = [("written by", reader.TITLE.replace("|", "\\|")), ("tells", ", ".join(sorted(reader.GIVES)))]
        lines += [f"## `{id}`", "", *table(("", ""), rows), "", doc, ""]
        entries.append(Entry(id, "reader", PATH, id, reader.TITLE))
    return Page(PATH, "\n".join(lines).rstrip("\n") + "\n", tuple(entries))


# The glossary.

GLOSSARY = "glossary.md"


def glossary_page() -> Page:
    """
    Return the glossary: a heading for each word, what it means, and a link to the page about it.

    Raises:
        ValueError: The words are not in alphabetical order, or one has no link.
    """
    text = source.read(".", GLOSSARY)
    words = [line[3:].replace("`", "") for line in text.splitlines() if line.startswith("## ")]
    if words != sorted(set(words)):
        raise ValueError("the words of the glossary are not in alphabetical order")
    return Page(GLOSSARY, text, tuple(_term(word, section(text, word)) for word in words))


def _term(word: str, text: str) -> Entry:
    if "](" not in text:
        raise ValueError(f"`{word}` of the glossary has no link")
    title = " ".join(text.split("\n\n")[1].split()).partition(". ")[0].rstrip(".")
    return Entry(word, "term", GLOSSARY, word, title)
