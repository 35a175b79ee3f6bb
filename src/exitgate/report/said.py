"""Changes of well-known facts as a person would say them: "if no file had changed", not a digest."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.change import Edit

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


def said(edit: Edit, *, ahead: bool) -> str:
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
    if name in COUNTS and isinstance(after, int) and not isinstance(after, bool):
        one, several, become = COUNTS[name]
        verb = ("is" if after == 1 else "are") if ahead else "were"
        now = "not known" if isinstance(edit.before, Unknown) else shown(edit.before)
        return f"{after or 'no'} {one if after == 1 else several} {verb} {become} (now {now})"
    return ""


def is_digest(value: object) -> bool:
    """Return whether a value only tells contents apart: a text of many hexadecimal digits."""
    return isinstance(value, str) and len(value) >= LONG and HEX.issuperset(value)
