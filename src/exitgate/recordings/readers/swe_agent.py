"""
SWE-agent: a `.traj` file, one JSON object, with a step for each entry of `trajectory`.

The status of the end is matched whole: `submitted (exit_cost)` is a run that ran out of money and whose work
was handed in for it. What single steps cost is not reported, only the sum. Demonstrations without a
`trajectory` are read from their `history`. Steps have no instants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import as_object, list_at, texts_in
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, Begin, End, Part, Problem
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


class _Entry(Struct, frozen=True):
    """A step: what the agent thought and did, and what came of it."""

    thought: str | None = None
    response: str | None = None
    action: str | None = None
    observation: str | None = None


class _Message(Struct, frozen=True):
    """A message of the history."""

    role: str | None = None
    content: Any = UNSET
    agent: Any = UNSET
    is_demo: Any = UNSET
    message_type: str | None = None
    thought: str | None = None
    action: str | None = None


class _Stats(Struct, frozen=True):
    api_calls: Amount = None
    instance_cost: Amount = None
    tokens_sent: Amount = None
    tokens_received: Amount = None


class _About(Struct, frozen=True):
    exit_status: str | None = None
    model_stats: _Stats = _Stats()


class _Run(Struct, frozen=True, rename={"about": "info"}):
    """A run: the file, or one attempt in it."""

    trajectory: tuple[_Entry, ...] = ()
    history: tuple[_Message, ...] = ()
    about: _About = _About()
    attempts: tuple[dict[str, Any], ...] = ()
    environment: str | None = None


def fits(look: Probe) -> bool:
    """Return whether the file is a trajectory, or a demonstration of one."""
    value = as_object(look.value)
    entries = list_at(value, "trajectory")
    if entries:
        wanted = _ENTRY if look.whole or len(entries) > 1 else _ENTRY[:2]  # the look may end in the first
        return all(name in as_object(entries[0]) for name in wanted)
    history = read_as(_Run, value).history
    if history and _is_message(history[0]):
        return look.place.name.endswith(".traj") or any(one.is_demo is not UNSET for one in history)
    return entries is not None and sum(name in value for name in _ROOT) > 2


def _is_message(one: _Message) -> bool:
    return one.role in ("system", "user") and one.content is not UNSET and one.agent is not UNSET


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
        whole = read_as(_Run, value)
        name = place.name.removesuffix(".traj")
        attempts = tuple(read_as(_Run, one) for one in whole.attempts)
        for number, run in enumerate(attempts or (whole,), 1):
            id = f"{name}#{number}" if len(whole.attempts) > 1 else name
            yield Begin(id, STEP, place.path, title=whole.environment or "")
            steps = Steps(place.path, wants)
            for step in _steps(run):
                yield steps.recorded(step)
            yield _end(run.about)


def _steps(run: _Run) -> Iterator[Step]:
    if not run.trajectory:
        yield from _from_history(run.history)
        return
    prompt = _prompt(run.history)
    for entry in run.trajectory:
        step = Step(prompt=prompt)
        step.say(entry.thought if entry.thought is not None else entry.response)
        action = entry.action or ""
        if action.strip():
            step.call("bash", {"command": action})
            step.answer(entry.observation or "")
        elif entry.observation:
            step.loose.append(entry.observation)
        yield step


def _prompt(history: Sequence[_Message]) -> str | None:
    """Return the task: the first message of the user that is not part of a demonstration."""
    asked = (one for one in history if one.role == "user" and one.is_demo is not True)
    return next((texts_in(one.content) for one in asked), None)


def _from_history(history: Sequence[_Message]) -> Iterator[Step]:
    step: Step | None = None
    prompt: str | None = None
    for one in history:
        role, text = one.role, texts_in(one.content)
        if role == "assistant":
            if step is not None:
                yield step
            step = Step(prompt=prompt)
            step.say(one.thought if one.thought is not None else text)
            if one.action is not None and one.action.strip():
                step.call("bash", {"command": one.action})
        elif step is not None and (role == "tool" or one.message_type == "observation"):
            step.answer(text)
        elif role == "user":
            if step is None:
                prompt = text
            else:
                step.answer(text)
    if step is not None:
        yield step


def _end(about: _About) -> End:
    status, stats = about.exit_status, about.model_stats
    used = stats.api_calls
    return End(
        class_of(status),
        status or "",
        cost=(stats.instance_cost or None) if used else None,
        tokens=(summed(stats.tokens_sent, stats.tokens_received) or None) if used else None,
    )


def class_of(status: str | None) -> str | None:
    """Return the class of an exit status; of one handed in for want of something, that of what it wanted."""
    if status is None:
        return None
    whole = status.strip()
    why = whole.removeprefix("submitted (").removesuffix(")") if whole.startswith("submitted (") else whole
    return _ENDS.get(why)
