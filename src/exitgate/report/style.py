"""Colour and width of a form for people. Colour only repeats what a word or a glyph already says."""

from __future__ import annotations

import sys

from exitgate.model.value import Value
from exitgate.report.width import columns, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Terminals of Windows that know ANSI codes set one of these; the old console shows the codes themselves.
_PAINTED = ("WT_SESSION", "TERM", "TERM_PROGRAM", "ANSICON", "ConEmuANSI")
#: ANSI select-graphic-rendition codes by the part a stretch of text plays.
ROLES = {
    "continue": "1;36",
    "complete": "1;32",
    "exit": "1;33",
    "trouble": "1;31",
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "true": "32",
    "false": "2",
    "unknown": "33",
    "quiet": "2",
    "strong": "1",
    "place": "34",
    "name": "1;34",
}

#: Classes that a person should look at, shown in the colour of trouble.
TROUBLE = frozenset({"stuck", "halted", "failed", "undetermined"})


class Style(Value):
    """
    How text is shown.

    Args:
        color: Whether to paint.
        width: Columns that a line may take; sentences are wrapped there.
        whole: Whether values longer than their room stay whole: what is piped is read by a program.
    """

    __slots__ = ("color", "whole", "width")

    def __init__(self, color: bool = False, width: int = 80, whole: bool = False) -> None:
        self.color = color
        self.width = width
        self.whole = whole

    def narrowed(self, margin: int) -> Style:
        """Return the style for what is shown behind a margin of so many columns."""
        return Style(self.color, self.width - margin, self.whole)

    def fit(self, text: str, room: int) -> str:
        """Return `text`, cut to `room` columns on a terminal, whole elsewhere."""
        return text if self.whole else cut(text, room)

    def room(self, texts: Iterable[str], room: int) -> int:
        """Return how wide a column of `texts` is: `room` on a terminal, elsewhere what the longest takes."""
        return max([room, *map(columns, texts)]) if self.whole else room

    def paint(self, role: str, text: str) -> str:
        """Return `text` in the colour of `role`, one of `ROLES`; as it is without colour."""
        if not self.color or not text:
            return text
        return f"\x1b[{ROLES[role]}m{text}\x1b[0m"


def verdict_role(verdict: str, exit_class: str | None) -> str:
    """Return the role that paints a verdict of that class."""
    if verdict == "CONTINUE":
        return "continue"
    if exit_class == "complete":
        return "complete"
    return "trouble" if exit_class in TROUBLE else "exit"


def choose_color(wish: str, environment: Mapping[str, str], is_terminal: bool) -> bool:
    """
    Return whether to paint.

    Args:
        wish: ``always``, ``never`` or ``auto``, as `--color` says; the first two win over everything.
        environment: ``NO_COLOR``, ``FORCE_COLOR`` and ``CLICOLOR_FORCE`` (not empty, not ``0``), ``TERM``;
            on Windows, what terminals set that know the codes.
        is_terminal: Whether the stream that is written to is one.
    """
    if wish != "auto":
        return wish == "always"
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if sys.platform == "win32" and not any(environment.get(name) for name in _PAINTED):
        return False
    return is_terminal and environment.get("TERM") != "dumb"
