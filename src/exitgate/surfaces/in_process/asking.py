"""An iteration as a request to the gate."""

from __future__ import annotations

import os

from exitgate.gate.observe.files import STANDARD_INPUT
from exitgate.gate.sources import wanted
from exitgate.surfaces.in_process.iteration import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.surfaces.in_process.iteration import Iteration, Text


def request_for(iteration: Iteration, asked: Request, policy: CompiledPolicy) -> Request:
    """
    Return the request that asks about one iteration.

    Args:
        iteration: As the caller gave it.
        asked: What the gate asks every time: run, places, the policy made ready.
        policy: That policy.
    """
    texts = dict(asked.texts)
    paths: dict[str, str] = {}
    for name, value in _offered(iteration, policy).items():
        if isinstance(value, str):
            texts[name] = value
        else:
            texts.pop(name, None)
            paths[name] = _path(value)
    return asked.but(
        texts=texts,
        response=paths.pop("response", None),
        plan=paths.pop("plan", None),
        task=paths.pop("task", None),
        sources=paths,
        facts={name: written(name, value) for name, value in iteration.facts.items()},
        agent_exit=iteration.exit_status,
        cost=iteration.cost,
        tokens=iteration.tokens,
        iteration=iteration.number,
        turn=iteration.turn,
        ended=True,
    )


def _path(value: os.PathLike[str]) -> str:
    """Return the path of a file; what the command line takes for standard input is a file here."""
    path = os.fsdecode(value)
    return os.path.join(os.curdir, path) if path == STANDARD_INPUT else path


def _offered(iteration: Iteration, policy: CompiledPolicy) -> dict[str, Text]:
    """Return what was given by name; results of tools only where the policy reads them."""
    named = {
        "response": iteration.response,
        "plan": iteration.plan,
        "task": iteration.task,
        "tool_results": iteration.tool_results if "tool_results" in wanted(policy) else None,
    }
    return {name: value for name, value in named.items() if value is not None} | iteration.sources
