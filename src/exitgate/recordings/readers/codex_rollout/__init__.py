"""
Session files of Codex, `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`.

An iteration is what the program calls a task; in files that tell of none, a message of the user's with all
that follows. Where a Stop hook keeps the agent going it is what lies between one stop and the next. What a
user writes while a task is under way is not a new one. The same text of the agent's
is there twice and counts once. Tokens are the differences of the running total.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.limits import of_codex
from exitgate.core.envelopes.members import as_object, texts_in
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.errors import kind_of_codex
from exitgate.recordings.formats.json_files import Lines
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, USAGE_LIMIT, Begin, End, Part
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.codex_rollout.turn import Item, Turn

ID = "codex-rollout"
TITLE = "Codex CLI, session files: a task and what belongs to it"
GIVES = capabilities.CHAT | {capabilities.TOKENS, capabilities.DENIALS}
_META, _CONTEXT, _EVENT, _ITEM = "session_meta", "turn_context", "event_msg", "response_item"
_TYPES = (_META, _CONTEXT, _EVENT, _ITEM, "compacted")
_CALLS = frozenset(
    ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call")
)
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))
#: What the program itself writes among the user's messages.
_CONTEXTS = (
    "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions instructions>",
    "<turn_aborted>", "<skill>", "# AGENTS.md",
)  # fmt: skip
#: With what the program hands on what a Stop hook wants of the agent, and the end of it.
_HOOK, _HOOK_ENDS = "<hook_prompt ", "</hook_prompt>"
_WHY = 200


class _Spawned(Struct, frozen=True):
    parent_thread_id: str | None = None


class _Subagent(Struct, frozen=True):
    thread_spawn: _Spawned = _Spawned()


class _Source(Struct, frozen=True):
    """What began the session; `subagent` may be a word or an object."""

    subagent: Any = UNSET


class _Meta(Struct, frozen=True):
    """What is said about the session."""

    id: str | None = None
    timestamp: str | None = None
    forked_from_id: str | None = None
    session_id: str | None = None
    source: _Source = _Source()

    @property
    def parent(self) -> str | None:
        """The session whose sub-agent this one is."""
        if self.source.subagent is UNSET:
            return None
        other = self.session_id if self.forked_from_id is None else self.forked_from_id
        told = read_as(_Subagent, self.source.subagent).thread_spawn.parent_thread_id or other
        return told if told != self.id and told is not None else "subagent"


class _Used(Struct, frozen=True):
    total_tokens: Amount = None


class _Count(Struct, frozen=True):
    """Tokens: those of the session so far, and those of its last call of the model."""

    total_token_usage: _Used = _Used()
    last_token_usage: _Used = _Used()


class _Event(Struct, frozen=True, rename={"count": "info"}):
    """What the program says of what happens; events of each type have some of these members."""

    type: str | None = None
    message: str | None = None
    codex_error_info: Any = None
    count: _Count = _Count()
    rate_limits: Any = None
    success: Any = None
    changes: dict[str, Any] = {}
    reason: str | None = None
    last_agent_message: str | None = None


class _Context(Struct, frozen=True):
    model: str | None = None


class _Line(Struct, frozen=True):
    """A line; `payload` is None where there is no object."""

    type: str | None = None
    timestamp: str | None = None
    payload: dict[str, Any] | None = None


def fits(look: Probe) -> bool:
    """Return whether its first lines are records of a session."""
    events = look.events
    if not events:
        return look.head.startswith(b'{"timestamp":') and b'"type":"session_meta"' in look.head[:200]
    return sum(_is_record(read_as(_Line, event)) for event in events) * 2 > len(events)


def _is_record(line: _Line) -> bool:
    return line.type in _TYPES and line.timestamp is not None and line.payload is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    lines = Lines(place)
    rollout = _Rollout(place, wants)
    for event in lines.events():
        rollout.take(event, lines.number)
        yield from rollout.found
        rollout.found.clear()
        yield from lines.problems()
    rollout.close()
    yield from rollout.found
    yield from lines.problems()


class _Rollout:
    """What is under way while lines are taken; `found` is where parts of the run are put."""

    def __init__(self, place: Location, wants: frozenset[str]) -> None:
        self.found: list[Part] = []
        self._place = place
        self._wants = wants
        self._plans = Plans()
        self._turn: Turn | None = None
        self._meta: _Meta | None = None
        self._forked = self._begun = False
        self._index = 0
        self._total: int | None = None
        self._model: str | None = None
        #: A message of the user's that no event has reported: text, line, instant.
        self._waiting: tuple[str, int, str | None] | None = None

    def take(self, plain: dict[str, Any], number: int) -> None:
        """Take the next line."""
        line = read_as(_Line, plain)
        kind, payload, at = line.type, line.payload or {}, line.timestamp
        if kind == _META:
            self._forked = self._forked or self._meta is not None
            self._meta = self._meta or (read_as(_Meta, payload) if payload else None)
        elif kind == _CONTEXT:
            self._model = read_as(_Context, payload).model or self._model
            if self._turn is not None and self._model is not None:
                self._turn.record["model"] = self._model
        elif kind == _EVENT:
            self._event(read_as(_Event, payload), number, at)
        elif kind == _ITEM:
            self._item(read_as(Item, payload), number, at)

    def close(self) -> None:
        """End the turn and the run under way."""
        if self._turn is None and self._waiting is not None:
            self._open(*self._waiting[1:]).prompt = self._waiting[0]
        last = self._turn
        self._finish()
        if not self._begun:
            self._begin(None)
        how, why = None, ""
        if last is not None and last.aborted:
            how, why = "interrupted", str(last.record.get("stop_reason", ""))
        elif last is not None and last.error is not None:
            how, why = "wait" if last.error_kind == USAGE_LIMIT else "failed", last.error
        self.found.append(End(how, why[:_WHY], None if last is None else instant(last.ended_at)))

    def _event(self, event: _Event, number: int, at: str | None) -> None:
        kind, text = event.type, event.message or ""
        if kind == "task_started":
            self._open(number, at, marked=True)
        elif kind == "user_message":
            self._user_message(text, number, at)
        elif kind in ("task_complete", "turn_aborted"):
            self._closed(event, number, at, aborted=kind == "turn_aborted")
        elif kind == "agent_message":
            self._going_on(number, at).said(text, event=True)
        elif kind == "error":
            turn = self._going_on(number, at)
            turn.error, turn.error_kind = text, kind_of_codex(text, event.codex_error_info)
        elif kind == "token_count":
            self._counted(event.count)
            if self._turn is not None and (report := of_codex(as_object(event.rate_limits), instant(at))):
                self._turn.record["limits"] = [report]  # each says all
        elif kind == "patch_apply_end" and self._turn is not None:
            self._turn.patched(event.success, event.changes)

    def _item(self, item: Item, number: int, at: str | None) -> None:
        kind = item.type
        if kind == "message" and item.role == "assistant":
            self._going_on(number, at).said(texts_in(item.content))
        elif kind == "message" and item.role == "user":
            text = texts_in(item.content)
            if text.lstrip().startswith(_HOOK):
                self._stop_hook_continued(text, number, at)
            elif text.strip() and not text.lstrip().startswith(_CONTEXTS):
                self._waiting = (text, number, at)
        elif kind in _CALLS:
            self._going_on(number, at).called(item)
        elif kind in _OUTPUTS and self._turn is not None:
            self._turn.saw(number, at)
            self._turn.answered(item)

    def _user_message(self, text: str, number: int, at: str | None) -> None:
        """Take a message of the user's."""
        self._waiting = None
        if text.lstrip().startswith(_HOOK):
            self._stop_hook_continued(text, number, at)
            return
        turn = self._turn
        if turn is None or not turn.marked or turn.ended:
            turn = self._open(number, at)
        else:
            turn.saw(number, at)
        turn.prompt = turn.prompt if turn.prompt is not None else text

    def _stop_hook_continued(self, text: str, number: int, at: str | None) -> None:
        """Take that a Stop hook keeps the agent going: its answer is, and the next iteration begins."""
        turn = self._turn
        if turn is not None and turn.held and not turn.worked:
            turn.saw(number, at)  # the same prompt in other words
            return
        marked = turn is not None and turn.marked and not turn.ended
        if turn is not None:
            turn.ended = turn.ended or turn.worked
        turn = self._open(number, at, marked=marked)
        turn.held, turn.prompt = True, _hook_says(text)

    def _going_on(self, number: int, at: str | None) -> Turn:
        """Return the turn that something of the agent's belongs to."""
        waiting, self._waiting = self._waiting, None
        turn = self._turn
        if waiting is not None and (turn is None or not turn.marked or turn.ended):
            turn = self._open(*waiting[1:])
            turn.prompt = waiting[0]
        elif waiting is not None and turn is not None and turn.prompt is None:
            turn.prompt = waiting[0]
        turn = turn or self._open(number, at)
        turn.saw(number, at)
        return turn

    def _closed(self, event: _Event, number: int, at: str | None, *, aborted: bool) -> None:
        turn = self._turn
        if turn is None or turn.ended:
            turn = self._open(number, at)
        turn.saw(number, at)
        turn.ended, turn.aborted = True, aborted
        if aborted and event.reason is not None:
            turn.record["stop_reason"] = event.reason
        if event.last_agent_message is not None:
            turn.final, turn.error = event.last_agent_message, None

    def _counted(self, told: _Count) -> None:
        """Take the running total: a turn used up by how much it grew, or all of one that began anew."""
        total = summed(told.total_token_usage.total_tokens)
        if total is None:
            return
        last = summed(told.last_token_usage.total_tokens) or 0
        before = max(total - last, 0) if self._total is None or total < self._total else self._total
        self._total = total
        if self._turn is not None and total > before:
            record = self._turn.record
            record["tokens"] = total - before + record.get("tokens", 0)
            record["turns"] = 1 + record.get("turns", 0)

    def _open(self, number: int, at: str | None, *, marked: bool = False) -> Turn:
        self._finish()
        if not self._begun:
            self._begin(at)
        self._turn = Turn(number, at, self._plans, marked=marked)
        session = None if self._meta is None else self._meta.id
        self._turn.record |= {"session": session} if session is not None else {}
        self._turn.record |= {"model": self._model} if self._model is not None else {}
        return self._turn

    def _finish(self) -> None:
        if self._turn is not None:
            self._index += 1
            self.found.append(self._turn.recorded(self._index, self._place.path, self._wants))
            self._turn = None

    def _begin(self, at: str | None) -> None:
        self._begun = True
        name = self._place.name.rpartition(".")[0] or self._place.name
        meta = self._meta or _Meta()
        started = instant(meta.timestamp if at is None else at)
        resumed = True if self._forked or meta.forked_from_id else None
        self.found.append(
            Begin(meta.id or name, TURN, self._place.path, started, parent=meta.parent, resumed=resumed)
        )


def _hook_says(text: str) -> str:
    """Return what hooks say to the agent, without the tags around it."""
    from html import unescape

    parts = [part.partition(_HOOK_ENDS)[0].partition(">")[2] for part in text.split(_HOOK)[1:]]
    return unescape("\n\n".join(part.strip() for part in parts))
