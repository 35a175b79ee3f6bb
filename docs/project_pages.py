"""
Writes the generated pages outside the reference: `python docs/project_pages.py`.

They are for people who work on exitgate: the index of the decisions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
DECISIONS = DOCS / "decisions"
#: `# NUMBER: title`, then the status.
_HEAD = re.compile(r"# (\d{4}): (.+)\n\n\*\*Status\*\*: (.+)\n")
_STATUS = re.compile(r"accepted|accepted; changed in part by \d{4}|superseded by \d{4}")
#: What was decided: a line for the index, else the first sentence of the decision.
_IN_SHORT = (
    re.compile(r"^\*\*In short\.\*\* (.+)$", re.M),
    re.compile(r"^\*\*Decision\.\*\* (.+?)\n\n", re.M | re.S),
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])")
_INDEX = """# Decisions

This page is generated from the files beside it by `python docs/project_pages.py`. A new decision takes the
next free number and begins with three things: `# NUMBER: title`, `**Status**: accepted`, and one sentence
that says what was decided, behind `**In short.**` or as the first one behind `**Decision.**`. A decision that
another one replaces stays, with the status `superseded by NUMBER`; one that is changed in part says
`accepted; changed in part by NUMBER`.

| number | title | status | in short |
|---|---|---|---|
"""


class Decision(NamedTuple):
    """What the index says of a decision: four digits, title, status, and what was decided in a sentence."""

    file: str
    number: str
    title: str
    status: str
    short: str


def decision(path: Path) -> Decision:
    """Return what a file says of itself. Raises ValueError, with what to write, where it lacks a part."""
    text = path.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None or head[1] != path.name[:4]:
        raise ValueError(f"{path.name}: begin with `# {path.name[:4]}: title` and `**Status**: accepted`")
    if _STATUS.fullmatch(head[3]) is None:
        raise ValueError(f"{path.name}: no such status: `{head[3]}`; docs/decisions/README.md lists them")
    found = next((match for way in _IN_SHORT if (match := way.search(text))), None)
    if found is None:
        raise ValueError(f"{path.name}: add `**In short.**` and one sentence: what was decided")
    return Decision(path.name, head[1], head[2], head[3], _SENTENCE.split(" ".join(found[1].split()))[0])


def decisions() -> list[Decision]:
    """Return every decision, by number. Raises ValueError as `decision` does, and for a missing successor."""
    found = [decision(path) for path in sorted(DECISIONS.glob("[0-9]*.md"))]
    numbers = {one.number for one in found}
    for one in found:
        for other in re.findall(r"\d{4}", one.status):
            if other not in numbers or other == one.number:
                raise ValueError(f"{one.file}: there is no decision {other}")
    return found


def decisions_page() -> str:
    """Return the index of the decisions."""
    by_number = {one.number: one for one in decisions()}

    def linked(status: str) -> str:
        return re.sub(r"\d{4}", lambda number: f"[{number[0]}]({by_number[number[0]].file})", status)

    rows = [
        f"| [{one.number}]({one.file}) | {one.title} | {linked(one.status)} | {_cell(one.short)} |\n"
        for one in by_number.values()
    ]
    return _INDEX + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def pages() -> dict[Path, str]:
    """Return file -> text of every page."""
    return {DECISIONS / "README.md": decisions_page()}


def main() -> None:
    """Write the pages that are not as they should be."""
    for path, text in pages().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
