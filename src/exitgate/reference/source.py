"""
What is written by hand for the page of a diagnostic: `diagnostics/CODE.md` beside this file.

A source is Markdown: what the code means, an example, and below ``## Mend`` what to do about it. A fence
``yaml`` is the file `policy.yaml`, to which what every policy has is added; ``yaml NAME`` and ``text NAME``
are other files, as they are, and ``yaml policy.yaml`` a policy to which nothing is added. A fence
``console`` holds command lines; what they print is put in when the page is made. Without one the policy is
validated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from msgspec import Struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources")
FENCE = "```"
FIX = "## Fix"
POLICY = "policy.yaml"
VALIDATE = f"$ exitgate validate {POLICY}"
#: Put into a policy that does not write it.
_HEAD = {"policy": "policy: example", "format": "format: 1", "version": "version: 1.0.0"}
_FACTS = "facts:\n  tasks: {extract: checklist, from: plan}"
_RULES = "rules:\n  - {id: plan_done, when: tasks.complete, exit: complete}"


class Block(Struct, frozen=True):
    """A paragraph (`kind` ``prose``), a file (its language, ``yaml``), or command lines (``console``)."""

    kind: str
    name: str
    text: str


class Written(Struct, frozen=True):
    """A source in its two halves: what goes wrong, and how it is fixed."""

    bad: tuple[Block, ...]
    good: tuple[Block, ...]


def folder(kind: str) -> str:
    """Return the folder of one kind of sources."""
    return os.path.join(HERE, kind)


def names(kind: str) -> tuple[str, ...]:
    """Return the names of the sources in a folder, without their ending, sorted."""
    return tuple(sorted(name.rpartition(".")[0] for name in os.listdir(folder(kind)) if "." in name))


def read(kind: str, name: str) -> str:
    """Return the text of a source, ``read("diagnostics", "EP401.md")``."""
    with open(os.path.join(folder(kind), name), encoding="utf-8") as file:
        return file.read()


def written(text: str) -> Written:
    """Return a source taken apart. Raises ValueError for a fence that is not closed."""
    bad, mark, good = text.partition(f"{FIX}\n")
    if not mark:
        raise ValueError(f"a source without `{FIX}`")
    return Written(tuple(blocks(bad)), tuple(blocks(good)))


def blocks(text: str) -> list[Block]:
    """Return the paragraphs, files and command lines of a text. Raises ValueError for an open fence."""
    found: list[Block] = []
    prose: list[str] = []
    fence: list[str] | None = None
    kind = name = ""
    for line in text.splitlines():
        if fence is None and line.startswith(FENCE):
            kind, _, name = line[len(FENCE) :].partition(" ")
            found += _prose(prose)
            prose, fence = [], []
        elif fence is not None and line == FENCE:
            found.append(_file(kind, name, "".join(f"{one}\n" for one in fence)))
            fence = None
        else:
            (prose if fence is None else fence).append(line)
    if fence is not None:
        raise ValueError("a fence that is not closed")
    return found + _prose(prose)


def _prose(lines: list[str]) -> list[Block]:
    text = "\n".join(lines).strip()
    return [Block("prose", "", text)] if text else []


def _file(kind: str, name: str, text: str) -> Block:
    if kind == "yaml" and not name:
        return Block(kind, POLICY, whole(text))
    return Block(kind, name, text)


def whole(part: str) -> str:
    """Return a policy that holds `part`: what it does not write of name, format, facts and rules is added."""
    keys = {line.partition(":")[0] for line in part.splitlines() if line[:1].isalpha()}
    head = [line for key, line in _HEAD.items() if key not in keys]
    if not keys & {"facts", "extends"}:
        head.append(_FACTS)
    tail = [] if keys & {"rules", "extends"} else [_RULES]
    return "".join(f"{line}\n" for line in head) + part + "".join(f"{line}\n" for line in tail)


# Tables of pages: cells that hold what would break a table.


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; cells are Markdown without `|` of their own, as `cell` and `code` give."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def cell(text: str) -> str:
    """Return Markdown on one line as a cell can hold it."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def code(text: str) -> str:
    """Return a text as code in a cell; one with a backtick gets two around it."""
    one = " ".join(text.split()).replace("|", "\\|")
    return f"`` {one} ``" if "`" in one else f"`{one}`"
