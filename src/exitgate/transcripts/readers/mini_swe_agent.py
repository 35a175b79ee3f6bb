"""
mini-swe-agent: a `.traj.json` file with a step for each message of the model.

Newer files list the commands of a message with their results under `extra`; in older ones the command is the
fenced block of the message, and the message of the user behind it says what came of it, with a
`<returncode>` mark. The end is the recorder's `exit_status`, the name of what ended the run.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.documents import documents
from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.mini_swe_agent_messages import is_answer, is_model, take_answer, take_model
from exitgate.transcripts.run import STEP, Begin, End, Problem
from exitgate.transcripts.steps import Step, Steps
from exitgate.transcripts.values import number_at, object_at, objects_at, text_at, texts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

ID = "mini-swe-agent"
TITLE = "mini-swe-agent trajectories, `.traj.json`"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.FILES, gives.TASK,
        gives.TIMES, gives.TOOL_CALLS, gives.COST, gives.TOKENS,
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


def fits(look: Look) -> bool:
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


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
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
