"""The chosen point as a patch of a project's `.bb3/config.yaml`."""

from __future__ import annotations

import json
import os

from exitgate import system
from exitgate.policy.values import from_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.dryrun.tune_grid import Point
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy

FOLDER = ".bb3"
_NUMERIC = frozenset(("count", "number", "percent"))


def patch(policy: CompiledPolicy, named: str, point: Point, why: Mapping[str, str] | None = None) -> str:
    """
    Return YAML to put into `.bb3/config.yaml`.

    Args:
        policy: That was tuned.
        named: Its name or path, as asked; a path is written from the folder of the file. It always is
            there: the values are worth nothing to another policy.
        point: Values as texts, of everything that was not left as the policy has it.
        why: A remark on each value, by the parameter's name.
    """
    path = system.with_slashes(system.relative(named, FOLDER)) if os.path.isfile(named) else named
    lines = ["exit_decision:", f"  policy: {_text(path)}"]
    for name, text in point.items():
        remark = (why or {}).get(name, "")
        value = _value(text, policy.parameters[name].type)
        lines.append(f"  {name}: {value}" + (f"   # {remark}" if remark else ""))
    return "\n".join(lines) + "\n"


def _value(text: str, type: Type) -> str:
    """Return a value as the settings take it: numbers and bools plain, lists in brackets, texts quoted."""
    if type.kind in _NUMERIC:
        return text
    if type.kind == "list":
        return json.dumps(from_text(type, text), ensure_ascii=False)
    return text.lower() if type.kind == "bool" else _text(text)


def _text(text: str) -> str:
    return (
        text if text.replace("-", "").replace("_", "").isalnum() and text[:1].isalpha() else json.dumps(text)
    )
