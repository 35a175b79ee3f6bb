"""Changes in words: what would have given another decision, and what the next iteration has to show."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.change import Change, Edit
from exitgate.model.outlook import FAR, FOUND, NONE, OPEN, Nearest
from exitgate.model.value import Unknown
from exitgate.report.said import is_digest, said
from exitgate.report.summary import verdict_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy

#: Ways of the same effort that are reported; the rest is counted.
WAYS = 3
_WORDS = ("no", "one", "two", "three")


def told(change: Change, policy: CompiledPolicy) -> str:
    """Return the change as a sentence: ``would have been EXIT complete if `tasks.done` were 4 (is 3)``."""
    return f"would have been {_result(change)} if {_were(change, policy)}"


def told_turn(turn: Nearest, policy: CompiledPolicy) -> str:
    """
    Return what a result would have taken as a sentence, all its smallest changes as alternatives.

    Where none was found: that, and how far it was looked.
    """
    if turn.status != FOUND:
        return f"would not have been {verdict_text(*turn.result)}: {told_none(turn)}"
    first, *others = turn.best
    parts = [told(first, policy)]
    for other in others[: WAYS - 1]:
        outcome = "" if other.decision.outcome == first.decision.outcome else f" ({other.decision.outcome})"
        parts.append(f"or{outcome} if {_were(other, policy)}")
    return ", ".join([*parts, *_more(others)]) + told_least(turn)


def told_none(turn: Nearest) -> str:
    """Return why no change was found for a result."""
    if turn.status == OPEN:
        return turn.why + told_least(turn)
    if turn.status == NONE:
        return "with this history, no change of facts would do it"
    assert turn.status == FAR
    if turn.fewer == 2:
        return "no single change would do it"
    return f"no {_word(turn.fewer - 1)} changes would do it"


def told_least(turn: Nearest) -> str:
    """Return that fewer facts do not do it, where that is proved of more than none; else the empty text."""
    if turn.fewer < 2:
        return ""
    what = "no single change" if turn.fewer == 2 else f"no {_word(turn.fewer - 1)} changes"
    return f"; {what} would do it"


def told_ahead(turn: Nearest, policy: CompiledPolicy) -> str:
    """Return what the next iteration has to show: ``(plan_complete) if `tasks.done` reaches 5 (is 2)``."""
    if turn.status != FOUND:
        return told_none(turn)
    first, *others = turn.best
    parts = [f"({first.decision.outcome}) if {_is(first, policy)}"]
    for other in others[: WAYS - 1]:
        outcome = "" if other.decision.outcome == first.decision.outcome else f" ({other.decision.outcome})"
        parts.append(f"or{outcome} if {_is(other, policy)}")
    return ", ".join([*parts, *_more(others)]) + told_least(turn)


def _more(others: Sequence[Change]) -> list[str]:
    left = len(others) - (WAYS - 1)
    return [f"or in {left} other ways"] if left > 1 else ["or in one other way"] if left == 1 else []


def _result(change: Change) -> str:
    return f"{verdict_text(*change.result)} ({change.decision.outcome})"


def _were(change: Change, policy: CompiledPolicy) -> str:
    return " and ".join(
        said(edit, ahead=False) or f"`{edit.name}` were {_value(edit, policy)}{_now(edit, policy)}"
        for edit in change.edits
    )


def _is(change: Change, policy: CompiledPolicy) -> str:
    return " and ".join(
        said(edit, ahead=True) or f"`{edit.name}` {_verb(edit)} {_value(edit, policy)}{_now(edit, policy)}"
        for edit in change.edits
    )


def _verb(edit: Edit) -> str:
    before, after = edit.before, edit.after
    for value in (before, after):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "is"
    return "reaches" if after > before else "falls to"  # type: ignore[operator]


def _value(edit: Edit, policy: CompiledPolicy) -> str:
    if edit.new:
        return "something new"
    return "as before" if is_digest(edit.after) else shown(edit.after, edit_type(edit, policy))


def _now(edit: Edit, policy: CompiledPolicy) -> str:
    if is_digest(edit.before) or (edit.new and not isinstance(edit.before, Unknown)):
        return ""
    return f" (is {shown(edit.before, edit_type(edit, policy))})"


def edit_type(edit: Edit, policy: CompiledPolicy) -> Type | None:
    """Return the type of the fact or parameter that is edited, None where the policy has none."""
    named = policy.parameters.get(edit.name[1:]) if edit.name.startswith("$") else policy.facts.get(edit.name)
    return named.type if named is not None else None


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)
