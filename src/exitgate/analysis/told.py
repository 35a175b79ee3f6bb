"""A change in words."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.change import Change, Edit
    from exitgate.policy.compiled import CompiledPolicy


def told(change: Change, policy: CompiledPolicy) -> str:
    """Return the change as a sentence: ``would have been EXIT complete if `tasks.done` were 4 (is 3)``."""
    verdict, exit_class = change.result
    result = f"{verdict} {exit_class}" if exit_class is not None else verdict
    return f"would have been {result} ({change.decision.outcome}) if {told_edits(change, policy)}"


def told_edits(change: Change, policy: CompiledPolicy) -> str:
    """Return what has to change: ``\\`tasks.done\\` were 4 (is 3) and \\`flag\\` were true (is false)``."""
    return " and ".join(_edit(edit, policy) for edit in change.edits)


def _edit(edit: Edit, policy: CompiledPolicy) -> str:
    named = policy.parameters.get(edit.name[1:]) if edit.name.startswith("$") else policy.facts.get(edit.name)
    type_ = named.type if named is not None else None
    now = f"(is {shown(edit.before, type_)})"
    if edit.new:
        now = "" if isinstance(edit.before, Unknown) else f" {now}"
        return f"`{edit.name}` were something new{now}"
    return f"`{edit.name}` were {shown(edit.after, type_)} {now}"
