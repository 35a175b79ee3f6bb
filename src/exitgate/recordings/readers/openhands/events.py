"""Events of OpenHands before its SDK, and the steps that they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.system.lenient import Amount, Whole, read_as, summed
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import TOOL, RecordedIteration

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


class Usage(Struct, frozen=True):
    """Tokens of the model."""

    prompt_tokens: Amount = None
    completion_tokens: Amount = None

    def tokens(self) -> int | None:
        """Return those used."""
        return summed(self.prompt_tokens, self.completion_tokens)


class Sums(Struct, frozen=True):
    """What a run has used so far; `costs` has each call of the model."""

    accumulated_cost: Amount = None
    accumulated_token_usage: Usage = Usage()
    costs: tuple[Any, ...] = ()


class _Task(Struct, frozen=True):
    """A task of the agent's list."""

    title: str | None = None
    status: Any = None


class _Outputs(Struct, frozen=True):
    content: str | None = None


class _Args(Struct, frozen=True):
    """What an action is made with: in `args`, or beside the action."""

    content: str | None = None
    thought: str | None = None
    final_thought: str | None = None
    command: Any = None
    code: str | None = None
    path: str | None = None
    outputs: _Outputs = _Outputs()
    wait_for_response: Any = None
    confirmation_state: Any = None
    is_confirmed: Any = None
    task_list: tuple[_Task, ...] = ()


class _Answer(Struct, frozen=True):
    """What the model's API gave back."""

    model: str | None = None
    usage: Usage = Usage()


class _Called(Struct, frozen=True):
    """The model's call that an action was made of."""

    function_name: str | None = None
    tool_call_id: str | None = None
    model_response: _Answer = _Answer()


class _Exit(Struct, frozen=True):
    exit_code: Any = UNSET


class _Extras(_Exit, frozen=True):
    """What an observation tells beside its text: in `extras`, or beside it."""

    agent_state: str | None = None
    metadata: _Exit = _Exit()


class _Known(Struct, frozen=True):
    exit_code: Whole = None


class _Event(_Args, frozen=True):
    """An action, or an observation."""

    kind: str | None = None
    id: str | int | None = None
    timestamp: Any = None
    source: str | None = None
    action: str | None = None
    observation: str | None = None
    message: str | None = None
    args: dict[str, Any] | None = None
    extras: dict[str, Any] = {}
    cause: str | int | None = None
    success: bool | None = None
    tool_call_metadata: _Called = _Called()
    llm_metrics: Sums = Sums()


def is_event(plain: dict[str, Any]) -> bool:
    """Return whether an object is an event: an action or an observation with what belongs to one."""
    event = read_as(_Event, plain)
    if event.kind is not None:
        return False
    if event.action is not None:
        texts = (event.thought, event.content, event.command, event.code)
        own = any(isinstance(text, str) for text in texts) and "role" not in plain
        return event.args is not None or own
    return event.observation is not None and "content" in plain and "response" not in plain


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
        self.state: str | None = None
        self.ended_at: float | None = None
        self._prompt: str | None = None
        self._delegated = False
        self._cost = 0.0
        self._tokens: int | None = None
        self._costs = costs
        self._numbers = Steps(file, wants)
        self._by_id: dict[object, Step] = {}
        self._seen: set[tuple[object, object]] = set()

    def iterations(self) -> Iterator[RecordedIteration]:
        """Yield the steps as iterations."""
        if self._costs is not None and len(self._costs) == len(self.steps):
            for step, cost in zip(self.steps, self._costs, strict=True):
                step.record.setdefault("cost", cost)
        for step in self.steps:
            yield self._numbers.recorded(step)

    def take(self, plain: dict[str, Any]) -> None:
        """Add what an event says; one that was there before says nothing."""
        event = read_as(_Event, plain)
        key = (event.id, event.timestamp)
        if event.id is not None and isinstance(event.timestamp, str):
            if key in self._seen:
                return
            self._seen.add(key)
        at = instant(event.timestamp)
        self.ended_at = at if at is not None else self.ended_at
        if event.observation is not None:
            self._observation(event, read_as(_Extras, event.extras or plain), at)
        else:
            self._action(event, event.args or plain, at)

    def _action(self, event: _Event, input: dict[str, Any], at: float | None) -> None:
        kind, args = event.action or "", read_as(_Args, input)
        if not self._is_own(event, kind, args):
            if kind == _MESSAGE:
                self._prompt = args.content or event.message or self._prompt
            return
        if self._delegated:
            self._used(event, self.steps[-1])
            self.steps[-1].call(kind, _input(input, args), own=False)
            return
        step = Step(self.line, self._prompt)
        self.steps.append(step)
        if event.id is not None:
            self._by_id[event.id] = step
        step.time(at)
        self._used(event, step)
        said = args.content if kind == _MESSAGE else args.thought
        step.say(said)
        if kind == _FINISH:
            final = args.final_thought or args.outputs.content
            step.response = final or said or ""
            if final is not None and final != said:
                step.say(final)
        elif kind != _MESSAGE:
            _call(step, event.tool_call_metadata, kind, _input(input, args), args)
            self._delegated = kind == _DELEGATE

    def _is_own(self, event: _Event, kind: str, args: _Args) -> bool:
        """Return whether an action is the agent's; without sources it shows in who waits for an answer."""
        if kind in _NOT_OWN:
            return False
        if event.source is not None:
            return event.source == "agent"
        return kind != _MESSAGE or (args.wait_for_response is True and self._prompt is not None)

    def _observation(self, event: _Event, extras: _Extras, at: float | None) -> None:
        kind = event.observation
        if kind == _STATE:
            self.state = extras.agent_state or self.state
            return
        if kind == _DELEGATE:
            self._delegated = False
        step = self._by_id.get(event.cause) or (self.steps[-1] if self.steps else None)
        own = kind not in _NOT_OWN and event.source in (None, "agent", "environment")
        if step is None or not own or (self._delegated and event.cause is not None):
            return
        text = event.content or ""
        step.time(at)
        if kind == _THINK:
            return
        step.answer(text, is_error=_failed(event, text), exit_status=_exit_status(extras))
        if kind == _ERROR:
            step.error_kind = TOOL
        if kind == _REJECTED and step.calls:
            step.deny(step.calls[-1].name, step.calls[-1].input)

    def _used(self, event: _Event, step: Step) -> None:
        """Give the step its share of the sums that events carry, or what its own answer says."""
        sums, answer = event.llm_metrics, event.tool_call_metadata.model_response
        used = sums.accumulated_token_usage.tokens()
        if used is not None:
            step.add("tokens", max(0, used - (self._tokens or 0)))
            self._tokens = used
        else:
            step.add("tokens", answer.usage.tokens())
        if sums.accumulated_cost:
            step.add("cost", max(0.0, sums.accumulated_cost - self._cost))
            self._cost = float(sums.accumulated_cost)
        step.set("model", answer.model)


def _call(step: Step, called: _Called, kind: str, input: dict[str, Any], args: _Args) -> None:
    name = called.function_name or kind
    step.call(name, input, called.tool_call_id)
    if "rejected" in (args.confirmation_state, args.is_confirmed):
        step.deny(name, input)
    if args.task_list and args.command != "view":
        step.todos = [(one.title, one.status == "done") for one in args.task_list if one.title]


def _input(input: dict[str, Any], args: _Args) -> dict[str, object]:
    edits = args.command is not None and args.path is not None
    return {
        name: value
        for name, value in input.items()
        if value is not None and name not in _ABOUT and not (edits and name in _DEFAULTS)
    }


def _failed(event: _Event, text: str) -> bool | None:
    if event.observation in (_ERROR, _REJECTED):
        return True
    if event.observation == "edit" and text.startswith("ERROR:"):  # the editor's own mark
        return True
    return None if event.success is None else not event.success


def _exit_status(extras: _Extras) -> int | None:
    """Return the exit status of a command; OpenHands writes -1 for one that still runs."""
    inner = extras.metadata.exit_code
    return read_as(_Known, {"exit_code": extras.exit_code if inner is UNSET else inner}).exit_code
