"""Events of OpenHands before its SDK, and the steps that they add up to."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.recorded import TOOL
from exitgate.transcripts.steps import Step, Steps
from exitgate.transcripts.values import number_at, object_at, objects_at, sum_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.values import Event

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
