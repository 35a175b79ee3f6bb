"""What an update of expectations would change, for people."""

from __future__ import annotations

import difflib

from exitgate.report.safe import safe_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.style import Style

#: First character of a line of a diff -> the role that paints it.
_ROLES = {"+": "help", "-": "error", "@": "place"}
_AROUND = 2


def change_text(path: str, old: str, new: str, note: str, style: Style) -> str:
    """Return the unified diff from `old` to `new`, safe and painted; `note` stands behind the second path."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), path, f"{path} ({note})", lineterm="", n=_AROUND
    )
    return "".join(_painted(line, style) + "\n" for line in lines)


def _painted(line: str, style: Style) -> str:
    role = _ROLES.get(line[:1])
    return style.paint(role, safe_line(line)) if role else safe_line(line)
