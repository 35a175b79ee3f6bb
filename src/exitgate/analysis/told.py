"""A change in words."""

from __future__ import annotations

from exitgate.engine.shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.change import Change, Edit
    from exitgate.policy.compiled import CompiledPolicy


def told(change: Change, policy: CompiledPolicy) -> str:
    """Return the change as a sentence: ``would have been EXIT complete if `tasks.done` were 4 (is 3)``."""
    verdict, exit_class = change.result
    result = f"{verdict} {exit_class}" if exit_class is not None else verdict
    conditions = " and ".join(_edit(edit, policy) for edit in change.edits)
    return f"would have been {result} ({change.decision.outcome}) if {conditions}"


def _edit(edit: Edit, policy: CompiledPolicy) -> str:
    named = policy.parameters.get(edit.name[1:]) if edit.name.startswith("$") else policy.facts.get(edit.name)
    type_ = named.type if named is not None else None
    return f"`{edit.name}` were {shown(edit.after, type_)} (is {shown(edit.before, type_)})"
