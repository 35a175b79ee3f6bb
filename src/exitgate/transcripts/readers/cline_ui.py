"""What Cline and Roo showed of a task: `ui_messages.json`, and the turns in it."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.json_text import whole
from exitgate.transcripts.readers.chat_errors import kind_of_status, leading_status
from exitgate.transcripts.readers.chat_turn import Turn
from exitgate.transcripts.values import number_at, object_at, objects_at, sum_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.values import Event

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
