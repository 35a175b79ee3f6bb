"""
What an agent said on a console: without escapes, and without what its program draws of calls of tools.

opencode marks each call with a sign in the default colour and ends what it prints of it with a line of
escapes alone; other programs that print their calls are known from their own readers.
"""

from __future__ import annotations

from exitgate.transcripts.loops.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: What opencode begins a line with, and the signs behind it: of a call with a text below it, and without.
_RESET = "\x1b[0m"
_LONG, _SHORT = ("←", "$", "#", "◇", "│"), ("→", "✱", "%", "~", "⚙", "↳", "⌕", "✗", "•")
_ROLE = "> "


def agent_text(lines: Iterable[str]) -> tuple[str, str | None]:
    """Return what the agent said, and what its tools printed where calls are drawn, else None."""
    lines = list(lines)
    if not any(map(_sign, lines)):
        return "\n".join(map(plain, lines)).strip("\n"), None
    said: list[str] = []
    results: list[str] = []
    inside = reset = False
    for raw in lines:
        text = plain(raw)
        if _RESET in raw and not text.strip():
            inside, reset = False, True
            continue
        sign = _sign(raw)
        if sign:
            inside = sign in _LONG
            results.append(text)
        elif inside:
            results.append(text)
        elif not (reset and text.startswith(_ROLE) and " · " in text):
            said.append(text)
        reset = False
    return "\n".join(said).strip("\n"), "\n".join(results)


def _sign(raw: str) -> str:
    """Return the sign of a call that a line begins with, or the empty text."""
    if not raw.startswith(_RESET):
        return ""
    rest = raw.removeprefix(_RESET)
    sign = rest[:1]
    return sign if sign in (*_LONG, *_SHORT) and rest[1:].lstrip(" ").startswith("\x1b[") else ""
