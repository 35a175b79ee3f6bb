"""The chosen point as a patch of a project's `.bb3/config.yaml`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.dryrun.tune_grid import Point
    from exitgate.policy.compiled import CompiledPolicy

FOLDER = ".bb3"
_NUMERIC = frozenset(("count", "number", "percent"))


def patch(policy: CompiledPolicy, named: str, point: Point, why: Mapping[str, str] | None = None) -> str:
    """
    Return YAML to put into `.bb3/config.yaml`.

    Args:
        policy: That was tuned.
        named: Its name or path, as asked; a path is written from the folder of the file. It always stands
            there: the values are worth nothing to another policy.
        point: Values as texts, of everything that was not left as the policy has it.
        why: A remark on each value, by the parameter's name.
    """
    path = os.path.relpath(named, FOLDER) if os.path.isfile(named) else named
    lines = ["exit_decision:", f"  policy: {_text(path)}"]
    for name, text in point.items():
        remark = (why or {}).get(name, "")
        value = _value(text, policy.parameters[name].type.kind)
        lines.append(f"  {name}: {value}" + (f"   # {remark}" if remark else ""))
    return "\n".join(lines) + "\n"


def _value(text: str, kind: str) -> str:
    """Return a value as the settings take it: numbers and bools plain, all other texts quoted."""
    if kind in _NUMERIC:
        return text
    return text.lower() if kind == "bool" else _text(text)


def _text(text: str) -> str:
    import json

    return (
        text if text.replace("-", "").replace("_", "").isalnum() and text[:1].isalpha() else json.dumps(text)
    )
