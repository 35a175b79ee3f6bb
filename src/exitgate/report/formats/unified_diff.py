"""New and changed files as a unified diff."""

from __future__ import annotations

import difflib

from exitgate.report.terminal import Style, safe_line

#: First character of a line of a diff -> the role that paints it.
ROLES = {"+": "help", "-": "error", "@": "place"}
#: Lines shown around a change.
AROUND = 2


def new_file_text(path: str, text: str, style: Style, note: str = "") -> str:
    """
    Return the diff that makes a file of `text`, fit for a terminal.

    With a `note`, the note replaces the lines: for files that a program wrote.
    """
    lines = text.splitlines()
    head = [style.paint("strong", "--- /dev/null"), style.paint("strong", f"+++ {safe_line(path)}")]
    counted = style.paint("place", f"@@ -0,0 +1,{len(lines)} @@")
    if note:
        return "\n".join([*head, f"{counted} {note}"]) + "\n"
    return "\n".join([*head, counted, *(style.paint("true", "+" + safe_line(line)) for line in lines)]) + "\n"


def change_text(path: str, old: str, new: str, note: str, style: Style) -> str:
    """Return the unified diff from `old` to `new`, safe and painted; `note` follows the second path."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), path, f"{path} ({note})", lineterm="", n=AROUND
    )
    return "".join(_painted(line, style) + "\n" for line in lines)


def _painted(line: str, style: Style) -> str:
    role = ROLES.get(line[:1])
    return style.paint(role, safe_line(line)) if role else safe_line(line)
