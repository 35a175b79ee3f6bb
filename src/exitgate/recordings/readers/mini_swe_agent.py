"""
mini-swe-agent: a `.traj.json` file with a step for each message of the model.

Newer files list the commands of a message with their results under `extra`; in older ones the command is the
fenced block of the message, and the message of the user behind it says what came of it, with a
`<returncode>` mark. The end is the recorder's `exit_status`, the name of what ended the run.
"""

from __future__ import annotations

import json

from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at, texts_in
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import STEP, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.steps import Step
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part, RecordedIteration
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


def fits(look: Probe) -> bool:
    """Return whether the file says that it is such a trajectory, or is shaped like an old one."""
    value = look.value
    if not isinstance(value, dict):
        return False
    named = text_at(value, "trajectory_format")
    if named is not None:
        return named.startswith(_FORMAT)
    about = object_at(value, "info")
    messages = isinstance(value.get("messages"), list) or not look.whole
    return messages and "trajectory" not in value and any(n in about for n in ("model_stats", "mini_version"))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run. Raises OSError when it cannot be read."""
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
            yield Problem(place.path, "no messages; skipped", line)
            continue
        name = text_at(value, "instance_id") or place.name.removesuffix(".json").removesuffix(".traj")
        messages = list(objects_at(value, "messages"))
        times = [at for one in messages if (at := _at(one)) is not None]
        yield Begin(name, STEP, place.path, times[0] if times else None)
        costs = False
        for one in _iterations(messages, Steps(place.path, wants)):
            costs = costs or one.cost is not None
            yield one
        yield _end(value, messages, max(times, default=None), told=costs)


def _iterations(messages: list[Event], steps: Steps) -> Iterator[RecordedIteration]:
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
        elif message.get("role") == "user":
            # The task; later a person's word, or that the form of the last message was wrong.
            prompt = texts_in(message.get("content"))
        if step is not None and message.get("role") != "exit":
            step.time(_at(message))
    if step is not None:
        yield steps.recorded(step)


def _at(message: Event) -> float | None:
    return instant(object_at(message, "extra").get("timestamp", message.get("timestamp")))


def _end(value: Event, messages: list[Event], ended_at: float | None, *, told: bool) -> End:
    about = object_at(value, "info")
    last = object_at(messages[-1], "extra") if messages else {}
    status = text_at(about, "exit_status") or text_at(last, "exit_status")
    stats = object_at(about, "model_stats")
    used = number_at(stats, "api_calls")
    cost = (number_at(stats, "instance_cost") or None) if used and not told else None
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


def is_model(message: Event) -> bool:
    """Return whether a message is the model's; that of a responses API has no role and a list `output`."""
    return message.get("role") in _MODEL or (
        "role" not in message and isinstance(message.get("output"), list)
    )


def is_answer(message: Event) -> bool:
    """Return whether a message is what a command gave back."""
    if message.get("role") == "tool" or message.get("type") == "function_call_output":
        return True
    marked = texts_in(message.get("content")).lstrip().startswith(_OPEN)
    return message.get("role") == "user" and (marked or "returncode" in object_at(message, "extra"))


def take_model(message: Event, step: Step) -> None:
    """Add what the model said and which commands it ran."""
    text = texts_in(message.get("content")) or _said(message)
    step.say(text)
    extra = object_at(message, "extra")
    response = object_at(extra, "response") or (message if "output" in message else {})
    listed = [one for one in objects_at(extra, "actions") if text_at(one, "command") is not None]
    for one in listed:
        step.call("bash", {"command": one["command"]}, text_at(one, "tool_call_id"))
    if not listed:
        _other_calls(message, text, step)
    usage = object_at(response, "usage")
    used = sum_at(usage, "prompt_tokens", "completion_tokens")
    step.add("tokens", used if used is not None else sum_at(usage, "input_tokens", "output_tokens"))
    step.add("cost", number_at(extra, "cost") or None)
    step.set("model", text_at(response, "model"))
    choices = list(objects_at(response, "choices"))
    step.set("stop_reason", text_at(choices[0], "finish_reason") if choices else None)


def _said(message: Event) -> str:
    output = [one for one in objects_at(message, "output") if one.get("type") == "message"]
    return "\n".join(texts_in(one.get("content")) for one in output)


def _other_calls(message: Event, text: str, step: Step) -> None:
    """Add the calls that a message lists itself, else the command in its one fenced block."""
    listed = list(objects_at(message, "tool_calls"))
    for one in listed:
        called = object_at(one, "function")
        step.call(text_at(called, "name") or "bash", _arguments(called), text_at(one, "id"))
    command = None if listed else _fenced(text)
    if command is not None:
        step.call("bash", {"command": command})


def _arguments(called: Event) -> object:
    written = called.get("arguments")
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


def take_answer(message: Event, step: Step) -> None:
    """Add what a command gave back, with its exit status from the record or the mark in the text."""
    extra = object_at(message, "extra")
    text = texts_in(message.get("content")) or text_at(message, "output") or ""
    status = extra.get("returncode")
    if not isinstance(status, int) or isinstance(status, bool):
        status = _marked(text)
    broken = bool(text_at(extra, "exception_info"))
    failed = None if status is None and not broken else broken or status != 0
    id = text_at(message, "tool_call_id", "call_id")
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
