"""
OpenHands' software agent SDK: events with a `kind`, as JSON lines, as one list, or as a folder of files.

An action of the agent with its observation is a step, a message of the agent one without. Costs and tokens
are reported as sums over the conversation; a step's are what was added to them by the time it was written.
Instants have no zone and are taken as UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import as_object, objects_of, texts_in
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, Whole, read_as, summed
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, TOOL, Begin, End, Part, Problem, RecordedIteration
from exitgate.recordings.probe import Probe, probe_of

ID = "openhands-sdk"
TITLE = "OpenHands SDK events: JSON lines, or a folder of event files"
GIVES = capabilities.CHAT | capabilities.USAGE | {capabilities.DENIALS}
FOLDER = True
_PREFIX, _SUFFIX = "event-", ".json"
#: Folders of this name say nothing about the conversation; the one above does.
_EVENTS = "events"


class _Tokens(Struct, frozen=True):
    prompt_tokens: Amount = None
    completion_tokens: Amount = None


class _Use(Struct, frozen=True):
    """What one use of the model has come to so far."""

    accumulated_token_usage: _Tokens = _Tokens()
    accumulated_cost: Amount = None


class _Stats(Struct, frozen=True):
    """What the conversation has used so far, by what for; versions name the member differently."""

    usage_to_metrics: dict[str, _Use] | None = None
    service_to_metrics: dict[str, _Use] = {}


class _State(Struct, frozen=True):
    execution_status: str | None = None
    agent_status: str | None = None
    stats: _Stats = _Stats()


class _Message(Struct, frozen=True):
    content: Any = None


class _Exit(Struct, frozen=True):
    exit_code: Any = None


class _Known(Struct, frozen=True):
    exit_code: Whole = None


class _Observation(Struct, frozen=True):
    """What a tool gave back."""

    content: Any = None
    output: str | None = None
    text: str | None = None
    error: str | None = None
    is_error: bool | None = None
    exit_code: Any = UNSET
    metadata: _Exit = _Exit()


class _Task(Struct, frozen=True):
    """A task of the agent's list."""

    title: str | None = None
    status: Any = None


class _Action(Struct, frozen=True):
    """What a tool is called with."""

    kind: str | None = None
    message: str | None = None
    command: Any = None
    task_list: tuple[_Task, ...] = ()


class _Event(Struct, frozen=True):
    """An event; those of each kind have some of these members."""

    kind: str | None = None
    id: str | None = None
    source: str | None = None
    timestamp: Any = None
    llm_response_id: str | None = None
    llm_message: _Message = _Message()
    thought: Any = None
    action: dict[str, Any] = {}
    action_id: Any = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    observation: _Observation = _Observation()
    error: str | None = None
    rejection_reason: str | None = None
    code: str | None = None
    detail: str | None = None
    key: Any = None
    value: Any = None


def fits(look: Probe) -> bool:
    """Return whether the file, its first lines, or the first of the folder's event files are such events."""
    if look.place.is_folder:
        return _fits_folder(look)
    value = look.value
    events = value if isinstance(value, list) else look.events or objects_of(value)
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


def _is_event(plain: object) -> bool:
    event = read_as(_Event, plain)
    return event.kind in KINDS and event.source in SOURCES and "id" in as_object(plain)


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
            yield Begin(id, STEP, place.path, instant(event.timestamp))
        yield from taken.take(event, file, line)
    if not begun:
        yield Begin(id, STEP, place.path)
    yield from taken.rest()
    yield taken.end()


def _events(place: Location) -> Iterator[tuple[_Event, str, int] | Problem]:
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


def _of(file: Location) -> Iterator[tuple[_Event, str, int] | Problem]:
    for found in documents(file):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        for one in value if isinstance(value, list) else (value,):
            event = read_as(_Event, one)
            if event.kind is not None:
                yield event, file.path, line
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
        self._open: list[tuple[str | None, Step]] = []
        self._answer: str | None = None
        self._seen: dict[str, None] = {}
        self._ended_at: float | None = None

    def take(self, event: _Event, file: str, line: int) -> Iterator[RecordedIteration]:
        """Add what an event says; yield the iterations that are whole by then."""
        if event.id is not None:
            if event.id in self._seen:
                return
            self._seen[event.id] = None
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]
        at, kind = instant(event.timestamp), event.kind
        self._ended_at = at if at is not None else self._ended_at
        if kind == ACTION or (kind == MESSAGE and event.source == "agent"):
            if event.llm_response_id is None or event.llm_response_id != self._answer:
                yield from self.rest()
            self._answer = event.llm_response_id
            step = self._begin(event, file, line)
            _spoken(event, step)
            step.time(at)
            self.state.share(step)
        elif kind == MESSAGE and event.source == "user":
            self._prompt = texts_in(event.llm_message.content) or self._prompt
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

    def _begin(self, event: _Event, file: str, line: int) -> Step:
        step = Step(line, self._prompt)
        self._numbers.file = file
        self._open.append((event.id, step))
        return step

    def _answered(self, event: _Event, line: int, file: str, at: float | None) -> Iterator[RecordedIteration]:
        """Add an observation to its action; one whose action does not exist is a step of its own."""
        call = event.tool_call_id
        step = next((s for id, s in self._open if id == event.action_id), None) or next(
            (s for _, s in self._open if any(c.id == call and call is not None for c in s.calls)), None
        )
        if step is None:
            yield from self.rest()
            step = self._begin(event, file, line)
            step.spoken = False
            step.call(event.tool_name or "", None, call)
            self.state.share(step)
        step.last = max(step.last, line)
        step.time(at)
        _result(event, step, call)


def _spoken(event: _Event, step: Step) -> None:
    """Add what the agent said and called."""
    step.say(texts_in(event.thought if event.kind == ACTION else event.llm_message.content))
    if event.kind != ACTION:
        return
    action = read_as(_Action, event.action)
    if action.kind == "FinishAction" and action.message is not None:
        step.say(action.message)
        step.response = action.message
        return
    if action.kind == "ThinkAction":
        return
    input = {n: v for n, v in event.action.items() if v is not None and n not in _ABOUT}
    step.call(event.tool_name or action.kind or "", input, event.tool_call_id)
    if action.task_list and action.command != "view":
        step.todos = [(one.title, one.status == "done") for one in action.task_list if one.title]


def _result(event: _Event, step: Step, call: str | None) -> None:
    if event.kind == ERROR:
        step.answer(event.error or "", call, is_error=True)
        step.error_kind = TOOL
        return
    if event.kind == REJECT:
        step.answer(event.rejection_reason or "", call, is_error=True)
        denied = next((c for c in step.calls if c.id == call), None)
        step.deny(denied.name if denied else event.tool_name or "", denied and denied.input)
        return
    if not step.calls:
        return  # of a tool that is not a tool: a thought, the end
    told = event.observation
    given = next((text for text in (told.output, told.text, told.error) if text is not None), "")
    status = told.metadata.exit_code if told.exit_code is UNSET else told.exit_code
    # -1 stands for a command that still runs.
    known = read_as(_Known, {"exit_code": status}).exit_code
    step.answer(texts_in(told.content) or given, call, is_error=told.is_error, exit_status=known)


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

    def take(self, event: _Event) -> None:
        """Add what an event says that is not a doing of the agent's."""
        if event.kind == "ConversationErrorEvent":
            self._error = (event.code or "", event.detail or "")
        elif event.kind in ("PauseEvent", "InterruptEvent"):
            self._status = "paused"
        elif event.kind == "ConversationStateUpdateEvent":
            if event.key in _STATUS and isinstance(event.value, str):
                self._status = event.value
            elif event.key == "stats":
                self._sums(read_as(_Stats, event.value))
            elif event.key == "full_state":
                state = read_as(_State, event.value)
                self._status = state.execution_status or state.agent_status or self._status
                self._sums(state.stats)

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

    def _sums(self, stats: _Stats) -> None:
        uses = stats.service_to_metrics if stats.usage_to_metrics is None else stats.usage_to_metrics
        spent = [use.accumulated_token_usage for use in uses.values()]
        tokens = summed(*(summed(one.prompt_tokens, one.completion_tokens) for one in spent))
        costs = [use.accumulated_cost for use in uses.values() if use.accumulated_cost is not None]
        self._tokens = tokens if tokens is not None else self._tokens
        self._cost = sum(costs, 0.0) if costs else self._cost
