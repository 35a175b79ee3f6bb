"""
Session files of Claude Code, `~/.claude/projects/<folder>/<session>.jsonl`.

An iteration is a prompt with all that follows; where a Stop hook keeps the agent going, from one stop to
the next. Prompts that were taken back count as if they were never written, as do lines that are there
twice. What the program writes itself (notes, summaries of compactions, errors of its service, commands) is
neither a prompt nor a word of the agent's. Sub-agents' calls are reported as not its own; a file of a
sub-agent's own is a run with a parent.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.readers.claude_session_chain import taken_back
from exitgate.transcripts.readers.claude_session_lines import (
    ASSISTANT,
    GIVEN,
    NOTHING,
    SYSTEM,
    USER,
    NotReadError,
    is_passed,
    line_of,
    lines,
)
from exitgate.transcripts.readers.claude_session_run import Session
from exitgate.transcripts.run import TURN, Problem
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

ID = "claude-session"
TITLE = "Claude Code, session files: a prompt and what follows"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK,
        gives.FILES, gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.TOKENS, gives.DENIALS,
    )
)  # fmt: skip
#: Kinds of lines that alone make no session -> members that they have.
_BESIDE = {
    "summary": "leafUuid",
    "file-history-snapshot": "snapshot",
    "queue-operation": "sessionId",
    "ai-title": "sessionId",
}
#: Parts of an iteration for which somebody must look at what calls gave back.
_OF_RESULTS = frozenset(
    (
        gives.TOOL_RESULTS, gives.TOOL_CALLS, gives.RESULT, gives.PLAN, gives.FILES, gives.FILES_CHANGED,
        gives.DENIALS,
    )
)  # fmt: skip
#: Bytes of the shortest line.
_LEAST = 3
#: Bytes of a file whose iterations are held until all of it was read.
_SHORT = 16_000_000
_BEGUN, _NAMED = b'{"parentUuid":', b'"sessionId":"'


def fits(look: Look) -> bool:
    """Return whether its first lines are entries of a session, or of what is before them."""
    events = look.events
    if any(is_entry(event) for event in events):
        return True
    if not events:
        return look.head.startswith(_BEGUN) and _NAMED in look.head
    return all(text_at(event, "type") in _BESIDE and _BESIDE[str(event["type"])] in event for event in events)


def is_entry(event: Event) -> bool:
    """Return whether an object is an entry of a session's tree."""
    return (
        "parentUuid" in event
        and text_at(event, "uuid") is not None
        and text_at(event, "sessionId") is not None
        and text_at(event, "type") is not None
    )


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run, or several where a file has several beginnings. Raises OSError."""
    yield from parts(place, wants, TURN)


def parts(place: Place, wants: frozenset[str], granularity: str) -> Iterator[Part]:
    """
    Yield the same in turns or steps.

    A short file is read once, and once more only where a prompt follows another line than the last:
    then something may have been taken back. A long one is looked through for that first.
    """
    size = place.size()
    if size is None or size > _SHORT:
        yield from _parts(place, wants, Session(place, wants, granularity, taken_back(place)))
        return
    session = Session(place, wants, granularity, frozenset())
    found = list(_parts(place, wants, session))
    gone = taken_back(place) if session.strayed else frozenset()
    if gone:
        found = list(_parts(place, wants, Session(place, wants, granularity, gone)))
    yield from found


def _parts(place: Place, wants: frozenset[str], session: Session) -> Iterator[Part]:
    kinds = {USER: session.heard, ASSISTANT: session.said, SYSTEM: session.noted}
    found, results = session.found, bool(wants & _OF_RESULTS)
    for number, raw in lines(place):
        passed = is_passed(raw, results=results)
        if passed == NOTHING or len(raw) < _LEAST:
            continue
        if passed == GIVEN:
            session.passed(number, raw)
            continue
        try:
            line = line_of(raw)
        except NotReadError as error:
            if raw.strip():
                yield Problem(place.path, f"{error}; skipped", number)
            continue
        take = kinds.get(line.type)
        if take is not None and session.is_new(line):
            take(line, number)
            if found:
                yield from found
                found.clear()
    session.close()
    yield from found
