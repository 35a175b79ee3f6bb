"""The settings of a run with a goal: a layer above all files, in the memory of the process that decides."""

from __future__ import annotations

import os

from exitgate.core.model.json_object import JsonObject, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy

#: Name of the probe that judges, and the parameter that says what has to pass.
GOAL, VERIFY = "goal", "verify"
#: Rules that the layer adds.
_LARGEST = 100_000
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goal.yaml")


def layer_for(condition: str, judge: Mapping[str, object], names: Sequence[str]) -> str:
    """
    Return the text of the layer.

    Args:
        condition: What has to be so, in words.
        judge: Definition of a probe that judges, from settings or from `judge_of`.
        names: Probes that have to pass beside it; the judge is asked last.
    """
    from exitgate.core.system import safe_files
    from exitgate.core.system.quick_json import dumps

    rules = safe_files.content(RULES, _LARGEST, links=True).decode()
    verify = [name for name in dict.fromkeys(names) if name != GOAL] + [GOAL]
    # JSON is YAML: nothing in a condition can end its text, or add a key.
    probe = dumps({**judge, "judge": condition})
    return f"{rules}  {VERIFY}: {dumps(verify)}\n  probes: {{{dumps(GOAL)}: {probe}}}\n"


def judge_of(line: str) -> dict[str, object]:
    """Return the definition of a judge whose command is a line as a person types it. Raises ValueError."""
    import shlex

    return {"command": shlex.split(line)}


def template(policy: CompiledPolicy) -> JsonObject:
    """Return how the settings define the probe `goal`; empty where they do not."""
    return object_of(policy.layers.get("probes")).object(GOAL)


def named(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the probes that have to pass by the settings."""
    found = policy.values().get(VERIFY)
    return tuple(map(str, found)) if isinstance(found, list | tuple) else ()
