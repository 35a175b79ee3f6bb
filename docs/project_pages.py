"""
Writes the generated pages outside the reference: `python docs/project_pages.py`.

They are for people who work on exitgate: the index of the decisions, and the picture of the packages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import grimp

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


# The picture: packages of the top two levels, an arrow for what imports what.

ARCHITECTURE = DOCS / "contributing" / "architecture.md"
_PICTURE = re.compile(r"(<!-- picture: .*? -->\n).*?(<!-- end of the picture -->)", re.S)
ROOT, CORE = "exitgate", "exitgate.core"
#: Characters in one line of a box: Mermaid breaks longer ones by itself.
_WIDE = 22


def picture(graph: grimp.ImportGraph) -> str:
    """
    Return a Mermaid flowchart of the packages below `exitgate`, those of `core` with arrows of their own.

    Args:
        graph: The imports, as import-linter sees them.

    Raises:
        ValueError: Packages at the top import each other in a circle.
    """
    top = sorted(name for name in graph.find_children(ROOT) if graph.find_children(name))
    between = _arrows(graph, top)
    if any(len(group) > 1 for group in _groups(top, between)):
        raise ValueError("packages import each other in a circle: `lint-imports` shows where")
    inner = sorted(name for name in graph.find_children(CORE) if graph.find_children(name))
    within = _arrows(graph, inner)
    groups = _groups(inner, within)
    lines = ["flowchart TD"]
    for name in (one for one in top if one != CORE):
        lines.append(f'    {_last(name)}["<b>{_last(name)}</b>{_parts(graph, name)}"]')
    lines += ["    subgraph core", "        direction TB"]
    for group in groups:
        lines.append(f'        {_id(group)}["{" ⇄ ".join(map(_last, group))}"]')
    lines += [f"        {_id(a)} --> {_id(b)}" for a, b in _shortest(groups, within)]
    lines.append("    end")
    lines += [f"    {_id(a)} --> {_id(b)}" for a, b in _shortest([(one,) for one in top], between)]
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _id(group: tuple[str, ...]) -> str:
    return "_".join(map(_last, group))


def _parts(graph: grimp.ImportGraph, name: str) -> str:
    """Return the names of what is in a package, as lines of its box."""
    names = sorted(_last(one) for one in graph.find_children(name) if graph.find_children(one))
    rows: list[str] = []
    for one in names:
        if rows and len(rows[-1]) + len(one) <= _WIDE:
            rows[-1] += f" · {one}"
        else:
            rows.append(one)
    return "".join(f"<br/>{row}" for row in rows)


def _arrows(graph: grimp.ImportGraph, packages: list[str]) -> dict[str, set[str]]:
    """Return package -> those it imports."""
    owner = {name: one for one in packages for name in {one, *graph.find_descendants(one)}}
    found: dict[str, set[str]] = {one: set() for one in packages}
    for name, one in owner.items():
        found[one] |= {owner[to] for to in graph.find_modules_directly_imported_by(name) if to in owner}
    return {one: others - {one} for one, others in found.items()}


def _reached(start: str, arrows: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = arrows[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def _groups(packages: list[str], arrows: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """Return the packages, those that import each other in a circle together."""
    reached = {one: _reached(one, arrows) for one in packages}
    return sorted(
        {tuple(b for b in packages if a == b or (b in reached[a] and a in reached[b])) for a in packages}
    )


def _shortest(
    groups: list[tuple[str, ...]], arrows: dict[str, set[str]]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the arrows between groups that no way over another group replaces."""
    reached = {group: set().union(*(_reached(one, arrows) for one in group)) for group in groups}
    below = {a: [b for b in groups if b != a and reached[a] & set(b)] for a in groups}
    return [(a, b) for a in groups for b in below[a] if not any(b in below[c] for c in below[a])]


def architecture_page() -> str:
    """Return the page of the architecture with its picture made anew."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    made = picture(grimp.build_graph(ROOT, cache_dir=None))
    page, count = _PICTURE.subn(lambda found: found[1] + made + found[2], text)
    if count != 1:
        raise ValueError(f"{ARCHITECTURE.name}: there is no place for the picture")
    return page


def pages() -> dict[Path, str]:
    """Return file -> text of every page."""
    return {DECISIONS / "README.md": decisions_page(), ARCHITECTURE: architecture_page()}


def main() -> None:
    """Write the pages that are not as they should be."""
    for path, text in pages().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
