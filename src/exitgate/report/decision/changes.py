"""Changes in words: what would have given another decision, and what the next iteration has to show."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.analysis.results.counterfactual import FAR, FOUND, NONE, OPEN, Change, Edit, Nearest
from exitgate.core.model.display import shown
from exitgate.core.model.value import Type, Unknown, is_number, is_whole
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.decision.summary import verdict_text

#: Ways of the same effort that are reported; the rest is counted.
WAYS = 3
_WORDS = ("no", "one", "two", "three")


def change_text(change: Change, policy: CompiledPolicy) -> str:
    """Return the change as a sentence: ``would have been EXIT complete if `tasks.done` were 4 (is 3)``."""
    return f"would have been {_result(change)} if {_were(change, policy)}"


def turn_text(turn: Nearest, policy: CompiledPolicy) -> str:
    """
    Return what a result would have taken as a sentence, all its smallest changes as alternatives.

    Where none was found: that, and how far it was looked.
    """
    if turn.status != FOUND:
        return f"would not have been {verdict_text(*turn.result)}: {none_text(turn)}"
    first, *others = turn.best
    parts = [change_text(first, policy)]
    for other in others[: WAYS - 1]:
        outcome = "" if other.decision.outcome == first.decision.outcome else f" ({other.decision.outcome})"
        parts.append(f"or{outcome} if {_were(other, policy)}")
    return ", ".join([*parts, *_more(others)]) + least_text(turn)


def none_text(turn: Nearest) -> str:
    """Return why no change was found for a result."""
    if turn.status == OPEN:
        return turn.why + least_text(turn)
    if turn.status == NONE:
        return "with this history, no change of facts would do it"
    assert turn.status == FAR
    if turn.fewer == 2:
        return "no single change would do it"
    return f"no {_word(turn.fewer - 1)} changes would do it"


def least_text(turn: Nearest) -> str:
    """Return that fewer facts do not do it, where that is proved of more than none; else the empty text."""
    if turn.fewer < 2:
        return ""
    what = "no single change" if turn.fewer == 2 else f"no {_word(turn.fewer - 1)} changes"
    return f"; {what} would do it"


def ahead_text(turn: Nearest, policy: CompiledPolicy) -> str:
    """Return what the next iteration has to show: ``(plan_complete) if `tasks.done` reaches 5 (is 2)``."""
    if turn.status != FOUND:
        return none_text(turn)
    first, *others = turn.best
    parts = [f"({first.decision.outcome}) if {_is(first, policy)}"]
    for other in others[: WAYS - 1]:
        outcome = "" if other.decision.outcome == first.decision.outcome else f" ({other.decision.outcome})"
        parts.append(f"or{outcome} if {_is(other, policy)}")
    return ", ".join([*parts, *_more(others)]) + least_text(turn)


def _more(others: Sequence[Change]) -> list[str]:
    left = len(others) - (WAYS - 1)
    return [f"or in {left} other ways"] if left > 1 else ["or in one other way"] if left == 1 else []


def _result(change: Change) -> str:
    return f"{verdict_text(*change.result)} ({change.decision.outcome})"


def _were(change: Change, policy: CompiledPolicy) -> str:
    return " and ".join(
        edit_text(edit, ahead=False) or f"`{edit.name}` were {_value(edit, policy)}{_now(edit, policy)}"
        for edit in change.edits
    )


def _is(change: Change, policy: CompiledPolicy) -> str:
    return " and ".join(
        edit_text(edit, ahead=True)
        or f"`{edit.name}` {_verb(edit)} {_value(edit, policy)}{_now(edit, policy)}"
        for edit in change.edits
    )


def _verb(edit: Edit) -> str:
    before, after = edit.before, edit.after
    for value in (before, after):
        if not is_number(value):
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


# Changes of well-known facts as a person would say them: "if no file had changed", not a digest.

#: Of facts that are true or false: said of the past when true and when false, then of the next iteration.
CLAIMS = {
    "run.interrupted": (
        "the agent had been interrupted",
        "the agent had not been interrupted",
        "the agent is interrupted",
        "the agent is not interrupted",
    ),
    "run.failed": (
        "the agent had failed",
        "the agent had not failed",
        "the agent fails",
        "the agent does not fail",
    ),
    "tests.passing": (
        "the tests had passed",
        "the tests had failed",
        "the tests pass",
        "the tests fail",
    ),
    "promise.emitted": (
        "the agent had given its promise",
        "the agent had not given its promise",
        "the agent gives its promise",
        "the agent does not give its promise",
    ),
    "no_work.found": (
        "the agent had said that nothing is left",
        "the agent had not said that nothing is left",
        "the agent says that nothing is left",
        "the agent does not say that nothing is left",
    ),
    "questions.asked": (
        "the agent had asked a question",
        "the agent had not asked a question",
        "the agent asks a question",
        "the agent asks no question",
    ),
    "blocked.found": (
        "the agent had said that it is blocked",
        "the agent had not said that it is blocked",
        "the agent says that it is blocked",
        "the agent does not say that it is blocked",
    ),
    "denials.blocking": (
        "the agent had been refused what it needs",
        "the agent had not been refused what it needs",
        "the agent is refused what it needs",
        "the agent is not refused what it needs",
    ),
    "progress.made": (
        "something had changed",
        "nothing had changed",
        "something changes",
        "nothing changes",
    ),
    "git.changed": (
        "a file had changed",
        "no file had changed",
        "a file changes",
        "no file changes",
    ),
    "tests.only": (
        "the agent had only run tests",
        "the agent had done more than run tests",
        "the agent only runs tests",
        "the agent does more than run tests",
    ),
}
#: Of facts that only tell contents apart: said when they are new and when they are as before.
CONTENTS = {
    "git.content": (
        "a file had changed",
        "no file had changed",
        "a file changes",
        "no file changes",
    ),
    "output.content": (
        "the reply had been a new one",
        "the reply had been the same as before",
        "the reply is a new one",
        "the reply is the same as before",
    ),
    "signature": (
        "the agent had done something else",
        "the agent had done the same as before",
        "the agent does something else",
        "the agent does the same as before",
    ),
    "errors.signature": (
        "new errors had shown",
        "the same errors had shown as before",
        "new errors show",
        "the same errors show as before",
    ),
    "calls.signature": (
        "the agent had made another call",
        "the agent had made the same call as before",
        "the agent makes another call",
        "the agent makes the same call as before",
    ),
}
#: Of facts that count: what is counted, one and several, and what became of it.
COUNTS = {
    "tasks.done": ("task", "tasks", "done"),
    "tasks.open": ("task", "tasks", "open"),
    "tasks.blocking_open": ("task", "tasks", "open"),
    "tests.failed": ("test", "tests", "failing"),
    "git.files_changed": ("file", "files", "changed"),
}
#: Digits of a digest, and how many of them make one.
HEX, LONG = frozenset("0123456789abcdef"), 16


def edit_text(edit: Edit, *, ahead: bool) -> str:
    """
    Return the change in words, or the empty text for a fact that has none of its own.

    Args:
        edit: The change.
        ahead: It is one of the next iteration, else one that would have been.
    """
    name, after, later = edit.name, edit.after, 2 if ahead else 0
    if name in CLAIMS and isinstance(after, bool):
        return CLAIMS[name][later + (not after)]
    if name in CONTENTS and (edit.new or is_digest(after)):
        return CONTENTS[name][later + (not edit.new)]
    if name in COUNTS and is_whole(after):
        one, several, become = COUNTS[name]
        verb = ("is" if after == 1 else "are") if ahead else "were"
        now = "not known" if isinstance(edit.before, Unknown) else shown(edit.before)
        return f"{after or 'no'} {one if after == 1 else several} {verb} {become} (now {now})"
    return ""


def is_digest(value: object) -> bool:
    """Return whether a value only tells contents apart: a text of many hexadecimal digits."""
    return isinstance(value, str) and len(value) >= LONG and HEX.issuperset(value)
