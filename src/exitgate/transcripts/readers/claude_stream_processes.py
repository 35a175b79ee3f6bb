"""
Where one process of Claude Code ends and the next begins, in a file to which several were appended.

A process begins with another session: where the one before it has its result, or where the new session is
opened and the old one is not heard of again. One that is heard of again had the other session within it:
that is a sub-agent's. A session that is resumed stays one process, since a process may open its session and
report on it more than once. A file of results alone has one for each process; a result that is there
twice, the same in all it says, is one.
"""

from __future__ import annotations

from exitgate.transcripts.claude import fits
from exitgate.transcripts.readers.claude_stream_lines import objects_on
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.values import Event

_SYSTEM, _RESULT = "system", "result"
#: What a session is opened with, and what else shows that another one continues.
_OPENS, _SAYS = ("init", "hook_started"), ("assistant", "user", "stream_event", _RESULT)


class Processes:
    """Takes the events of a file in order, and says which begin a process and which are a sub-agent's."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._session: str | None = None
        self._within: set[str] = set()
        self._returns: dict[str, int] | None = None
        self._result: Event | None = None
        self._others = self._opened = False

    def begins(self, event: Event, line: int) -> bool:
        """Return whether an event on that line begins a process that is not the first."""
        if not fits(event) or event.get("parent_tool_use_id"):
            return False
        session, kind = _session(event), event.get("type", _RESULT)
        begins = kind == _RESULT and self._result not in (None, event) and not self._others
        if not begins and session is not None and self._session not in (None, session):
            begins = self._is_another(session, event, line)
        if begins:
            self._result, self._others, self._opened = None, False, False
            self._session = session
        if session in self._within:
            return False
        if session is not None and not self._opened:
            self._session = session
        if kind == _RESULT:
            self._result = event
        else:
            self._others = True
        self._opened = self._opened or kind in _SAYS or event.get("subtype") == _OPENS[0]
        return begins

    def is_within(self, event: Event) -> bool:
        """Return whether an event is of a session that ran within the one under way."""
        return bool(self._within) and _session(event) in self._within

    def _is_another(self, session: str, event: Event, line: int) -> bool:
        if session in self._within:
            return False
        opens = _opens(event)
        if self._result is not None:
            return opens or event.get("type", _RESULT) in _SAYS
        if not opens or not self._opened:
            return False
        if self._returns is None:
            self._returns = _returns(self._place)
        if self._returns.get(self._session or "", 0) > line:
            self._within.add(session)
            return False
        return True


def _session(event: Event) -> str | None:
    return text_at(event, "session_id", "sessionId")


def _opens(event: Event) -> bool:
    return event.get("type") == _SYSTEM and event.get("subtype") in _OPENS


def _returns(place: Place) -> dict[str, int]:
    """Return session -> the last line at which it continues after another, without being opened again."""
    found: dict[str, int] = {}
    seen: set[str] = set()
    last: str | None = None
    for number, raw in enumerate(place.lines(), 1):
        line = raw.decode("utf-8", "replace").strip()
        for event in objects_on(line) if line else ():
            session = _session(event)
            if session is None or event.get("parent_tool_use_id"):
                continue
            if session != last and session in seen and not _opens(event):
                found[session] = number
            seen.add(session)
            last = session
    return found
