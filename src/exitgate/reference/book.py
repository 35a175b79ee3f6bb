"""All pages of the reference, made from the code and from what is written by hand beside this file."""

from __future__ import annotations

import json

from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.reference import (
    diagnostic_pages,
    extractor_pages,
    language_pages,
    lint_pages,
    policy_pages,
    reader_pages,
    semantics_page,
    source,
    uses,
    word_pages,
)
from exitgate.reference.entry import Entry, Page
from exitgate.reference.shelf import IDS, SCHEMA
from exitgate.report.codes_page import codes_page
from exitgate.report.schema_page import schema_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.reference.performed import Run


class Outside(Value):
    """
    What only the command line knows.

    Args:
        codes: Every diagnostic code -> its meaning.
        commands: The page of commands.
        summaries: Command -> what it does, one line.
        run: Runs a command line of an example in a folder.
    """

    __slots__ = ("codes", "commands", "run", "summaries")

    def __init__(
        self, codes: Mapping[str, str], commands: str, summaries: Mapping[str, str], run: Run
    ) -> None:
        self.codes = codes
        self.commands = commands
        self.summaries = summaries
        self.run = run


def book(outside: Outside) -> dict[str, str]:
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
    """Return all pages. Raises ValueError as `book` does."""
    policies = uses.policies()
    return (
        *diagnostic_pages.pages(outside.codes, outside.run),
        Page("diagnostics.md", codes_page(outside.codes)),
        *lint_pages.pages(outside.run),
        *extractor_pages.pages(uses.fact_uses(policies), outside.run),
        *language_pages.pages(),
        semantics_page.page(),
        *word_pages.pages(_rules(policies)),
        *policy_pages.pages(policies),
        reader_pages.page(),
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
        **uses.rules_by(policies, lambda rule: rule.exit_class),
        **uses.rules_by(policies, lambda rule: rule.stage if rule.stage != "after_iteration" else None),
        **uses.rules_by(policies, lambda rule: rule.mode if rule.mode != "enforce" else None),
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
