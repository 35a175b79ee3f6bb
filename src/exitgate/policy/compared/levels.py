"""What each kind of change asks of a version: the one table behind `release-check`, lint and the docs."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.compared.need import MAJOR, MINOR, PATCH

LEVELS = (PATCH, MINOR, MAJOR)


class Asked(Value):
    """
    What one kind of change asks for.

    Args:
        level: `PATCH`, `MINOR` or `MAJOR`.
        why: The reason, a sentence part, as `release-check` says it.
        what: The kind in a word or two, in the plural, for a summary.
    """

    __slots__ = ("level", "what", "why")

    def __init__(self, level: str, why: str, what: str) -> None:
        self.level = level
        self.why = why
        self.what = what


#: Kind of change -> what it asks for.
TABLE = {
    "words": Asked(PATCH, "words changed", "words"),
    "added": Asked(MINOR, "it was added", "additions"),
    "warning": Asked(MINOR, "a warning differs", "warnings"),
    "moved": Asked(MINOR, "it moved", "rewritings that decide the same"),
    "rewritten": Asked(MINOR, "it is written differently", "rewritings that decide the same"),
    "computed": Asked(MINOR, "it is computed differently", "rewritings that decide the same"),
    "wider": Asked(MINOR, "more values are allowed", "wider bounds"),
    "unlocked": Asked(MINOR, "it is not locked", "removed locks"),
    "invariants": Asked(MINOR, "the invariants changed", "invariants"),
    "mask": Asked(MINOR, "what is masked changed", "secrets"),
    "decision": Asked(MAJOR, "an input is decided differently", "decisions"),
    "default": Asked(MAJOR, "its default changed", "defaults"),
    "type": Asked(MAJOR, "it has another type", "types"),
    "tighter": Asked(MAJOR, "values that were allowed are not", "tighter bounds"),
    "removed": Asked(MAJOR, "it was removed, and others may name it", "names that are gone"),
    "setting": Asked(MAJOR, "it was removed, and settings may name it", "names that are gone"),
    "renamed": Asked(MAJOR, "it was called `{}`, and settings may name that", "names that are gone"),
    "fact": Asked(MAJOR, "`{}` is no longer a fact, and others may name it", "names that are gone"),
    "name": Asked(MAJOR, "it has another name", "names that are gone"),
    "locked": Asked(MAJOR, "it is locked, and settings may change it", "locks"),
    "reading": Asked(
        MAJOR, "it is read differently, and what that changes cannot be seen from facts", "what is read"
    ),
    "values": Asked(MAJOR, "its users get something else", "values of profiles and views"),
    "retry": Asked(MAJOR, "a waiting run resumes at another time", "times to wait"),
    "breaker": Asked(
        MAJOR, "the breaker moves differently, which the facts of a rule do not show", "the breaker"
    ),
    "silence": Asked(MAJOR, "silence ends a run after a different number of iterations", "silence"),
}


def summary(level: str) -> str:
    """Return the kinds of change that ask for a level, with commas between them."""
    return ", ".join(dict.fromkeys(asked.what for asked in TABLE.values() if asked.level == level))
