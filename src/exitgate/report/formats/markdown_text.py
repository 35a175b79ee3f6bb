"""A page of Markdown as it reads well on a terminal: headings, lists, tables and code, no links."""

from __future__ import annotations

from collections.abc import Iterable

from exitgate.report.terminal import Style, columns, pad, wrap

FENCE = "```"
#: Columns that a cell keeps where a table is too wide, unless a word of it is longer.
_LEAST = 8
_GAP = "  "


def markdown_text(page: str, style: Style) -> str:
    """
    Return a page for people on a terminal.

    Args:
        page: Markdown as the reference pages have it: `#` headings, paragraphs, lists with `- `, tables with
            `|`, code in fences. Anything else stays as it is written.
        style: Colour and width; code is never wrapped.
    """
    lines: list[str] = []
    waiting = page.splitlines()
    while waiting:
        kind = _kind(waiting[0])
        size = next(
            (at for at, line in enumerate(waiting) if at and _ends(kind, line, waiting[at - 1])), None
        )
        block, waiting = waiting[:size], waiting[size:] if size else []
        if kind == FENCE and waiting:
            block, waiting = [*block, waiting[0]], waiting[1:]
        lines += _shown(kind, block, style)
    return "\n".join(lines).rstrip("\n") + "\n"


def _kind(line: str) -> str:
    if line.startswith(FENCE):
        return FENCE
    if line.startswith("#"):
        return "#"
    if line.startswith("|"):
        return "|"
    return "- " if line.startswith("- ") else "" if not line.strip() else "text"


def _ends(kind: str, line: str, before: str) -> bool:
    """Return whether a line is the first behind a block."""
    if kind == FENCE:
        return line == FENCE
    if kind in ("text", "- "):
        return _kind(line) != "text" or not before.strip()
    return kind == "#" or _kind(line) != kind


def _shown(kind: str, block: list[str], style: Style) -> Iterable[str]:
    if kind == FENCE:
        return [f"    {line}".rstrip() for line in block[1:-1]]
    if kind == "#":
        return [style.paint("strong", plain(block[0].lstrip("#").strip()))]
    if kind == "|":
        return _table([_cells(line) for line in block if not line.startswith("|--")], style)
    if not kind:
        return [""]
    text = plain(" ".join(line.strip() for line in block))
    return wrap(text, style.width, "", "  " if kind == "- " else "")


def plain(text: str) -> str:
    """Return a line without what only makes links and strong words: ``[a](b)`` is ``a``."""
    while True:
        start = text.find("](")
        end = text.find(")", start)
        opened = text.rfind("[", 0, start) if start >= 0 else -1
        if opened < 0 or end < 0:
            return text.replace("**", "")
        text = text[:opened] + text[opened + 1 : start] + text[end + 1 :]


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
    return [plain(cell.strip()).replace("\0", "|") for cell in bare.split("|")]


def _table(rows: list[list[str]], style: Style) -> list[str]:
    widths = _widths(rows, style.width)
    lines = []
    for number, row in enumerate(rows):
        if not any(row):
            continue
        cells = [
            [one for part in cell.split("<br>") for one in (wrap(part, width) or [""])]
            for cell, width in zip(row, widths, strict=False)
        ]
        for at in range(max(map(len, cells), default=0)):
            parts = [
                pad(cell[at] if at < len(cell) else "", w) for cell, w in zip(cells, widths, strict=False)
            ]
            text = _GAP.join(parts).rstrip()
            lines.append(style.paint("strong", text) if not number else text)
    return lines


def _widths(rows: list[list[str]], most: int) -> list[int]:
    """Return the columns of each column of a table; the widest give way until all fit."""
    count = max(map(len, rows), default=0)
    widths = [
        max((columns(part) for row in rows if at < len(row) for part in row[at].split("<br>")), default=0)
        for at in range(count)
    ]
    longest = [
        max(
            (columns(word) for row in rows if at < len(row) for word in row[at].replace("<br>", " ").split()),
            default=0,
        )
        for at in range(count)
    ]
    room = most - len(_GAP) * (count - 1)
    while sum(widths) > room:
        spare = [
            width if width > max(_LEAST, word) else 0 for width, word in zip(widths, longest, strict=True)
        ]
        if not any(spare):
            break
        widths[spare.index(max(spare))] -= 1
    return widths
