"""Where the sessions of agents are on this machine, for people and programs."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import to_builtins

from exitgate.core.model.display import counted
from exitgate.report.formats.csv import csv_rows
from exitgate.report.formats.json import json_line
from exitgate.report.formats.output import Count, Output, output_text
from exitgate.report.terminal import Style, columns, pad, safe


class SessionsOutput(Output, frozen=True):
    """
    What `exitgate transcripts --format json` prints without a path: a list of these.

    Args:
        agent: Its name.
        title: Its name for people.
        folder: Where its sessions are.
        sessions: How many there are.
        newest: When the newest was last written, as ISO 8601; null without one.
        trouble: Why not all of them could be listed, or the empty text.
    """

    agent: str
    title: str
    folder: str
    sessions: Count
    newest: str | None
    trouble: str = ""


def sessions_told(rows: Sequence[SessionsOutput], form: str, style: Style, *, hints: bool) -> str:
    """
    Return the list in a format.

    Args:
        rows: One for each agent.
        form: ``text``, ``json``, ``jsonl`` or ``csv``.
        style: Colour and width of the text.
        hints: Whether the text says how to go on.
    """
    if form == "json":
        return output_text(rows)
    if form == "jsonl":
        return "".join(json_line(to_builtins(one)) for one in rows)
    if form == "csv":
        return "".join(csv_rows(SessionsOutput.__struct_fields__, map(to_builtins, rows)))
    return _text(rows, style, hints)


def _text(rows: Sequence[SessionsOutput], style: Style, hints: bool) -> str:
    title = max(columns(one.title) for one in rows)
    counts = [counted(one.sessions, "session") for one in rows]
    count = max(map(len, counts))
    lines = []
    for one, number in zip(rows, counts, strict=True):
        newest = "" if one.newest is None else f"newest {one.newest[:16].replace('T', ' ')}"
        lines.append(f"{pad(one.title, title)}  {number:>{count}}  {newest:23}  {safe(one.folder)}".rstrip())
        if one.trouble:
            lines.append(style.paint("warning", f"  {safe(one.trouble)}"))
    if hints:
        folder = next((one.folder for one in rows if one.sessions), rows[0].folder)
        lines += [
            "",
            style.paint("quiet", f"exitgate transcripts '{safe(folder)}'  lists the runs of one agent"),
            style.paint("quiet", "exitgate studio --sessions  shows those of this project in the browser"),
        ]
    return "".join(f"{line}\n" for line in lines)
