"""
OpenHands before its SDK: a list of events, or rows of `output.jsonl` with the events under `history`.

Every row is a run, an action of the agent with what came of it a step. In the oldest rows the history is a
list of pairs of action and observation; rows of the issue resolver have events without ids. Instants have no
zone and are taken as UTC. An accumulated cost of 0 with tokens used is a price that OpenHands did not know.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at
from exitgate.core.model import capabilities
from exitgate.core.model.display import counted
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import STEP, TOOL, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part, RecordedIteration
    from exitgate.recordings.probe import Probe


ID = "openhands"
TITLE = "OpenHands events: trajectories, `output.jsonl`, rows of the resolver"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS, capabilities.DENIALS,
    )
)  # fmt: skip
_SEEN = 8
#: Members of rows beside the history; a row whose history begins behind the first look is known from two.
_ROW = ("instance_id", "test_result", "instruction", "metadata", "metrics", "git_patch", "issue_type")


def fits(look: Probe) -> bool:
    """Return whether the file is a list of events, or begins with a row that has some."""
    value = look.value
    if value is None and look.events:
        value = look.events[0]
    if isinstance(value, list):
        return _all_events(value)
    if not isinstance(value, dict):
        return False
    history = value.get("history")
    if isinstance(history, list) and history:
        return _all_events(history)
    if isinstance(history, list) or not look.whole:
        agent = text_at(object_at(value, "metadata"), "agent_class") is not None
        return agent and sum(name in value for name in _ROW) > 1
    return False


def _all_events(history: Sequence[object]) -> bool:
    """Return whether the first things in a history are events, or pairs of such."""
    events = list(_flat(history[:_SEEN]))
    return bool(events) and len(events) >= min(len(history), _SEEN) and all(map(is_event, events))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield one run for each row. Raises OSError when it cannot be read."""
    seen: dict[str, int] = {}
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        row: Event = value if isinstance(value, dict) else {"history": value}
        history = row.get("history")
        if not isinstance(history, list):
            yield Problem(place.path, "no `history` of events; skipped", line)
            continue
        yield from _run(place, row, history, line, _unique(_id(row, place), seen), wants)


def _run(
    place: Location, row: Event, history: list[object], line: int, id: str, wants: frozenset[str]
) -> Iterator[Part]:
    events = [event for event in _flat(history) if is_event(event)]
    odd = sum(1 for _ in _flat(history)) - len(events)
    if odd:
        one, many = "entry of the history is not an event", "entries of the history are not events"
        yield Problem(place.path, f"{counted(odd, one, many)}; skipped", line)
    taken = Taken(place.path, line, wants, _costs(row))
    began = next((at for event in events if (at := taken.at(event)) is not None), None)
    yield Begin(id, STEP, place.path, began, title=_title(row))
    for event in events:
        take(event, taken)
    yield from taken.iterations()
    yield end_of(row, events, taken)


def _flat(history: Sequence[object]) -> Iterator[Event]:
    """Yield the events of a history, those of pairs one after the other."""
    for entry in history:
        if isinstance(entry, dict):
            yield entry
        elif isinstance(entry, list):
            yield from (event for event in entry if isinstance(event, dict))


def _id(row: Event, place: Location) -> str:
    """Return what a row is called: its instance, the issue it is about, or the name of the file."""
    issue = object_at(row, "issue")
    number = number_at(issue, "number")
    if number is not None and text_at(issue, "repo") is not None:
        return f"{text_at(issue, 'owner') or ''}/{text_at(issue, 'repo')}#{number:g}"
    named = row.get("instance_id", row.get("id"))
    return str(named) if isinstance(named, str | int) else place.name.partition(".")[0]


def _unique(id: str, seen: dict[str, int]) -> str:
    seen[id] = seen.get(id, 0) + 1
    return id if seen[id] == 1 else f"{id}#{seen[id]}"


def _title(row: Event) -> str:
    return (text_at(object_at(row, "issue"), "title") or "")[:80]


def _costs(row: Event) -> list[float] | None:
    """Return what each call of the model cost, where the row lists it."""
    costs = object_at(row, "metrics").get("costs")
    if not isinstance(costs, list) or not costs:
        return None
    found = [number_at({"cost": object_at({"c": c}, "c").get("cost", c)}, "cost") for c in costs]
    return [float(cost) for cost in found if cost is not None] if None not in found else None


# Events of OpenHands before its SDK, and the steps that they add up to.

#: Actions that are not the agent's own, no matter what source is given.
_NOT_OWN = ("system", "recall", "change_agent_state", "condensation", "condensation_request", "null",
            "loop_recovery", "start", "pause", "resume", "stop")  # fmt: skip
_MESSAGE, _FINISH, _DELEGATE, _THINK = "message", "finish", "delegate", "think"
#: Members of an action that are not what its tool was called with.
_ABOUT = ("action", "thought", "id", "timestamp", "source", "message", "is_confirmed", "confirmation_state",
          "security_risk", "kernel_init_code", "keep_prompt", "wait_for_response", "image_urls",
          "images_urls", "impl_source", "hidden", "blocking")  # fmt: skip
#: Members that an editor's command does not use: they are there with their defaults.
_DEFAULTS = ("content", "start", "end")
_ERROR, _REJECTED, _STATE = "error", "user_rejected", "agent_state_changed"
_COUNTS = ("prompt_tokens", "completion_tokens")


def is_event(event: Event) -> bool:
    """Return whether an object is an event: an action or an observation with what belongs to one."""
    if isinstance(event.get("kind"), str):
        return False
    if isinstance(event.get("action"), str):
        own = text_at(event, "thought", "content", "command", "code") is not None
        return isinstance(event.get("args"), dict) or (own and "role" not in event)
    return isinstance(event.get("observation"), str) and "content" in event and "response" not in event


class Taken:
    """
    Steps of one run while its events are read.

    Args:
        file: Where they are.
        line: Number of the row.
        wants: What of an iteration is wanted.
        costs: USD of each call of the model, where the row lists them.
    """

    def __init__(self, file: str, line: int, wants: frozenset[str], costs: list[float] | None) -> None:
        self.line = line
        self.steps: list[Step] = []
        self.prompt: str | None = None
        self.state: str | None = None
        self.delegated = False
        self.ended_at: float | None = None
        self.cost = 0.0
        self.tokens: int | None = None
        self.costs = costs
        self._numbers = Steps(file, wants)
        self._by_id: dict[object, Step] = {}
        self._seen: set[tuple[object, object]] = set()

    def at(self, event: Event) -> float | None:
        """Return the instant of an event."""
        return instant(event.get("timestamp"))

    def step(self, event: Event) -> Step:
        """Begin the next step."""
        step = Step(self.line, self.prompt)
        self.steps.append(step)
        if event.get("id") is not None:
            self._by_id[event["id"]] = step
        return step

    def of(self, cause: object) -> Step | None:
        """Return the step that an event came of: the one of that id, else the last."""
        known = self._by_id.get(cause) if isinstance(cause, str | int) else None
        return known or (self.steps[-1] if self.steps else None)

    def repeated(self, event: Event) -> bool:
        """Return whether the same event was there before."""
        key = (event.get("id"), event.get("timestamp"))
        if not isinstance(key[0], str | int) or not isinstance(key[1], str):
            return False
        known = key in self._seen
        self._seen.add(key)
        return known

    def iterations(self) -> Iterator[RecordedIteration]:
        """Yield the steps as iterations."""
        if self.costs is not None and len(self.costs) == len(self.steps):
            for step, cost in zip(self.steps, self.costs, strict=True):
                step.record.setdefault("cost", cost)
        for step in self.steps:
            yield self._numbers.recorded(step)


def take(event: Event, into: Taken) -> None:
    """Add what an event says."""
    if into.repeated(event):
        return
    at = into.at(event)
    into.ended_at = at if at is not None else into.ended_at
    if isinstance(event.get("observation"), str):
        _observation(event, into, at)
    else:
        _action(event, into, at)


def _action(event: Event, into: Taken, at: float | None) -> None:
    kind = str(event.get("action"))
    args = object_at(event, "args") or event
    own = _is_own(event, kind, args, into)
    if kind == _MESSAGE and not own:
        into.prompt = text_at(args, "content") or text_at(event, "message") or into.prompt
    if not own:
        return
    if into.delegated:
        _usage(event, into, into.steps[-1])
        into.steps[-1].call(kind, _input(args), own=False)
        return
    step = into.step(event)
    step.time(at)
    _usage(event, into, step)
    said = text_at(args, "content") if kind == _MESSAGE else text_at(args, "thought")
    if kind == _FINISH:
        step.say(said)
        final = text_at(args, "final_thought") or text_at(object_at(args, "outputs"), "content")
        step.response = final or said or ""
        if final is not None and final != said:
            step.say(final)
        return
    step.say(said)
    if kind != _MESSAGE:
        _call(step, event, kind, args)
        into.delegated = kind == _DELEGATE


def _is_own(event: Event, kind: str, args: Event, into: Taken) -> bool:
    """Return whether an action is the agent's. Rows without sources tell it by who waits for an answer."""
    if kind in _NOT_OWN:
        return False
    source = text_at(event, "source")
    if source is not None:
        return source == "agent"
    return kind != _MESSAGE or (args.get("wait_for_response") is True and into.prompt is not None)


def _call(step: Step, event: Event, kind: str, args: Event) -> None:
    told = object_at(event, "tool_call_metadata")
    name = text_at(told, "function_name") or kind
    input = _input(args)
    step.call(name, input, text_at(told, "tool_call_id"))
    if "rejected" in (args.get("confirmation_state"), args.get("is_confirmed")):
        step.deny(name, input)
    listed = list(objects_at(args, "task_list"))
    if listed and args.get("command") != "view":
        step.todos = [
            (title, item.get("status") == "done") for item in listed if (title := text_at(item, "title"))
        ]


def _input(args: Event) -> dict[str, object]:
    edits = args.get("command") is not None and text_at(args, "path") is not None
    return {
        name: value
        for name, value in args.items()
        if value is not None and name not in _ABOUT and not (edits and name in _DEFAULTS)
    }


def _observation(event: Event, into: Taken, at: float | None) -> None:
    kind = event["observation"]
    extras = object_at(event, "extras") or event
    if kind == _STATE:
        into.state = text_at(extras, "agent_state") or into.state
        return
    if kind == _DELEGATE:
        into.delegated = False
    step = into.of(event.get("cause"))
    own = kind not in _NOT_OWN and text_at(event, "source") in (None, "agent", "environment")
    if step is None or not own or (into.delegated and event.get("cause") is not None):
        return
    text = text_at(event, "content") or ""
    error = _failed(event, str(kind), text)
    step.time(at)
    if kind == _THINK:
        return
    step.answer(text, is_error=error, exit_status=_exit_status(extras))
    if kind == _ERROR:
        step.error_kind = TOOL
    if kind == _REJECTED and step.calls:
        step.deny(step.calls[-1].name, step.calls[-1].input)


def _failed(event: Event, kind: str, text: str) -> bool | None:
    if kind in (_ERROR, _REJECTED):
        return True
    if kind == "edit" and text.startswith("ERROR:"):  # the editor's own mark
        return True
    success = event.get("success")
    return not success if isinstance(success, bool) else None


def _exit_status(extras: Event) -> int | None:
    """Return the exit status of a command; OpenHands writes -1 for one that still runs."""
    found = object_at(extras, "metadata").get("exit_code", extras.get("exit_code"))
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _usage(event: Event, into: Taken, step: Step) -> None:
    """Give the step its share of the sums that events carry, or what its own answer says."""
    sums = object_at(event, "llm_metrics")
    used = sum_at(object_at(sums, "accumulated_token_usage"), *_COUNTS)
    if used is not None:
        step.add("tokens", max(0, used - (into.tokens or 0)))
        into.tokens = used
    else:
        answer = object_at(object_at(event, "tool_call_metadata"), "model_response")
        step.add("tokens", sum_at(object_at(answer, "usage"), *_COUNTS))
    cost = number_at(sums, "accumulated_cost")
    if cost:
        step.add("cost", max(0.0, cost - into.cost))
        into.cost = float(cost)
    answer = object_at(object_at(event, "tool_call_metadata"), "model_response")
    step.set("model", text_at(answer, "model"))


# How a run of OpenHands before its SDK ended, by what the recorder says.

#: State of the agent, as its controller names it -> class.
_STATES = {
    "finished": "complete",
    "rejected": None,
    "error": "failed",
    "stopped": "interrupted",
    "paused": "interrupted",
    "user_rejected": "interrupted",
    "awaiting_user_input": "blocked",
    "awaiting_user_confirmation": "blocked",
    "rate_limited": "wait",
}
#: Words of the controller's own errors -> class; every other error is `failed`.
_ERRORS = (
    ("AgentStuckInLoopError", "stuck"),
    ("reached maximum iteration", "exhausted"),
    ("reached maximum budget", "exhausted"),
)
_LONGEST = 120


def end_of(row: Event, events: Sequence[Event], taken: Taken) -> End:
    """
    Return the end of a run: by the row's error, the resolver's verdict, the last state.

    `complete` is the controller's word: the run was handed in. Whether its task is solved is unknown.
    """
    how, why = _how(row, events, taken)
    metrics = object_at(row, "metrics")
    told = any("cost" in step.record for step in taken.steps)
    used = any("tokens" in step.record for step in taken.steps)
    return End(
        how,
        why[:_LONGEST],
        taken.ended_at,
        None if told else (number_at(metrics, "accumulated_cost") or None),
        None if used else _tokens(metrics),
    )


def _how(row: Event, events: Sequence[Event], taken: Taken) -> tuple[str | None, str]:
    error = text_at(row, "error")
    if error:
        first = error.strip().split("\n", 1)[0]
        return next((how for mark, how in _ERRORS if mark in error), "failed"), first
    if row.get("success") is True:
        return "complete", "success"
    if row.get("success") is False:
        return None, "no success"
    if taken.state is not None:
        return _STATES.get(taken.state), taken.state
    last = next((event for event in reversed(events) if event.get("observation") != "null"), {})
    if last.get("action") == "finish":
        return None, "finish"  # what the agent claims; nothing says that the run was over
    return None, ""


def _tokens(metrics: Event) -> int | None:
    usage = object_at(metrics, "accumulated_token_usage")
    return sum_at(usage, "prompt_tokens", "completion_tokens")
