"""The folder of a task that Cline and Roo keep, or one file of it, as a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.json_text import whole
from exitgate.core.envelopes.members import as_object, objects_in
from exitgate.core.envelopes.plain import JSON
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.errors import kind_of_status, leading_status
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location, cannot_open
from exitgate.recordings.model import TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe, probe_of
from exitgate.recordings.readers.cline import history as history_module

SHOWN, HISTORY = "ui_messages.json", "api_conversation_history.json"
_BESIDE = frozenset(("task_metadata.json", "history_item.json", "context_history.json"))


def is_task(look: Probe) -> bool:
    """Return whether the folder is a task's."""
    return look.place.is_folder and bool({SHOWN, HISTORY} & set(look.names))


def claimed(look: Probe) -> frozenset[str]:
    """Return the names of a task's files in its folder."""
    return (frozenset((SHOWN, HISTORY)) | _BESIDE) & frozenset(look.names) if is_task(look) else frozenset()


def shown_in(look: Probe) -> Sequence[dict[str, Any]] | None:
    """Return the first messages that were shown, None where the place has none that can be read."""
    if look.place.is_folder:
        if SHOWN not in look.names:
            return None
        try:
            look = probe_of(look.place.at(SHOWN))
        except OSError:
            return None
    value = look.value
    return value if isinstance(value, list) and is_shown(value) else None


def read_task(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """
    Yield the one run of a task's folder, or of a single file of it.

    What was shown tells turns, costs and words; the history tells calls and results as the model had them,
    for the turns that it still has after summaries took the place of earlier ones.
    """
    if not place.is_folder:
        value, problems = read_json(place)
        yield from problems
        yield from _run(place, place.parent().name or name_of(place), value, None, wants)
        return
    names = place.names()
    values: list[object] = []
    for name in (SHOWN, HISTORY):
        wrong = cannot_open(place.at(name)) if name in names else None
        if wrong is not None:
            yield wrong
        value, problems = read_json(place.at(name)) if name in names and wrong is None else (None, ())
        yield from problems
        values.append(value)
    shown, history = values
    file = place.at(SHOWN if shown is not None else HISTORY)
    yield from _run(file, place.name, *((shown, history) if shown is not None else (history, None)), wants)


def _run(place: Location, id: str, value: object, history: object, wants: frozenset[str]) -> Iterator[Part]:
    shown = [one for plain in objects_in(value) if (one := read_as(Shown, plain)).is_whole]
    told = () if shown else _of_history(value)
    turns = turns_of(shown) if shown else history_module.turns_of(told)
    if not shown and not told:
        yield Problem(place.path, "it has no messages")
    elif shown and history is not None:
        _join(turns, history_module.steps_of(_of_history(history)))
    yield Begin(id if id != "." else name_of(place), TURN, place.path, turns[0].started_at if turns else None)
    chat = Chat(place.path, JSON, wants)
    for turn in turns:
        yield chat.concluded(turn)
    asked = shown[-1].ask if shown else None
    how = ENDS.get(asked or "")
    last = shown[-1].ts if shown else told[-1].ts if told else None
    yield End(how, asked or "" if how else "", instant(last))


def _of_history(value: object) -> tuple[history_module.Message, ...]:
    """Return the messages of the history in a value; what is none is left out."""
    return history_module.messages_in([one for one in objects_in(value) if {"role", "content"} <= one.keys()])


def _join(turns: Sequence[Turn], steps: Sequence[tuple[float, Turn]]) -> None:
    """Put the calls of the history instead of those that were shown, where it has as many."""
    told: dict[int, list[Turn]] = {}
    for at, step in steps:
        begun = [n for n, turn in enumerate(turns) if turn.started_at is not None and turn.started_at <= at]
        if begun:
            told.setdefault(begun[-1], []).append(step)
    for number, answers in told.items():
        calls = [call for step in answers for call in step.calls]
        turn = turns[number]
        if len(calls) < len(turn.calls) or not calls:
            continue
        turn.forget_calls()
        for call in calls:
            at_place = turn.call(call.name, call.input, call.id)
            if call.result is not None:
                turn.answer(at_place, call.result, error=call.is_error, exit_status=call.exit_status)
        turn.denials += [denied for step in answers for denied in step.denials]


# What Cline and Roo showed of a task: `ui_messages.json`, and the turns in it.

_SAY, _ASK = "say", "ask"
#: Kinds of messages by which a person speaks.
_TASK, _FEEDBACK = ("text", "task"), "user_feedback"
_ENVIRONMENT, _RESULT = "\n\n<environment_details>", "] Result:"
#: The tool that is reported when a task is over; nothing is called.
_FINISH = "finishTask"
#: Tools that write the file they name; the content of any other is what it gave back.
_WRITES = frozenset(
    (
        "newFileCreated",
        "editedExistingFile",
        "appliedDiff",
        "insertContent",
        "searchAndReplace",
        "fileDeleted",
    )
)  # fmt: skip
#: Last question -> how the run ended.
ENDS = {
    "resume_task": "interrupted",
    "mistake_limit_reached": "halted",
    "api_req_failed": "failed",
    "auto_approval_max_req_reached": "exhausted",
}
#: What only Cline has: members of messages, and kinds.
_CLINE_MEMBERS = frozenset(("conversationHistoryIndex", "isCheckpointCheckedOut", "lastCheckpointHash"))
_CLINE_SAYS = ("task", "checkpoint_created", "task_progress")


class _Condensed(Struct, frozen=True):
    cost: Amount = None


class Shown(Struct, frozen=True, rename={"condensed": "contextCondense"}):
    """A message that was shown: something said, or a question."""

    ts: Any = None
    type: str | None = None
    say: str | None = None
    ask: str | None = None
    text: str | None = None
    partial: bool = False
    condensed: _Condensed = _Condensed()

    @property
    def is_whole(self) -> bool:
        """Whether it has what every such message has."""
        kind = self.say if self.type == _SAY else self.ask if self.type == _ASK else None
        return kind is not None and isinstance(self.ts, int | float)

    @property
    def kind(self) -> str:
        """What is said or asked."""
        return (self.ask if self.say is None else self.say) or ""


class _Told(Struct, frozen=True, rename="camel"):
    """What a message tells as JSON: a request, a call of a tool, a question."""

    request: str | None = None
    cost: Amount = None
    api_protocol: Any = None
    tokens_in: Amount = None
    tokens_out: Amount = None
    cache_writes: Amount = None
    cache_reads: Amount = None
    cancel_reason: str | None = None
    streaming_failed_message: str | None = None
    tool_name: str | None = None
    uri: str | None = None
    arguments: str | None = None
    path: str | None = None
    batch_diffs: tuple[_Diff, ...] = ()
    question: str | None = None
    response: str | None = None

    @property
    def tokens(self) -> int | None:
        """Those used; what came from a cache is not among the input of Anthropic and of no named service."""
        cached = () if self.api_protocol == "openai" else (self.cache_writes, self.cache_reads)
        return summed(self.tokens_in, self.tokens_out, *cached)

    @property
    def written(self) -> tuple[str, ...]:
        """The paths that a call of a tool that writes names."""
        return tuple(path for path in (self.path, *(diff.path for diff in self.batch_diffs)) if path)


class _Diff(Struct, frozen=True):
    path: str | None = None


def is_shown(value: object) -> bool:
    """Return whether a value is such messages."""
    return isinstance(value, list) and bool(value) and all(read_as(Shown, one).is_whole for one in value)


def is_clines(messages: Sequence[dict[str, Any]]) -> bool:
    """Return whether Cline wrote them, and not Roo."""
    return any(_CLINE_MEMBERS & one.keys() or one.get(_SAY) in _CLINE_SAYS for one in messages)


def turns_of(messages: Sequence[Shown]) -> tuple[Turn, ...]:
    """Return the turns: the task, then each message of the user's."""
    shown = _Turns()
    for number, message in enumerate(messages):
        shown.take(message, first=number == 0)
    shown.close()
    return tuple(shown.turns)


class _Turns:
    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._waiting: tuple[Turn, int] | None = None  # the call whose result does not exist yet
        self._outputs: list[str] = []
        self._failed = False

    def take(self, message: Shown, *, first: bool) -> None:
        kind, said = message.kind, message.type == _SAY
        text, at = message.text or "", instant(message.ts)
        if said and (kind == _FEEDBACK or (first and kind in _TASK)):
            self.turns.append(Turn(text, at))
            return
        if not self.turns:
            self.turns.append(Turn(None, at))
        turn = self.turns[-1]
        turn.seen(at)
        if kind == "api_req_started" and said:
            self._request(read_as(_Told, _object(text)), turn)
        elif kind in ("tool", "command", "use_mcp_server"):
            self._call(kind, text, turn, partial=message.partial)
        elif kind in ("command_output", "mcp_server_response") and text:
            self._outputs.append(text)
        elif kind == "error" and said:
            self._failed = self._waiting is not None
            self._outputs.append(text)
        elif kind == "api_req_failed":
            turn.fail(text, kind_of_status(leading_status(text)))
        elif kind == "condense_context":
            turn.add("cost", message.condensed.cost)
        else:
            _words(kind, text, turn, said=said)

    def _call(self, kind: str, text: str, turn: Turn, *, partial: bool) -> None:
        input = _object(text)
        told = read_as(_Told, input)
        if kind == "command":
            name, input = "execute_command", {"command": text}
        elif kind == "tool":
            name = str(input.pop("tool", ""))
        else:
            name = (told.uri if told.tool_name is None else told.tool_name) or kind
            input = _object(told.arguments) if told.arguments else input
        if name == _FINISH:
            return
        self.close()
        if kind == "tool" and name not in _WRITES:
            input.pop("content", None)
        writes = told.written if kind == "tool" and name in _WRITES and not partial else ()
        self._waiting = (turn, turn.call(name, input, writes=writes))
        if partial:  # a call that is still being written was never made
            turn.answer(self._waiting[1], "", error=True)

    def _request(self, told: _Told, turn: Turn) -> None:
        heading, mark, rest = (told.request or "").partition(_RESULT)
        result = rest.partition(_ENVIRONMENT)[0].strip() if mark and "\n" not in heading else ""
        self.close(result)
        turn.step()
        turn.add("cost", told.cost)
        turn.add("tokens", told.tokens)
        if told.cancel_reason is not None:
            turn.record["truncated"] = True
            turn.set("stop_reason", told.cancel_reason)
        error = told.streaming_failed_message
        if error is not None:
            turn.fail(error, kind_of_status(leading_status(error)))

    def close(self, result: str = "") -> None:
        """Give the call that waits what it gave back: as the model was told it, else as it was shown."""
        if self._waiting is not None:
            turn, at = self._waiting
            text = result or "\n".join(self._outputs)
            if turn.calls[at].result is None and (text or self._failed):
                turn.answer(at, text, error=True if self._failed else None)
        self._waiting, self._outputs, self._failed = None, [], False


def _words(kind: str, text: str, turn: Turn, *, said: bool) -> None:
    """Add what the agent says: to the user, as a claim, or as a question."""
    if said and kind in ("text", "completion_result"):
        turn.say(text)
    elif kind in ("followup", "plan_mode_respond"):
        told = read_as(_Told, _object(text))
        turn.say((told.response if told.question is None else told.question) or text)


def _object(text: str) -> dict[str, Any]:
    read = whole(text) if text[:1] == "{" else None
    return as_object(None if read is None else read.value)
