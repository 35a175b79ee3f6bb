"""
OpenHands' software agent SDK: events with a `kind`, as JSON lines, as one list, or as a folder of files.

An action of the agent with its observation is a step, a message of the agent one without. Costs and tokens
are reported as sums over the conversation; a step's are what was added to them by the time it was written.
Instants have no zone and are taken as UTC.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at, texts_in
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import STEP, TOOL, Begin, End, Problem
from exitgate.recordings.probe import probe_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.steps import Step
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import End, Part, RecordedIteration
    from exitgate.recordings.probe import Probe


ID = "openhands-sdk"
TITLE = "OpenHands SDK events: JSON lines, or a folder of event files"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.FILES, capabilities.TASK, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS, capabilities.DENIALS,
    )
)  # fmt: skip
FOLDER = True
_PREFIX, _SUFFIX = "event-", ".json"
#: Folders of this name say nothing about the conversation; the one above does.
_EVENTS = "events"


def fits(look: Probe) -> bool:
    """Return whether the file, its first lines, or the first of the folder's event files are such events."""
    if look.place.is_folder:
        return _fits_folder(look)
    value = look.value
    if isinstance(value, list):
        return bool(value) and all(map(_is_event, value[:8]))
    events = look.events or ((value,) if isinstance(value, dict) else ())
    return bool(events) and all(map(_is_event, events[:8]))


def _fits_folder(look: Probe) -> bool:
    mine = sorted(claims(look))
    if not mine:
        return False
    try:
        first = probe_of(look.place.at(mine[0]))
    except OSError:
        return False
    return _is_event(first.value)


def claims(look: Probe) -> frozenset[str]:
    """Return the event files of the folder."""
    return frozenset(n for n in look.names if n.startswith(_PREFIX) and n.endswith(_SUFFIX))


def _is_event(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    kind = text_at(value, "kind")
    return kind in KINDS and text_at(value, "source") in SOURCES and "id" in value


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    name = place.name if place.name != _EVENTS else place.parent().name
    id = (name if place.is_folder else name.partition(".")[0]) or _EVENTS
    taken = Taken(place.path, wants)
    begun = False
    for found in _events(place):
        if isinstance(found, Problem):
            yield found
            continue
        event, file, line = found
        if not begun:
            begun = True
            yield Begin(id, STEP, place.path, taken.at(event))
        yield from taken.take(event, file, line)
    if not begun:
        yield Begin(id, STEP, place.path)
    yield from taken.rest()
    yield taken.end()


def _events(place: Location) -> Iterator[tuple[Event, str, int] | Problem]:
    """Yield the events in order, each with its file and line."""
    files: tuple[Location, ...] = (place,)
    if place.is_folder:
        files = tuple(place.at(name) for name in sorted(claims(probe_of(place)), key=_order))
    for file in files:
        try:
            yield from _of(file)
        except OSError as error:
            if not place.is_folder:
                raise
            yield Problem(file.path, error.strerror or str(error))


def _of(file: Location) -> Iterator[tuple[Event, str, int] | Problem]:
    for found in documents(file):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and text_at(one, "kind") is not None:
                yield one, file.path, line
            else:
                yield Problem(file.path, "not an event; skipped", line)


def _order(name: str) -> tuple[int, str]:
    """Return what event files are ordered by: the number in the name, `event-00012-….json`."""
    number = name.removeprefix(_PREFIX).partition("-")[0].removesuffix(_SUFFIX)
    return (int(number) if number.isascii() and number.isdigit() and len(number) < 18 else 0, name)


# Events of OpenHands' SDK, and the steps that they add up to.

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


# State of a conversation in OpenHands' SDK: what it has cost so far, and how it ended.

#: Status of the conversation -> class. Idle and running ones go on.
_ENDS = {
    "finished": "complete",
    "error": "failed",
    "stuck": "stuck",
    "paused": "interrupted",
    "waiting_for_confirmation": "blocked",
}
_STATUS = ("execution_status", "agent_status")
#: Code of the error for a conversation that reached its limit of iterations.
_LIMITS = ("MaxIterationsReached", "MaxBudgetReached")
_LONGEST = 120


class State:
    """The state according to the events so far."""

    def __init__(self) -> None:
        self._status: str | None = None
        self._error: tuple[str, str] | None = None
        self._cost: float | None = None
        self._tokens: int | None = None
        self._cost_given = 0.0
        self._tokens_given = 0
        self._last: Step | None = None

    def take(self, event: Event) -> None:
        """Add what an event says that is not a doing of the agent's."""
        kind = event.get("kind")
        if kind == "ConversationErrorEvent":
            self._error = (text_at(event, "code") or "", text_at(event, "detail") or "")
        elif kind in ("PauseEvent", "InterruptEvent"):
            self._status = "paused"
        elif kind == "ConversationStateUpdateEvent":
            key, value = event.get("key"), event.get("value")
            told = value if isinstance(value, dict) else {}
            if key in _STATUS and isinstance(value, str):
                self._status = value
            elif key == "stats":
                self._sums(told)
            elif key == "full_state":
                self._status = text_at(told, *_STATUS) or self._status
                self._sums(object_at(told, "stats"))

    def share(self, step: Step) -> None:
        """Give a step what was used up since the step before it."""
        self._last = step
        if self._tokens is not None:
            step.add("tokens", max(0, self._tokens - self._tokens_given))
            self._tokens_given = max(self._tokens, self._tokens_given)
        if self._cost:
            step.add("cost", max(0.0, self._cost - self._cost_given))
            self._cost_given = max(self._cost, self._cost_given)

    def end(self, ended_at: float | None) -> End:
        """Return the end. What was used up behind the last step is reported as the sum of the run."""
        late_cost = self._cost if self._cost and self._cost > self._cost_given else None
        late_tokens = self._tokens if self._tokens and self._tokens > self._tokens_given else None
        how = _ENDS.get(self._status or "")
        why = self._status or ""
        if self._error is not None and how in (None, "failed"):
            code, detail = self._error
            how = "exhausted" if code in _LIMITS else "failed"
            why = f"{code}: {detail}" if detail else code
        return End(how, why[:_LONGEST], ended_at, late_cost, late_tokens)

    def _sums(self, stats: Event) -> None:
        uses = object_at(stats, "usage_to_metrics", "service_to_metrics")
        tokens: int | None = None
        cost: float | None = None
        for name in uses:
            use = object_at(uses, name)
            used = sum_at(object_at(use, "accumulated_token_usage"), "prompt_tokens", "completion_tokens")
            tokens = tokens if used is None else used + (tokens or 0)
            spent = number_at(use, "accumulated_cost")
            cost = cost if spent is None else spent + (cost or 0.0)
        self._tokens = tokens if tokens is not None else self._tokens
        self._cost = cost if cost is not None else self._cost
