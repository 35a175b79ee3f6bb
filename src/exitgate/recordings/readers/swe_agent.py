"""
SWE-agent: a `.traj` file, one JSON object, with a step for each entry of `trajectory`.

The status of the end is matched whole: `submitted (exit_cost)` is a run that ran out of money and whose work
was handed in for it. What single steps cost is not reported, only the sum. Demonstrations without a
`trajectory` are read from their `history`. Steps have no instants.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at, texts_in
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.model import STEP, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "swe-agent"
TITLE = "SWE-agent trajectories, `.traj`"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.TASK, capabilities.TOOL_CALLS,
    )
)  # fmt: skip
_ENTRY = ("action", "observation", "response")
_ROOT = ("history", "info", "environment", "replay_config", "trajectory")
#: What SWE-agent calls the end of a run -> class.
_ENDS = {
    "submitted": "complete",
    "exit_cost": "exhausted",
    "exit_context": "exhausted",
    "exit_total_execution_time": "exhausted",
    "exit_command_timeout": "exhausted",
    "exit_format": "failed",
    "exit_api": "failed",
    "exit_error": "failed",
    "exit_environment_error": "failed",
}


def fits(look: Probe) -> bool:
    """Return whether the file is a trajectory, or a demonstration of one."""
    value = look.value
    if not isinstance(value, dict):
        return False
    entries = value.get("trajectory")
    if isinstance(entries, list) and entries:
        first = entries[0]
        wanted = _ENTRY if look.whole or len(entries) > 1 else _ENTRY[:2]  # the look may end in the first
        return isinstance(first, dict) and all(name in first for name in wanted)
    history = list(objects_at(value, "history"))
    if history and _is_message(history[0]):
        return look.place.name.endswith(".traj") or any("is_demo" in one for one in history)
    return isinstance(entries, list) and sum(name in value for name in _ROOT) > 2


def _is_message(event: Event) -> bool:
    return text_at(event, "role") in ("system", "user") and "content" in event and "agent" in event


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run of the file, or one for each attempt in it. Raises OSError when it cannot be read."""
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        if not isinstance(value, dict):
            yield Problem(place.path, "no trajectory; skipped", line)
            continue
        attempts = list(objects_at(value, "attempts"))
        name = place.name.removesuffix(".traj")
        for number, run in enumerate(attempts or [value], 1):
            id = f"{name}#{number}" if len(attempts) > 1 else name
            yield Begin(id, STEP, place.path, title=text_at(value, "environment") or "")
            steps = Steps(place.path, wants)
            for step in _steps(run):
                yield steps.recorded(step)
            yield _end(object_at(run, "info"))


def _steps(run: Event) -> Iterator[Step]:
    history = list(objects_at(run, "history"))
    entries = list(objects_at(run, "trajectory"))
    if not entries:
        yield from _from_history(history)
        return
    prompt = _prompt(history)
    for entry in entries:
        step = Step(prompt=prompt)
        thought = text_at(entry, "thought")
        step.say(thought if thought is not None else text_at(entry, "response"))
        action = text_at(entry, "action") or ""
        if action.strip():
            step.call("bash", {"command": action})
            step.answer(text_at(entry, "observation") or "")
        elif text_at(entry, "observation"):
            step.loose.append(text_at(entry, "observation") or "")
        yield step


def _prompt(history: Sequence[Event]) -> str | None:
    """Return the task: the first message of the user that is not part of a demonstration."""
    asked = (one for one in history if one.get("role") == "user" and one.get("is_demo") is not True)
    return next((texts_in(one.get("content")) for one in asked), None)


def _from_history(history: Sequence[Event]) -> Iterator[Step]:
    step: Step | None = None
    prompt: str | None = None
    for one in history:
        role, text = one.get("role"), texts_in(one.get("content"))
        if role == "assistant":
            if step is not None:
                yield step
            step = Step(prompt=prompt)
            thought = text_at(one, "thought")
            step.say(thought if thought is not None else text)
            action = text_at(one, "action")
            if action is not None and action.strip():
                step.call("bash", {"command": action})
        elif step is not None and (role == "tool" or one.get("message_type") == "observation"):
            step.answer(text)
        elif role == "user":
            if step is None:
                prompt = text
            else:
                step.answer(text)
    if step is not None:
        yield step


def _end(about: Event) -> End:
    status = text_at(about, "exit_status")
    stats = object_at(about, "model_stats")
    used = number_at(stats, "api_calls")
    return End(
        class_of(status),
        status or "",
        cost=(number_at(stats, "instance_cost") or None) if used else None,
        tokens=(sum_at(stats, "tokens_sent", "tokens_received") or None) if used else None,
    )


def class_of(status: str | None) -> str | None:
    """Return the class of an exit status; of one handed in for want of something, that of what it wanted."""
    if status is None:
        return None
    whole = status.strip()
    why = whole.removeprefix("submitted (").removesuffix(")") if whole.startswith("submitted (") else whole
    return _ENDS.get(why)
