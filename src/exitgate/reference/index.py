"""
Where the pages are, and which id is on which.

They are made from the code by `docs/generate.py`, kept in `docs/reference`, and shipped in the package:
nothing is computed where one is read.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from exitgate.report.formats.output import Output

IDS = "ids.json"
SCHEMA = "exitgate/ids@1"
#: Levels from this file up to the folder of `pyproject.toml` in a checkout.
_CHECKOUT_LEVELS = 4
#: A link to a file beside the page: its words, where it leads.
_LINK = re.compile(r"\[([^\]]+)\]\((\.\.?/[^)\s]+)\)")


def folder() -> str:
    """
    Return the folder of the pages: package data, else `docs/reference` of the checkout.

    Raises:
        FileNotFoundError: Neither exists: the installation is broken.
    """
    here = os.path.abspath(__file__)
    packaged = os.path.join(os.path.dirname(os.path.dirname(here)), "pages")
    if os.path.isdir(packaged):
        return packaged
    root = here
    for _ in range(_CHECKOUT_LEVELS):
        root = os.path.dirname(root)
    beside = os.path.join(root, "docs", "reference")
    if os.path.isdir(beside):
        return beside
    raise FileNotFoundError(f"exitgate is installed without its pages: looked in {packaged} and {beside}")


def known_ids() -> dict[str, tuple[Entry, ...]]:
    """
    Return every id with what it stands for, most telling first.

    A word that is several things is there by itself, for all of them, and as ``KIND:WORD`` for each.
    """
    with open(os.path.join(folder(), IDS), encoding="utf-8") as file:
        rows = json.load(file)["ids"]
    found: dict[str, list[Entry]] = {}
    for row in rows:
        entry = Entry(row["id"], row["kind"], row["page"], row["heading"], row["title"])
        found.setdefault(entry.id, []).append(entry)
    ordered = {id: tuple(sorted(some, key=lambda e: KINDS.index(e.kind))) for id, some in found.items()}
    single = {f"{_word(e.kind)}:{e.id}": (e,) for some in ordered.values() for e in some}
    return {**single, **ordered}


def _word(kind: str) -> str:
    return kind.replace(" ", "-")


def page_of(id: str) -> str:
    """Return the page of an id as Markdown. Raises KeyError for an id without one."""
    return text_of(known_ids()[id][0])


def text_of(entry: Entry) -> str:
    """Return the Markdown of one entry: its whole page, or its part of one, links as in the page."""
    with open(os.path.join(folder(), *entry.page.split("/")), encoding="utf-8") as file:
        text = file.read()
    return section(text, entry.heading) if entry.heading else text


def within(text: str, page: str) -> str:
    """Return Markdown with the links that lead out of the shipped pages as their words: nothing is there."""

    def shown(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2]))
        return link[1] if target.startswith("..") else link[0]

    return _LINK.sub(shown, text)


def section(text: str, heading: str) -> str:
    """
    Return a heading of a Markdown text with what is below it. Raises KeyError where there is none.

    Signs of code in the heading do not count; lines in code fences are not headings.
    """
    kept: list[str] = []
    level = 0
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        marks = len(line) - len(line.lstrip("#")) if line.startswith("#") and not fenced else 0
        if level and marks and marks <= level:
            break
        if marks and not level and line[marks:].strip().replace("`", "") == heading:
            level = marks
        if level:
            kept.append(line)
    if not level:
        raise KeyError(heading)
    return "\n".join(kept).rstrip("\n") + "\n"


def listed(entries: Mapping[str, tuple[Entry, ...]]) -> list[str]:
    """Return the bare ids of `known_ids`, sorted."""
    return sorted({entry.id for some in entries.values() for entry in some})


# An id that has a page.

#: Kinds of ids, in the order in which a word that is several is explained.
KINDS = (
    "diagnostic", "lint", "fact", "option", "extractor", "function", "form", "policy", "class", "verdict",
    "stage", "mode", "type", "exit code", "lexicon", "command", "reader",
    "term",
)  # fmt: skip


class PageOutput(Output, frozen=True):
    """
    What `exitgate explain ID --format json` prints.

    Args:
        schema: Name and version of this form.
        id: The id.
        kind: What it names.
        page: Its page in the documentation; null for what only a policy has.
        also: Other ids of this name, `KIND:ID`.
        markdown: The text.
    """

    schema: Literal["exitgate/page@1"]
    id: str
    kind: str
    page: str | None
    also: tuple[str, ...]
    markdown: str


class Entry(Struct, frozen=True):
    """
    One id.

    Args:
        id: As it is written: ``EP401``, ``checklist.percent``, ``or else``.
        kind: One of `KINDS`.
        page: Path of the page in `docs/reference`.
        heading: The heading in that page under which it is, or the empty text for the whole page.
        title: What it is, one line.
    """

    id: str
    kind: str
    page: str
    heading: str
    title: str

    @property
    def link(self) -> str:
        """The page with the anchor of the heading, as GitHub makes it."""
        return f"{self.page}#{anchor(self.heading)}" if self.heading else self.page


class Page(Struct, frozen=True):
    """A page: its path in `docs/reference`, its Markdown, and the ids that are on it."""

    path: str
    text: str
    entries: tuple[Entry, ...] = ()


def anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, blanks as hyphens, no other signs."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in "-_ ")
    return kept.replace(" ", "-")
