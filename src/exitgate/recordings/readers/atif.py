"""
ATIF, the Agent Trajectory Interchange Format of the Harbor project (RFC 0001, versions 1.0 to 1.7).

One JSON object a file, or one a line. A step of the agent is an iteration; steps of the user are what it was
asked. Steps that were copied from an earlier trajectory for context are not new work and are passed over.
Trajectories of sub-agents in the same file are runs with a parent. How a run ended the format does not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import texts_in
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.json_files import documents
from exitgate.recordings.formats.steps import Step, Steps
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "atif"
TITLE = "ATIF, the agent trajectory interchange format, versions 1.0 to 1.7"
GIVES = capabilities.CHAT | capabilities.USAGE
_VERSION = "ATIF-v"
_DEEPEST = 8


class _Agent(Struct, frozen=True):
    name: str | None = None
    version: str | None = None
    model_name: str | None = None


class _Metrics(Struct, frozen=True):
    """What one step used."""

    cost_usd: Amount = None
    prompt_tokens: Amount = None
    completion_tokens: Amount = None


class _Total(Struct, frozen=True):
    """What a run used."""

    total_cost_usd: Amount = None
    total_prompt_tokens: Amount = None
    total_completion_tokens: Amount = None


class _Call(Struct, frozen=True):
    function_name: str | None = None
    arguments: Any = None
    tool_call_id: str | None = None


class _Result(Struct, frozen=True):
    content: Any = None
    source_call_id: str | None = None


class _Observation(Struct, frozen=True):
    results: tuple[_Result, ...] = ()


class _Step(Struct, frozen=True):
    """A step: what the user said, or what the agent said and did."""

    source: str | None = None
    message: Any = None
    timestamp: Any = None
    is_copied_context: bool = False
    model_name: str | None = None
    tool_calls: tuple[_Call, ...] = ()
    observation: _Observation = _Observation()
    metrics: _Metrics = _Metrics()


class _Trajectory(Struct, frozen=True):
    """A run; `steps` is None where there is no list of them."""

    trajectory_id: str | None = None
    session_id: str | None = None
    steps: tuple[_Step, ...] | None = None
    agent: _Agent = _Agent()
    final_metrics: _Total = _Total()
    subagent_trajectories: tuple[dict[str, Any], ...] = ()


def fits(look: Probe) -> bool:
    """Return whether the file, or its first line, says that it is in this format."""
    return str(look.object.get("schema_version")).startswith(_VERSION)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: each trajectory, its sub-agents' behind it. Raises OSError when it cannot be read."""
    seen: dict[str, int] = {}
    for found in documents(place):
        if isinstance(found, Problem):
            yield found
            continue
        value, line = found
        run = read_as(_Trajectory, value)
        if run.steps is None:
            yield Problem(place.path, "no steps; skipped", line)
            continue
        yield from _runs(place, run, line, wants, seen, None, 0)


def _runs(
    place: Location,
    run: _Trajectory,
    line: int,
    wants: frozenset[str],
    seen: dict[str, int],
    parent: str | None,
    depth: int,
) -> Iterator[Part]:
    named = run.trajectory_id if run.trajectory_id is not None else run.session_id
    name = named or place.name.partition(".")[0]
    seen[name] = seen.get(name, 0) + 1
    id = name if seen[name] == 1 else f"{name}#{seen[name]}"
    every = run.steps or ()
    steps = [one for one in every if not one.is_copied_context]
    resumed = len(steps) < len(every)
    times = [at for one in steps if (at := instant(one.timestamp)) is not None]
    title = " ".join(t for t in (run.agent.name, run.agent.version) if t)
    yield Begin(id, STEP, place.path, min(times, default=None), title, parent, resumed or None)
    numbers = Steps(place.path, wants)
    made = list(_steps(steps, line, run.agent.model_name))
    for step in made:
        yield numbers.recorded(step)
    total = run.final_metrics
    cost, tokens = total.total_cost_usd, summed(total.total_prompt_tokens, total.total_completion_tokens)
    yield End(
        ended_at=max(times, default=None),
        cost=None if any("cost" in step.record for step in made) else cost,
        tokens=None if any("tokens" in step.record for step in made) else tokens,
    )
    for below in run.subagent_trajectories if depth < _DEEPEST else ():
        yield from _runs(place, read_as(_Trajectory, below), line, wants, seen, id, depth + 1)


def _steps(steps: list[_Step], line: int, model: str | None) -> Iterator[Step]:
    """Yield the agent's steps. A step ends when the next one begins, where that has an instant."""
    prompt: str | None = None
    open_step: Step | None = None
    for one in steps:
        text = texts_in(one.message)
        if one.source == "user":
            prompt = text
        if one.source != "agent":
            continue
        if open_step is not None:
            yield open_step
        open_step = step = Step(line, prompt)
        step.time(instant(one.timestamp))
        step.say(text)
        step.set("model", one.model_name or model)
        for called in one.tool_calls:
            step.call(called.function_name or "", called.arguments, called.tool_call_id)
        for result in one.observation.results:
            step.answer(texts_in(result.content), result.source_call_id)
        step.add("cost", one.metrics.cost_usd)
        step.add("tokens", summed(one.metrics.prompt_tokens, one.metrics.completion_tokens))
    if open_step is not None:
        yield open_step
