"""Which part of a version says what changed: `needs`, by the rules of docs/explanation/versions.md."""

from __future__ import annotations

from exitgate.policy.compared import change as sections
from exitgate.policy.compared.change import ADDED, CHANGED, MOVED, REMOVED, RENAMED
from exitgate.policy.compared.need import MAJOR, MINOR, PATCH, Need
from exitgate.policy.semver import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.policy.compared.change import Change, Side
    from exitgate.policy.compared.decision import Decided, Unseen
    from exitgate.policy.semver import Version

LEVELS = (PATCH, MINOR, MAJOR)
#: Properties that are words for people and agents.
WORDS = frozenset(("because", "advice", "escalation", "title", "doc"))

#: Sections in which every change asks for the same.
ALWAYS = {
    sections.CIRCUIT: (MAJOR, "the breaker moves differently, which the facts of a rule do not show"),
    sections.OTHERWISE: (PATCH, "words changed"),
    sections.UNDETERMINED: (MAJOR, "silence ends a run after a different number of iterations"),
    sections.INVARIANTS: (MINOR, "the invariants changed"),
    sections.MASK: (MINOR, "what is masked changed"),
}


def needs(
    sides: tuple[Side, Side], changes: Iterable[Change], decided: Decided, unseen: Unseen
) -> tuple[Need, ...]:
    """Return every reason to raise the version over that of the first policy, major ones first."""
    found = [Need(MAJOR, "an input is decided differently", kind=kind) for kind in decided.kinds]
    if decided.open:
        found.append(Need(MAJOR, f"it is not shown that no decision differs: {decided.open}"))
    found += [Need(MINOR, "a warning differs", kind=kind) for kind in decided.warned]
    for one in changes:
        found += _of_change(one, sides, unseen)
    return tuple(sorted(found, key=lambda need: -LEVELS.index(need.level)))


def level_of(found: Iterable[Need]) -> str | None:
    """Return the largest level asked for, None without any."""
    return max((need.level for need in found), key=LEVELS.index, default=None)


def raised(text: str, level: str) -> str:
    """
    Return the smallest version above `text` that says a change of that level.

    Before 1.0.0 the first number that is not 0 is the one that breaks, as ``NAME@^0.3`` reads it: a major
    change raises it, everything else the last number. Raises ValueError for what is no version.
    """
    major, minor, patch = version(text)
    if level == MAJOR:
        found = (major + 1, 0, 0) if major else (0, minor + 1, 0) if minor else (0, 0, patch + 1)
    elif level == MINOR and major:
        found = (major, minor + 1, 0)
    else:
        found = (major, minor, patch + 1)
    return dotted(found)


def dotted(numbers: Version) -> str:
    """Return a version as it is written."""
    return ".".join(map(str, numbers))


def _of_change(one: Change, sides: tuple[Side, Side], unseen: Unseen) -> Iterator[Need]:
    found: Iterable[tuple[str, str]]
    if one.section in ALWAYS:
        found = [ALWAYS[one.section]]
    elif one.section == sections.PARAMETERS:
        found = _parameter(one, sides)
    elif one.section == sections.FACTS:
        found = _fact(one, sides, unseen)
    else:
        found = {sections.POLICY: _head, sections.RULES: _rule}.get(one.section, _named)(one)
    for level, why in found:
        yield Need(level, why, one.section, one.name)


def _head(one: Change) -> Iterator[tuple[str, str]]:
    changed = {detail.property for detail in one.details}
    if "policy" in changed:
        yield MAJOR, "it has another name"
    if changed & WORDS:
        yield PATCH, "words changed"


def _parameter(one: Change, sides: tuple[Side, Side]) -> Iterator[tuple[str, str]]:
    if one.kind == ADDED:
        yield MINOR, "it was added"
    elif one.kind == REMOVED:
        yield MAJOR, "it was removed, and settings may name it"
    changed = {detail.property for detail in one.details} if one.kind == CHANGED else set()
    if "type" in changed:
        yield MAJOR, "it has another type"
    if changed & {"default", "value"}:
        yield MAJOR, "its default changed"
    if changed & {"min", "max"}:
        old, new = (side.policy.parameters[one.name] for side in sides)
        lower = new.low is not None and (old.low is None or new.low > old.low)
        upper = new.high is not None and (old.high is None or new.high < old.high)
        yield (
            (MAJOR, "values that were allowed are not")
            if lower or upper
            else (MINOR, "more values are allowed")
        )
    if "doc" in changed:
        yield PATCH, "words changed"


def _fact(one: Change, sides: tuple[Side, Side], unseen: Unseen) -> Iterator[tuple[str, str]]:
    before, after = (
        {name for name in side.policy.facts if name == one.name or name.startswith(one.name + ".")}
        for side in sides
    )
    gone = sorted(before - after)
    if gone:
        yield MAJOR, f"`{gone[0]}` is no longer a fact, and others may name it"
    elif one.kind == ADDED:
        yield MINOR, "it was added"
    if one.name in unseen.reading:
        yield MAJOR, "it is read differently, and what that changes cannot be seen from facts"
    elif one.kind == CHANGED:
        changed = {detail.property.split()[0] for detail in one.details}
        if "type" in changed:
            yield MAJOR, "it has another type"
        elif changed <= {"because"}:
            yield PATCH, "words changed"
        else:
            yield MINOR, "it is computed differently"


def _rule(one: Change) -> Iterator[tuple[str, str]]:
    if one.kind == REMOVED:
        yield MAJOR, "it was removed, and settings may name it"
    elif one.kind == RENAMED:
        yield MAJOR, f"it was called `{one.was}`, and settings may name that"
    elif one.kind == ADDED:
        yield MINOR, "it was added"
    elif one.kind == MOVED:
        yield MINOR, "it moved"
    if one.kind in (ADDED, REMOVED):
        return
    changed = {detail.property for detail in one.details}
    locked = one.of("locked")
    if locked is not None:
        yield (
            (MAJOR, "it is locked, and settings may change it")
            if locked.after
            else (MINOR, "it is not locked")
        )
    if "retry_after" in changed:
        yield MAJOR, "a waiting run resumes at another time"
    if changed & WORDS:
        yield PATCH, "words changed"
    if changed - WORDS - {"locked", "retry_after"}:
        yield MINOR, "it is written differently"


def _named(one: Change) -> Iterator[tuple[str, str]]:
    """Judge profiles, lists, named conditions and views."""
    if one.kind == ADDED:
        yield MINOR, "it was added"
    elif one.kind == REMOVED:
        yield MAJOR, "it was removed, and others may name it"
    elif one.section in (sections.PROFILES, sections.VIEWS):
        yield MAJOR, "its users get something else"
    else:
        yield MINOR, "it is written differently"
