"""
Session files of Codex, `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`.

An iteration is what the program calls a task; in files that tell of none, a message of the user's with all
that follows. Where a Stop hook keeps the agent going it is what lies between one stop and the next. What a
user writes while a task is under way is not a new one. The same text of the agent's
is there twice and counts once. Tokens are the differences of the running total.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import count_at, object_at, text_at, texts_in
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import kind_of_codex
from exitgate.recordings.formats.json_files import Lines
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import TURN, USAGE_LIMIT, Begin, End
from exitgate.recordings.readers.codex_rollout.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "codex-rollout"
TITLE = "Codex CLI, session files: a task and what belongs to it"
GIVES = capabilities.TRANSCRIPT | {
    capabilities.TASK,
    capabilities.TIMES,
    capabilities.TOKENS,
    capabilities.DENIALS,
}
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


def fits(look: Probe) -> bool:
    """Return whether its first lines are records of a session."""
    events = look.events
    if not events:
        return look.head.startswith(b'{"timestamp":') and b'"type":"session_meta"' in look.head[:200]
    return sum(map(_is_record, events)) * 2 > len(events)


def _is_record(event: Event) -> bool:
    named = event.get("type") in _TYPES and text_at(event, "timestamp") is not None
    return named and isinstance(event.get("payload"), dict)


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
        self._meta: Event = {}
        self._forked = self._begun = False
        self._index = 0
        self._total: int | None = None
        self._model: str | None = None
        #: A message of the user's that no event has reported: text, line, instant.
        self._waiting: tuple[str, int, str | None] | None = None

    def take(self, line: Event, number: int) -> None:
        """Take the next line."""
        kind, payload, at = line.get("type"), object_at(line, "payload"), text_at(line, "timestamp")
        if kind == _META:
            self._forked = self._forked or bool(self._meta)
            self._meta = self._meta or payload
        elif kind == _CONTEXT:
            self._model = text_at(payload, "model") or self._model
            if self._turn is not None and self._model is not None:
                self._turn.record["model"] = self._model
        elif kind == _EVENT:
            self._event(payload, number, at)
        elif kind == _ITEM:
            self._item(payload, number, at)

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

    def _event(self, event: Event, number: int, at: str | None) -> None:
        kind, text = event.get("type"), text_at(event, "message") or ""
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
            turn.error, turn.error_kind = text, kind_of_codex(text, event.get("codex_error_info"))
        elif kind == "token_count":
            self._counted(object_at(event, "info"))
        elif kind == "patch_apply_end" and self._turn is not None:
            self._turn.patched(event)

    def _item(self, item: Event, number: int, at: str | None) -> None:
        kind, role = text_at(item, "type"), item.get("role")
        if kind == "message" and role == "assistant":
            self._going_on(number, at).said(texts_in(item.get("content")))
        elif kind == "message" and role == "user":
            text = texts_in(item.get("content"))
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

    def _closed(self, event: Event, number: int, at: str | None, *, aborted: bool) -> None:
        turn = self._turn
        if turn is None or turn.ended:
            turn = self._open(number, at)
        turn.saw(number, at)
        turn.ended, turn.aborted = True, aborted
        if aborted and (reason := text_at(event, "reason")) is not None:
            turn.record["stop_reason"] = reason
        final = text_at(event, "last_agent_message")
        if final is not None:
            turn.final, turn.error = final, None

    def _counted(self, told: Event) -> None:
        """Take the running total: a turn used up by how much it grew, or all of one that began anew."""
        total = count_at(object_at(told, "total_token_usage"), "total_tokens")
        if total is None:
            return
        last = count_at(object_at(told, "last_token_usage"), "total_tokens") or 0
        before = max(total - last, 0) if self._total is None or total < self._total else self._total
        self._total = total
        if self._turn is not None and total > before:
            record = self._turn.record
            record["tokens"] = total - before + (count_at(record, "tokens") or 0)
            record["turns"] = 1 + (count_at(record, "turns") or 0)

    def _open(self, number: int, at: str | None, *, marked: bool = False) -> Turn:
        self._finish()
        if not self._begun:
            self._begin(at)
        self._turn = Turn(number, at, self._plans, marked=marked)
        session = text_at(self._meta, "id")
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
        started = text_at(self._meta, "timestamp") if at is None else at
        self.found.append(
            Begin(
                text_at(self._meta, "id") or name,
                TURN,
                self._place.path,
                instant(started),
                parent=_parent(self._meta),
                resumed=True if self._forked or text_at(self._meta, "forked_from_id") else None,
            )
        )


def _hook_says(text: str) -> str:
    """Return what hooks say to the agent, without the tags around it."""
    from html import unescape

    parts = [part.partition(_HOOK_ENDS)[0].partition(">")[2] for part in text.split(_HOOK)[1:]]
    return unescape("\n\n".join(part.strip() for part in parts))


def _parent(meta: Event) -> str | None:
    """Return the session whose sub-agent this one is."""
    source = object_at(meta, "source")
    if "subagent" not in source:
        return None
    spawned = object_at(object_at(source, "subagent"), "thread_spawn")
    told = text_at(spawned, "parent_thread_id") or text_at(meta, "forked_from_id", "session_id")
    return told if told != text_at(meta, "id") and told is not None else "subagent"
