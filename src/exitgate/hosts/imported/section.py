"""Imported settings as lines of a settings file, each with a comment on its origin."""

from __future__ import annotations

from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.hosts.imported.taken import Entry, Taken

#: Columns up to which the comment follows the value.
WIDTH = 100


def new_file(taken: Taken, project: str, source: str, profile: str | None, aside: str) -> str:
    """Return a settings file that holds nothing but what was taken from `source`."""
    lines = [
        f"# Settings from {safe(source)}, by `exitgate import {project}`.",
        "# `exitgate config` shows what is in force and who set it.",
        *([f"# {aside}"] if aside else ()),
        "exit_decision:",
        *entry_lines(taken.policy, profile, taken.entries, "  "),
        *left_lines(taken, "  "),
    ]
    return "\n".join(lines) + "\n"


def entry_lines(policy: str | None, profile: str | None, entries: Iterable[Entry], indent: str) -> list[str]:
    """Return the lines of a section: the policy and the profile where they are given, then parameters."""
    lines = [f"{indent}policy: {policy}"] if policy else []
    lines += [f"{indent}profile: {profile}"] if profile else []
    for entry in entries:
        line = f"{indent}{entry.name}: {entry.text}"
        remark = f"# {safe(entry.origin)}"
        if len(line) + 2 + len(remark) <= WIDTH:
            lines.append(f"{line}  {remark}")
        else:
            lines += [indent + remark, line]
    return lines


def left_lines(taken: Taken, indent: str) -> list[str]:
    """Return comments on what was not taken over, together what has the same reason."""
    reasons: dict[str, list[str]] = {}
    for why, origin in taken.left:
        reasons.setdefault(why, []).append(origin)
    lines: list[str] = []
    for why, origins in reasons.items():
        lines.append(f"{indent}# Not imported: {safe(why)}")
        lines += [f"{indent}#   {safe(origin)}" for origin in origins]
    return lines
