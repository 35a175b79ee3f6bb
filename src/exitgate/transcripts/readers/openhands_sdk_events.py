"""Events of OpenHands' SDK, and the steps that they add up to."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.openhands_sdk_state import State
from exitgate.transcripts.recorded import TOOL
from exitgate.transcripts.steps import Step, Steps
from exitgate.transcripts.values import object_at, objects_at, text_at, texts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import End
    from exitgate.transcripts.values import Event

SOURCES = ("agent", "user", "environment", "hook", "system")
ACTION, MESSAGE = "ActionEvent", "MessageEvent"
OBSERVATION, ERROR, REJECT = "ObservationEvent", "AgentErrorEvent", "UserRejectObservation"
KINDS = frozenset(
    (
        ACTION, MESSAGE, OBSERVATION, ERROR, REJECT, "ConversationStateUpdateEvent", "ConversationErrorEvent",
        "SystemPromptEvent", "PauseEvent", "InterruptEvent", "Condensation", "CondensationRequest",
        "CondensationSummaryEvent", "LLMCompletionLogEvent", "TokenEvent", "HookExecutionEvent",
        "ACPToolCallEvent", "StreamingDeltaEvent",
    )
)  # fmt: skip
#: Ids by which an event that is written twice is known; memory is bounded, however long it continues.
_REMEMBERED = 50_000
#: Members of an action that are not what its tool was called with.
_ABOUT = ("kind", "security_risk", "summary")


class Taken:
    """
    Steps of the one run while its events are read: those of the model's last answer are still open.

    Args:
        file: Where the run is.
        wants: What of an iteration is wanted.
    """

    def __init__(self, file: str, wants: frozenset[str]) -> None:
        self.state = State()
        self._prompt: str | None = None
        self._numbers = Steps(file, wants)
        self._open: list[tuple[object, Step]] = []
        self._answer: str | None = None
        self._seen: dict[str, None] = {}
        self._ended_at: float | None = None

    def at(self, event: Event) -> float | None:
        """Return the instant of an event."""
        return instant(event.get("timestamp"))

    def take(self, event: Event, file: str, line: int) -> Iterator[RecordedIteration]:
        """Add what an event says; yield the iterations that are whole by then."""
        id = text_at(event, "id")
        if id is not None:
            if id in self._seen:
                return
            self._seen[id] = None
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]
        at = self.at(event)
        self._ended_at = at if at is not None else self._ended_at
        kind = event.get("kind")
        if kind == ACTION or (kind == MESSAGE and event.get("source") == "agent"):
            answer = text_at(event, "llm_response_id")
            if answer is None or answer != self._answer:
                yield from self.rest()
            self._answer = answer
            step = self._begin(event, file, line)
            _spoken(event, step)
            step.time(at)
            self.state.share(step)
        elif kind == MESSAGE and event.get("source") == "user":
            self._prompt = texts_in(object_at(event, "llm_message").get("content")) or self._prompt
        elif kind in (OBSERVATION, ERROR, REJECT):
            yield from self._answered(event, line, file, at)
        else:
            self.state.take(event)

    def rest(self) -> Iterator[RecordedIteration]:
        """Yield what is still open."""
        for _, step in self._open:
            yield self._numbers.recorded(step)
        self._open = []

    def end(self) -> End:
        """Return the end of the run."""
        return self.state.end(self._ended_at)

    def _begin(self, event: Event, file: str, line: int) -> Step:
        step = Step(line, self._prompt)
        self._numbers.file = file
        self._open.append((event.get("id"), step))
        return step

    def _answered(self, event: Event, line: int, file: str, at: float | None) -> Iterator[RecordedIteration]:
        """Add an observation to its action; one whose action does not exist is a step of its own."""
        call = text_at(event, "tool_call_id")
        step = next((s for id, s in self._open if id == event.get("action_id")), None) or next(
            (s for _, s in self._open if any(c.id == call and call is not None for c in s.calls)), None
        )
        if step is None:
            yield from self.rest()
            step = self._begin(event, file, line)
            step.spoken = False
            step.call(text_at(event, "tool_name") or "", None, call)
            self.state.share(step)
        step.last = max(step.last, line)
        step.time(at)
        _result(event, step, call)


def _spoken(event: Event, step: Step) -> None:
    """Add what the agent said and called."""
    message = object_at(event, "llm_message")
    step.say(
        texts_in(event.get("thought")) if event.get("kind") == ACTION else texts_in(message.get("content"))
    )
    if event.get("kind") != ACTION:
        return
    action = object_at(event, "action")
    kind = text_at(action, "kind")
    input = {n: v for n, v in action.items() if v is not None and n not in _ABOUT}
    final = text_at(action, "message") if kind == "FinishAction" else None
    if final is not None:
        step.say(final)
        step.response = final
        return
    if kind == "ThinkAction":
        return
    step.call(text_at(event, "tool_name") or kind or "", input, text_at(event, "tool_call_id"))
    listed = list(objects_at(action, "task_list"))
    if listed and action.get("command") != "view":
        step.todos = [(t, one.get("status") == "done") for one in listed if (t := text_at(one, "title"))]


def _result(event: Event, step: Step, call: str | None) -> None:
    kind = event.get("kind")
    if kind == ERROR:
        step.answer(text_at(event, "error") or "", call, is_error=True)
        step.error_kind = TOOL
        return
    if kind == REJECT:
        step.answer(text_at(event, "rejection_reason") or "", call, is_error=True)
        denied = next((c for c in step.calls if c.id == call), None)
        step.deny(denied.name if denied else text_at(event, "tool_name") or "", denied and denied.input)
        return
    told = object_at(event, "observation")
    if not step.calls:
        return  # of a tool that is not a tool: a thought, the end
    text = texts_in(told.get("content")) or text_at(told, "output", "text", "error") or ""
    failed = told.get("is_error")
    step.answer(text, call, is_error=failed if isinstance(failed, bool) else None, exit_status=_status(told))


def _status(told: Event) -> int | None:
    """Return the exit status of a command; -1 stands for one that still runs."""
    found = told.get("exit_code", object_at(told, "metadata").get("exit_code"))
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None
