"""The folder of a task that Cline and Roo keep, or one file of it, as a run."""

from __future__ import annotations

from exitgate.core.envelopes.json_text import whole
from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at
from exitgate.core.envelopes.plain import JSON
from exitgate.recordings.formats.errors import kind_of_status, leading_status
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import cannot_open
from exitgate.recordings.model import TURN, Begin, End, Problem
from exitgate.recordings.probe import probe_of
from exitgate.recordings.readers.cline import history as history_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.turns import Turn
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


SHOWN, HISTORY = "ui_messages.json", "api_conversation_history.json"
_BESIDE = frozenset(("task_metadata.json", "history_item.json", "context_history.json"))


def is_task(look: Probe) -> bool:
    """Return whether the folder is a task's."""
    return look.place.is_folder and bool({SHOWN, HISTORY} & set(look.names))


def claimed(look: Probe) -> frozenset[str]:
    """Return the names of a task's files in its folder."""
    return (frozenset((SHOWN, HISTORY)) | _BESIDE) & frozenset(look.names) if is_task(look) else frozenset()


def shown_in(look: Probe) -> Sequence[Event] | None:
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
    messages = _messages(value)
    shown = is_shown(messages)
    turns = turns_of(messages) if shown else history_module.turns_of(messages)
    if not messages:
        yield Problem(place.path, "it has no messages")
    elif shown and history is not None:
        _join(turns, history_module.steps_of(_messages(history)))
    yield Begin(id if id != "." else name_of(place), TURN, place.path, turns[0].started_at if turns else None)
    chat = Chat(place.path, JSON, wants)
    for turn in turns:
        yield chat.concluded(turn)
    how, why = how_ended(messages) if shown else (None, "")
    yield End(how, why, instant(messages[-1].get("ts")) if messages else None)


def _messages(value: object) -> list[Event]:
    """Return the messages in a value; what is none of either kind is left out."""
    found: list[Event] = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    shown = [one for one in found if is_shown([one])]
    return shown or [one for one in found if "role" in one and "content" in one]


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


def is_shown(value: object) -> bool:
    """Return whether a value is such messages."""
    return isinstance(value, list) and bool(value) and all(_is_message(one) for one in value)


def _is_message(one: object) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("ts"), int | float):
        return False
    kind = one.get("type")
    return kind in (_SAY, _ASK) and isinstance(one.get(str(kind)), str)


def is_clines(messages: Sequence[Event]) -> bool:
    """Return whether Cline wrote them, and not Roo."""
    return any(_CLINE_MEMBERS & one.keys() or one.get(_SAY) in _CLINE_SAYS for one in messages)


def how_ended(messages: Sequence[Event]) -> tuple[str | None, str]:
    """Return how the run ended by the last question to the user, and that question's kind."""
    asked = text_at(messages[-1], _ASK) if messages else None
    how = ENDS.get(asked or "")
    return how, asked or "" if how else ""


def turns_of(messages: Sequence[Event]) -> tuple[Turn, ...]:
    """Return the turns: the task, then each message of the user's."""
    shown = _Shown()
    for number, message in enumerate(messages):
        shown.take(message, first=number == 0)
    shown.close()
    return tuple(shown.turns)


class _Shown:
    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._waiting: tuple[Turn, int] | None = None  # the call whose result does not exist yet
        self._outputs: list[str] = []
        self._failed = False

    def take(self, message: Event, *, first: bool) -> None:
        kind = text_at(message, _SAY, _ASK) or ""
        said = message.get("type") == _SAY
        text, at = text_at(message, "text") or "", instant(message.get("ts"))
        if said and (kind == _FEEDBACK or (first and kind in _TASK)):
            self.turns.append(Turn(text, at))
            return
        if not self.turns:
            self.turns.append(Turn(None, at))
        turn = self.turns[-1]
        turn.seen(at)
        if kind == "api_req_started" and said:
            self._request(_object(text), turn)
        elif kind in ("tool", "command", "use_mcp_server"):
            self._call(kind, text, turn, partial=message.get("partial") is True)
        elif kind in ("command_output", "mcp_server_response") and text:
            self._outputs.append(text)
        elif kind == "error" and said:
            self._failed = self._waiting is not None
            self._outputs.append(text)
        elif kind == "api_req_failed":
            turn.fail(text, kind_of_status(leading_status(text)))
        elif kind == "condense_context":
            turn.add("cost", number_at(object_at(message, "contextCondense"), "cost"))
        else:
            _words(kind, text, turn, said=said)

    def _call(self, kind: str, text: str, turn: Turn, *, partial: bool) -> None:
        told = _object(text)
        name, input = kind, dict(told)
        if kind == "command":
            name, input = "execute_command", {"command": text}
        elif kind == "tool":
            name = str(input.pop("tool", ""))
        else:
            name = text_at(told, "toolName", "uri") or kind
            asked = text_at(told, "arguments")
            input = dict(_object(asked)) if asked else dict(told)
        if name == _FINISH:
            return
        self.close()
        if kind == "tool" and name not in _WRITES:
            input.pop("content", None)
        writes = _written(told) if kind == "tool" and name in _WRITES and not partial else ()
        self._waiting = (turn, turn.call(name, input, writes=writes))
        if partial:  # a call that is still being written was never made
            turn.answer(self._waiting[1], "", error=True)

    def _request(self, told: Event, turn: Turn) -> None:
        request = text_at(told, "request") or ""
        heading, mark, rest = request.partition(_RESULT)
        result = rest.partition(_ENVIRONMENT)[0].strip() if mark and "\n" not in heading else ""
        self.close(result)
        turn.step()
        turn.add("cost", number_at(told, "cost"))
        # What came from a cache is among the input, but where the service is Anthropic's or not named.
        cached = () if told.get("apiProtocol") == "openai" else ("cacheWrites", "cacheReads")
        turn.add("tokens", sum_at(told, "tokensIn", "tokensOut", *cached))
        reason, error = text_at(told, "cancelReason"), text_at(told, "streamingFailedMessage")
        if reason is not None:
            turn.record["truncated"] = True
            turn.set("stop_reason", reason)
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


def _written(told: Event) -> tuple[str, ...]:
    """Return the paths that a call of a tool that writes names."""
    one = text_at(told, "path")
    several = (text_at(diff, "path") for diff in objects_at(told, "batchDiffs"))
    return tuple(path for path in (one, *several) if path)


def _words(kind: str, text: str, turn: Turn, *, said: bool) -> None:
    """Add what the agent says: to the user, as a claim, or as a question."""
    if said and kind in ("text", "completion_result"):
        turn.say(text)
    elif kind in ("followup", "plan_mode_respond"):
        turn.say(text_at(_object(text), "question", "response") or text)


def _object(text: str) -> Event:
    read = whole(text) if text[:1] == "{" else None
    return read.value if read is not None and isinstance(read.value, dict) else {}
