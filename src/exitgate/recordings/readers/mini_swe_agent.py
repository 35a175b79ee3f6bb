"""
mini-swe-agent: a `.traj.json` file with a step for each message of the model.

Newer files list the commands of a message with their results under `extra`; in older ones the command is the
fenced block of the message, and the message of the user behind it says what came of it, with a
`<returncode>` mark. The end is the recorder's `exit_status`, the name of what ended the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import as_object, object_at, objects_at, texts_in
from exitgate.core.model import capabilities
from exitgate.core.model.json_object import whole_of
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, Begin, End, Part, Problem, RecordedIteration
from exitgate.recordings.probe import Probe

ID = "mini-swe-agent"
TITLE = "mini-swe-agent trajectories, `.traj.json`"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.FILES, capabilities.TASK, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.COST, capabilities.TOKENS,
    )
)  # fmt: skip
_FORMAT = "mini-swe-agent"
#: Names of what ended a run -> class. Any other name is an exception of the model or the environment.
_ENDS = {
    "Submitted": "complete",
    "LimitsExceeded": "exhausted",
    "TimeExceeded": "exhausted",
    "ContextWindowExceededError": "exhausted",
    "UserInterruption": "interrupted",
    "KeyboardInterrupt": "interrupted",
}
_LONGEST = 120


class _Usage(Struct, frozen=True):
    prompt_tokens: Amount = None
    completion_tokens: Amount = None
    input_tokens: Amount = None
    output_tokens: Amount = None

    def tokens(self) -> int | None:
        chat = summed(self.prompt_tokens, self.completion_tokens)
        return chat if chat is not None else summed(self.input_tokens, self.output_tokens)


class _Choice(Struct, frozen=True):
    finish_reason: str | None = None


class _Response(Struct, frozen=True):
    """What the model's API gave back."""

    usage: _Usage = _Usage()
    model: str | None = None
    choices: tuple[_Choice, ...] = ()


class _Action(Struct, frozen=True):
    command: str | None = None
    tool_call_id: str | None = None


class _Extra(Struct, frozen=True):
    """What the program adds to a message."""

    timestamp: Any = UNSET
    response: dict[str, Any] = {}
    actions: tuple[_Action, ...] = ()
    cost: Amount = None
    returncode: Any = UNSET
    exception_info: str | None = None
    exit_status: str | None = None


class _Function(Struct, frozen=True):
    name: str | None = None
    arguments: Any = None


class _Call(Struct, frozen=True):
    id: str | None = None
    function: _Function = _Function()


class _Message(_Response, frozen=True):
    """A message of an API of chats, or a response of an API of responses."""

    role: Any = UNSET
    type: str | None = None
    content: Any = None
    timestamp: Any = None
    extra: _Extra = _Extra()
    tool_calls: tuple[_Call, ...] = ()
    tool_call_id: str | None = None
    call_id: str | None = None
    output: Any = UNSET


class _Stats(Struct, frozen=True):
    api_calls: Amount = None
    instance_cost: Amount = None


class _About(Struct, frozen=True):
    exit_status: str | None = None
    model_stats: _Stats = _Stats()


class _Run(Struct, frozen=True, rename={"about": "info"}):
    """The file; `messages` is None where there is no list of them."""

    trajectory_format: str | None = None
    instance_id: str | None = None
    messages: tuple[_Message, ...] | None = None
    about: _About = _About()


def fits(look: Probe) -> bool:
    """Return whether the file says that it is such a trajectory, or is shaped like an old one."""
    value = as_object(look.value)
    run = read_as(_Run, value)
    if run.trajectory_format is not None:
        return run.trajectory_format.startswith(_FORMAT)
    about = object_at(value, "info")
    messages = run.messages is not None or not look.whole
    old = any(name in about for name in ("model_stats", "mini_version"))
    return messages and "trajectory" not in value and old


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run. Raises OSError when it cannot be read."""
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        run = read_as(_Run, value)
        messages = run.messages
        if messages is None:
            yield Problem(place.path, "no messages; skipped", line)
            continue
        name = run.instance_id or place.name.removesuffix(".json").removesuffix(".traj")
        times = [at for one in messages if (at := _at(one)) is not None]
        yield Begin(name, STEP, place.path, times[0] if times else None)
        costs = False
        for one in _iterations(messages, Steps(place.path, wants)):
            costs = costs or one.cost is not None
            yield one
        yield _end(run.about, messages, max(times, default=None), told=costs)


def _iterations(messages: Sequence[_Message], steps: Steps) -> Iterator[RecordedIteration]:
    step: Step | None = None
    prompt: str | None = None
    for message in messages:
        if is_model(message):
            if step is not None:
                yield steps.recorded(step)
            step = Step(prompt=prompt)
            take_model(message, step)
        elif step is not None and is_answer(message):
            take_answer(message, step)
        elif message.role == "user":
            # The task; later a person's word, or that the form of the last message was wrong.
            prompt = texts_in(message.content)
        if step is not None and message.role != "exit":
            step.time(_at(message))
    if step is not None:
        yield steps.recorded(step)


def _at(message: _Message) -> float | None:
    added = message.extra.timestamp
    return instant(message.timestamp if added is UNSET else added)


def _end(about: _About, messages: Sequence[_Message], ended_at: float | None, *, told: bool) -> End:
    last = messages[-1].extra.exit_status if messages else None
    status, stats = about.exit_status or last, about.model_stats
    cost = (stats.instance_cost or None) if stats.api_calls and not told else None
    return End(class_of(status), (status or "")[:_LONGEST], ended_at, cost)


def class_of(status: str | None) -> str | None:
    """Return the class of an exit status, None where there is none."""
    return _ENDS.get(status, "failed") if status else None


# Messages of mini-swe-agent: what the model said and ran, and what came of it.

_MODEL = ("assistant", "model")
_OPEN, _CLOSE = "<returncode>", "</returncode>"
_FENCES = ("```bash", "```mswea_bash_command")
#: Exit statuses beyond this are none.
_LARGEST = 10


def is_model(message: _Message) -> bool:
    """Return whether a message is the model's; that of a responses API has no role and a list `output`."""
    return message.role in _MODEL or (message.role is UNSET and isinstance(message.output, list))


def is_answer(message: _Message) -> bool:
    """Return whether a message is what a command gave back."""
    if message.role == "tool" or message.type == "function_call_output":
        return True
    marked = texts_in(message.content).lstrip().startswith(_OPEN)
    return message.role == "user" and (marked or message.extra.returncode is not UNSET)


def take_model(message: _Message, step: Step) -> None:
    """Add what the model said and which commands it ran."""
    text = texts_in(message.content) or _said(message)
    step.say(text)
    extra = message.extra
    own = message if message.output is not UNSET else _Response()
    response = read_as(_Response, extra.response) if extra.response else own
    listed = [one for one in extra.actions if one.command is not None]
    for one in listed:
        step.call("bash", {"command": one.command}, one.tool_call_id)
    if not listed:
        _other_calls(message, text, step)
    step.add("tokens", response.usage.tokens())
    step.add("cost", extra.cost or None)
    step.set("model", response.model)
    step.set("stop_reason", response.choices[0].finish_reason if response.choices else None)


def _said(message: _Message) -> str:
    output = (one for one in objects_at({"output": message.output}, "output") if one.get("type") == "message")
    return "\n".join(texts_in(one.get("content")) for one in output)


def _other_calls(message: _Message, text: str, step: Step) -> None:
    """Add the calls that a message lists itself, else the command in its one fenced block."""
    for one in message.tool_calls:
        step.call(one.function.name or "bash", _arguments(one.function.arguments), one.id)
    command = None if message.tool_calls else _fenced(text)
    if command is not None:
        step.call("bash", {"command": command})


def _arguments(written: object) -> object:
    if not isinstance(written, str):
        return written
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written


def _fenced(text: str) -> str | None:
    """Return the command of an older message: its one block fenced as a command, None for more or fewer."""
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line.strip() in _FENCES]
    if len(begins) != 1:
        return None
    begin = begins[0] + 1
    end = next((n for n in range(begin, len(lines)) if lines[n].strip() == "```"), len(lines))
    return "\n".join(lines[begin:end])


def take_answer(message: _Message, step: Step) -> None:
    """Add what a command gave back, with its exit status from the record or the mark in the text."""
    given = message.output if isinstance(message.output, str) else ""
    text = texts_in(message.content) or given
    status = whole_of(message.extra.returncode)
    if status is None:
        status = _marked(text)
    broken = bool(message.extra.exception_info)
    failed = None if status is None and not broken else broken or status != 0
    id = message.tool_call_id if message.tool_call_id is not None else message.call_id
    known = {call.id for call in step.calls}
    step.answer(
        text,
        id if id in known else None,
        is_error=failed,
        exit_status=None if broken else status,
    )


def _marked(text: str) -> int | None:
    """Return the number in the `<returncode>` mark that a text begins with."""
    begin = text.lstrip()
    if not begin.startswith(_OPEN):
        return None
    number = begin[len(_OPEN) :].partition(_CLOSE)[0].strip()
    digits = number.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _LARGEST:
        return None
    return int(number)
