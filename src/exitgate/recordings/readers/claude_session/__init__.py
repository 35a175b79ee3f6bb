"""
Session files of Claude Code, `~/.claude/projects/<folder>/<session>.jsonl`.

An iteration is a prompt with all that follows; where a Stop hook keeps the agent going, from one stop to
the next. Prompts that were taken back count as if they were never written, as do lines that are there
twice. What the program writes itself (notes, summaries of compactions, errors of its service, commands) is
neither a prompt nor a word of the agent's. Sub-agents' calls are reported as not its own; a file of a
sub-agent's own is a run with a parent.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import objects_at, text_at
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import INTERRUPTED, is_broken_off
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import STEP, TURN, USAGE_LIMIT, Begin, End, Part, Problem
from exitgate.recordings.readers.claude_session.records import (
    ASSISTANT,
    GIVEN,
    NONE,
    NOTHING,
    SYSTEM,
    USER,
    NotReadError,
    is_passed,
    line_of,
    lines,
    plain,
    taken_back,
)
from exitgate.recordings.readers.claude_session.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe
    from exitgate.recordings.readers.claude_session.records import Line


ID = "claude-session"
TITLE = "Claude Code, session files: a prompt and what follows"
GIVES = capabilities.CHAT | {capabilities.TOKENS, capabilities.DENIALS}
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
        capabilities.TOOL_RESULTS, capabilities.TOOL_CALLS, capabilities.RESULT, capabilities.PLAN,
        capabilities.FILES, capabilities.FILES_CHANGED, capabilities.DENIALS,
    )
)  # fmt: skip
#: Bytes of the shortest line.
_LEAST = 3
#: Bytes of a file whose iterations are held until all of it was read.
_SHORT = 16_000_000
_BEGUN, _NAMED = b'{"parentUuid":', b'"sessionId":"'


def fits(look: Probe) -> bool:
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


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run, or several where a file has several beginnings. Raises OSError."""
    yield from parts(place, wants, TURN)


def parts(place: Location, wants: frozenset[str], granularity: str) -> Iterator[Part]:
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


def _parts(place: Location, wants: frozenset[str], session: Session) -> Iterator[Part]:
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


# One session of Claude Code, line by line: where iterations begin, and where runs do.

_SYNTHETIC = "<synthetic>"
_RESULT, _TEXT, _IMAGE = "tool_result", "text", "image"
_STOP, _DURATION = "stop_hook_summary", "turn_duration"
_DONE = "completed"
#: What the program writes among the user's lines: a command that is asked for, what one printed, notes.
_COMMAND = ("<command-name>", "<command-message>", "<command-args>")
_PRINTED = ("<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>")
_NOTE = ("<local-command-caveat>", "<bash-input>", "<system-reminder>")
_FEEDBACK = "Stop hook feedback:"
_ENDING, _AGENT = ".jsonl", "agent-"
#: Ids of lines that are remembered to know one again.
_REMEMBERED = 500_000
_WHY = 200
#: Messages that are remembered, for parts of one that follow the next.
_STEPS = 16
#: How a run can end by what the program writes, in classes of `exitgate.core.model.decision.CLASSES`.
_INTERRUPT, _FAIL, _WAIT = "interrupted", "failed", "wait"


class Session:
    """
    What is under way while lines are taken; `found` is where parts of runs are put.

    `strayed` says that a prompt followed another line than the one before it, as far as that was looked
    at: another prompt may have been taken back.

    Args:
        place: The file.
        wants: What of an iteration is wanted.
        granularity: `TURN`, or `STEP` for an iteration for each message of the agent's.
        gone: Ids of prompts that were taken back.
    """

    def __init__(
        self, place: Location, wants: frozenset[str], granularity: str, gone: frozenset[str]
    ) -> None:
        self.found: list[Part] = []
        self.strayed = False
        self._place = place
        self._wants = wants
        self._granularity = granularity
        self._gone = gone
        self._turn: Turn | None = None
        self._plans = Plans()
        self._index = self._runs = 0
        self._begun = self._passing = self._root = self._asked = self._alone = False
        #: What the agent was asked without a prompt of its own: text, line, instant.
        self._waiting: tuple[str | None, int, str | None] | None = None
        self._session: str | None = None
        self._latest: str | None = None
        self._before: str | None = None
        self._ids: set[str] = set()
        self._last = End()
        self._seen: set[int] = set()
        self._seen_before: set[int] = set()

    def is_new(self, line: Line) -> bool:
        """Return whether the line was missing before, and remember it."""
        if line.uuid is None:
            return True
        self._latest, self._before = line.uuid, self._latest
        key = hash(line.uuid)
        if key in self._seen or key in self._seen_before:
            return False
        self._seen.add(key)
        if len(self._seen) > _REMEMBERED:
            self._seen, self._seen_before = set(), self._seen
        return True

    def heard(self, line: Line, number: int) -> None:
        """Take a line of the user's: a prompt, results of calls, or what the program says there."""
        message = line.message
        if message is None or line.is_compact_summary or line.is_visible_in_transcript_only:
            return
        if line.parent_uuid is None or not self._begun:
            self._opens(line)
        content = message.content
        if isinstance(content, list):
            if any(block.type == _RESULT for block in content):
                self._answered(line, number, [b.text for b in content if b.type == _TEXT])
                return
            text = "\n".join(block.text for block in content if block.type == _TEXT)
            if not text and not any(block.type == _IMAGE for block in content):
                return
        else:
            text = content
        if not line.is_sidechain or self._alone:
            self._spoken(line, number, text)

    def said(self, line: Line, number: int) -> None:
        """Take a line of the agent's, or what the program wrote in its place."""
        message = line.message
        if self._passing or message is None:
            return
        if line.parent_uuid is None or not self._begun:
            self._opens(line)
        if self._alone:
            line.is_sidechain = False
        own, failed = not line.is_sidechain, line.is_api_error_message
        if own and not failed and message.model == _SYNTHETIC:
            return
        turn = self._turn
        if turn is None or self._asked or turn.stopped or self._granularity == STEP:
            turn = self._going_on(line, number, own=own and not failed)
        turn.saw(number, line.timestamp)
        if own and failed:
            turn.failed_with(line)
        else:
            turn.said(line, message, own=own)

    def noted(self, line: Line, number: int) -> None:
        """Take a note of the program's: the agent stopped, how long it took."""
        turn = self._turn
        if turn is None or self._passing or (line.is_sidechain and not self._alone):
            return
        if line.subtype in (_STOP, _DURATION):
            turn.saw(number, line.timestamp)
            turn.unfinished = False
            turn.stopped = turn.stopped or (line.subtype == _STOP and turn.spoke)
            if line.prevented_continuation:
                self._last = End(None, (line.stop_reason or "")[:_WHY])

    def passed(self, number: int, raw: bytes) -> None:
        """Note that a line belongs to the iteration under way of which only the instant is wanted."""
        if self._turn is not None and not self._passing:
            self._turn.passed = number, raw

    def close(self) -> None:
        """End the iteration and the run under way."""
        ending = self._turn
        self._finish()
        if not self._begun:
            return
        how, why = self._last.how, self._last.why
        if ending is not None and ending.interrupted:
            how = _INTERRUPT
        elif ending is not None and ending.failed:
            how = _WAIT if ending.error_kind == USAGE_LIMIT else _FAIL
            why = ending.error[:_WHY]
        at = None if ending is None else instant(ending.ended)
        self.found.append(End(how, why, at))
        self._begun, self._last = False, End()

    def _opens(self, line: Line) -> None:
        """Look at where a line is: one behind no other begins a conversation of its own."""
        if not self._begun and self._session is None:
            self._alone = line.is_sidechain
            self._session = line.session_id
        elif line.parent_uuid is None and not line.is_sidechain and line.uuid is not None:
            self._root = self._begun

    def _answered(self, line: Line, number: int, texts: list[str]) -> None:
        turn = self._turn
        if turn is None or self._passing:
            return
        if self._alone:
            line.is_sidechain = False
        turn.saw(number, line.timestamp)
        turn.answered(line)
        if not line.is_sidechain:
            turn.interrupted = is_broken_off(texts)

    def _spoken(self, line: Line, number: int, text: str) -> None:
        """Take a text among the user's lines."""
        begun = text.lstrip()
        here = number, line.timestamp
        if line.is_meta:
            if self._passing:
                return
            if begun.startswith(_FEEDBACK):
                self._begin(begun[len(_FEEDBACK) :].strip(), *here)
            elif not begun.startswith(_NOTE) and (self._asked or (self._turn and self._turn.stopped)):
                self._waiting = (text, *here)
            return
        self._passing = line.uuid in self._gone
        if line.parent_uuid is not None and line.parent_uuid != self._before:
            self.strayed = True
        if self._passing:
            self._waiting = None
        elif begun.startswith(INTERRUPTED):
            if self._turn is not None:
                self._turn.saw(*here)
                self._turn.interrupted, self._turn.unfinished = True, True
        elif begun.startswith(_PRINTED):
            self._asked, self._waiting = False, None
        elif begun.startswith(_COMMAND):
            self._asked, self._waiting = True, (text, *here)
        elif not begun.startswith(_NOTE):
            self._begin(text.removeprefix(_FEEDBACK), *here)
            if line.todos is not NONE:
                self._listed(line)

    def _listed(self, line: Line) -> None:
        """Take the to-do list as it was at a prompt."""
        told = plain(line.todos)
        items = [
            (text, item.get("status") == _DONE)
            for item in objects_at({"todos": told}, "todos")
            if (text := text_at(item, "content")) is not None
        ]
        if items:
            self._plans.todos(items)

    def _going_on(self, line: Line, number: int, *, own: bool) -> Turn:
        """Return the iteration that a line of the agent's belongs to."""
        turn = self._turn
        if turn is None or (own and (self._asked or (turn.stopped and turn.spoke))):
            turn = self._begin(*(self._waiting or (None, number, line.timestamp)))
        id = line.message.id if line.message is not None else None
        if own and self._granularity == STEP and turn.spoke and id != turn.id and id not in self._ids:
            # Of a message that was written in parts, one can follow the next message.
            turn = self._begin(None, number, line.timestamp)
        if own:
            turn.id = id
            if id is not None and self._granularity == STEP:
                self._ids = {id} if len(self._ids) > _STEPS else self._ids | {id}
        return turn

    def _begin(self, prompt: str | None, number: int, at: str | None) -> Turn:
        """Begin an iteration, and the run before the first."""
        if self._root:
            self.close()
            self._plans = Plans()
            self._index = 0
        else:
            self._finish()
        self._root = self._asked = False
        self._waiting = None
        if not self._begun:
            self._begun = True
            self._runs += 1
            self.found.append(self._beginning(at))
        self._last = End()
        self._turn = Turn(self._wants, prompt, number, at, self._plans)
        return self._turn

    def _finish(self) -> None:
        if self._turn is not None:
            self._index += 1
            self.found.append(self._turn.recorded(self._index, self._place.path))
            self._turn = None

    def _beginning(self, at: str | None) -> Begin:
        name = self._place.name.removesuffix(_ENDING)
        whole = len(name) == 36 and name.count("-") == 4
        id = name if self._alone or whole else self._session or name
        return Begin(
            id if self._runs == 1 else f"{id}#{self._runs}",
            self._granularity,
            self._place.path,
            instant(at),
            parent=(self._session or _AGENT) if self._alone else None,
            resumed=self._session != name if whole and self._session and self._runs == 1 else None,
        )
