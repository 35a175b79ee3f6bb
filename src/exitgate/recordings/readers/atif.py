"""
ATIF, the Agent Trajectory Interchange Format of the Harbor project (RFC 0001, versions 1.0 to 1.7).

One JSON object a file, or one a line. A step of the agent is an iteration; steps of the user are what it was
asked. Steps that were copied from an earlier trajectory for context are not new work and are passed over.
Trajectories of sub-agents in the same file are runs with a parent. How a run ended the format does not say.
"""

from __future__ import annotations

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
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "atif"
TITLE = "ATIF, the agent trajectory interchange format, versions 1.0 to 1.7"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.FILES, capabilities.TASK, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS,
    )
)  # fmt: skip
_VERSION = "ATIF-v"
_DEEPEST = 8


def fits(look: Probe) -> bool:
    """Return whether the file, or its first line, says that it is in this format."""
    value = look.value
    if not isinstance(value, dict):
        value = look.events[0] if look.events else None
    return isinstance(value, dict) and (text_at(value, "schema_version") or "").startswith(_VERSION)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: each trajectory, its sub-agents' behind it. Raises OSError when it cannot be read."""
    seen: dict[str, int] = {}
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
            yield Problem(place.path, "no steps; skipped", line)
            continue
        yield from _runs(place, value, line, wants, seen, None, 0)


def _runs(
    place: Location,
    value: Event,
    line: int,
    wants: frozenset[str],
    seen: dict[str, int],
    parent: str | None,
    depth: int,
) -> Iterator[Part]:
    name = text_at(value, "trajectory_id", "session_id") or place.name.partition(".")[0]
    seen[name] = seen.get(name, 0) + 1
    id = name if seen[name] == 1 else f"{name}#{seen[name]}"
    steps = [one for one in objects_at(value, "steps") if one.get("is_copied_context") is not True]
    resumed = len(steps) < sum(1 for _ in objects_at(value, "steps"))
    times = [at for one in steps if (at := instant(one.get("timestamp"))) is not None]
    agent = object_at(value, "agent")
    title = " ".join(t for t in (text_at(agent, "name"), text_at(agent, "version")) if t)
    yield Begin(id, STEP, place.path, min(times, default=None), title, parent, resumed or None)
    numbers = Steps(place.path, wants)
    made = list(_steps(steps, line, text_at(agent, "model_name")))
    for step in made:
        yield numbers.recorded(step)
    total = object_at(value, "final_metrics")
    cost = number_at(total, "total_cost_usd")
    tokens = sum_at(total, "total_prompt_tokens", "total_completion_tokens")
    yield End(
        ended_at=max(times, default=None),
        cost=None if any("cost" in step.record for step in made) else cost,
        tokens=None if any("tokens" in step.record for step in made) else tokens,
    )
    for below in objects_at(value, "subagent_trajectories") if depth < _DEEPEST else ():
        yield from _runs(place, below, line, wants, seen, id, depth + 1)


def _steps(steps: list[Event], line: int, model: str | None) -> Iterator[Step]:
    """Yield the agent's steps. A step ends when the next one begins, where that has an instant."""
    prompt: str | None = None
    open_step: Step | None = None
    for one in steps:
        source, text = one.get("source"), texts_in(one.get("message"))
        at = instant(one.get("timestamp"))
        if source == "user":
            prompt = text
        if source != "agent":
            continue
        if open_step is not None:
            yield open_step
        open_step = step = Step(line, prompt)
        step.time(at)
        step.say(text)
        step.set("model", text_at(one, "model_name") or model)
        for called in objects_at(one, "tool_calls"):
            step.call(
                text_at(called, "function_name") or "",
                called.get("arguments"),
                text_at(called, "tool_call_id"),
            )
        for result in objects_at(object_at(one, "observation"), "results"):
            step.answer(texts_in(result.get("content")), text_at(result, "source_call_id"))
        metrics = object_at(one, "metrics")
        step.add("cost", number_at(metrics, "cost_usd"))
        step.add("tokens", sum_at(metrics, "prompt_tokens", "completion_tokens"))
    if open_step is not None:
        yield open_step
