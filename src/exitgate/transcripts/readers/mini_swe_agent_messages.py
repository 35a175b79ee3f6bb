"""Messages of mini-swe-agent: what the model said and ran, and what came of it."""

from __future__ import annotations

import json

from exitgate.transcripts.values import (
    number_at,
    object_at,
    objects_at,
    sum_at,
    text_at,
    texts_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.steps import Step
    from exitgate.transcripts.values import Event

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
