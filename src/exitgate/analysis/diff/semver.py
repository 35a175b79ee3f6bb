"""Which part of a version says what changed: `needs`, by the rules of docs/explanation/versions.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from exitgate.analysis.results import comparison as sections
from exitgate.analysis.results.answer import UNDECIDED
from exitgate.analysis.results.comparison import (
    ADDED,
    CHANGED,
    LEVELS,
    MAJOR,
    MINOR,
    MOVED,
    REMOVED,
    RENAMED,
    TABLE,
    Change,
    Decided,
    Detail,
    Need,
    Side,
    Unobservable,
)
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.extending.semver import Version, version

#: Properties that are words for people and agents.
WORDS = frozenset(("because", "advice", "escalation", "title", "doc"))

#: Sections in which every change is of one kind.
ALWAYS = {
    sections.CIRCUIT: "breaker",
    sections.OTHERWISE: "words",
    sections.UNDETERMINED: "silence",
    sections.INVARIANTS: "invariants",
    sections.MASK: "mask",
}


def version_needs(
    sides: tuple[Side, Side], changes: Iterable[Change], decided: Decided, unseen: Unobservable
) -> tuple[Need, ...]:
    """
    Return every known reason to raise the version over that of the first policy, major ones first.

    What is not decided is none: `undecided` says it.
    """
    found = [Need(TABLE["decision"].level, TABLE["decision"].why, kind=kind) for kind in decided.kinds]
    found += [Need(TABLE["warning"].level, TABLE["warning"].why, kind=kind) for kind in decided.warned]
    for one in changes:
        found += _of_change(one, sides, unseen)
    return tuple(sorted(found, key=lambda need: -LEVELS.index(need.level)))


def undecided(found: Iterable[Need], decided: Decided) -> str:
    """Return why it is not decided whether a higher level than that of the needs is asked for; else empty."""
    level = level_of(found)
    if level != MAJOR and decided.rest.status == UNDECIDED:
        return f"whether an input is decided differently, which is a major change: {decided.rest.why}"
    if level not in (MAJOR, MINOR) and decided.quiet.status == UNDECIDED:
        return f"whether a warning differs, which is a minor change: {decided.quiet.why}"
    return ""


def level_of(found: Iterable[Need]) -> str | None:
    """Return the largest level asked for, None without any."""
    return max((need.level for need in found), key=LEVELS.index, default=None)


def raised(text: str, level: str) -> str:
    """
    Return the smallest version above `text` that says a change of that level.

    Before 1.0.0 the first number that is not 0 is the one that breaks, as ``NAME@^0.3`` reads it: a major
    change raises it, everything else the last number. Raises ValueError for what is not a version.
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


def _of_change(one: Change, sides: tuple[Side, Side], unseen: Unobservable) -> Iterator[Need]:
    found: Iterable[tuple[str, str]]  # a kind of change, and the name that its reason tells
    if one.section in ALWAYS:
        found = [(ALWAYS[one.section], "")]
    elif one.section == sections.PARAMETERS:
        found = _parameter(one, sides)
    elif one.section == sections.FACTS:
        found = _fact(one, sides, unseen)
    else:
        found = {sections.POLICY: _head, sections.RULES: _rule}.get(one.section, _named)(one)
    for kind, named in found:
        yield Need(TABLE[kind].level, TABLE[kind].why.format(named), one.section, one.name)


def _head(one: Change) -> Iterator[tuple[str, str]]:
    changed = {detail.property for detail in one.details}
    if "policy" in changed:
        yield "name", ""
    if changed & WORDS:
        yield "words", ""


def _parameter(one: Change, sides: tuple[Side, Side]) -> Iterator[tuple[str, str]]:
    if one.kind == ADDED:
        yield "added", ""
    elif one.kind == REMOVED:
        yield "setting", ""
    changed = {detail.property for detail in one.details} if one.kind == CHANGED else set()
    if "type" in changed:
        yield "type", ""
    if changed & {"default", "value"}:
        yield "default", ""
    if changed & {"min", "max"}:
        old, new = (side.policy.parameters[one.name] for side in sides)
        lower = new.low is not None and (old.low is None or new.low > old.low)
        upper = new.high is not None and (old.high is None or new.high < old.high)
        yield ("tighter" if lower or upper else "wider"), ""
    if "doc" in changed:
        yield "words", ""


def _fact(one: Change, sides: tuple[Side, Side], unseen: Unobservable) -> Iterator[tuple[str, str]]:
    before, after = (
        {name for name in side.policy.facts if name == one.name or name.startswith(one.name + ".")}
        for side in sides
    )
    gone = sorted(before - after)
    if gone:
        yield "fact", gone[0]
    elif one.kind == ADDED:
        yield "added", ""
    if one.name in unseen.reading:
        yield "reading", ""
    elif one.kind == CHANGED:
        changed = {detail.property.split()[0] for detail in one.details}
        if "type" in changed:
            yield "type", ""
        elif changed <= {"because", "doc"}:
            yield "words", ""
        elif changed & {"min", "max"} and _is_given(one.name, sides[1].policy):
            yield ("tighter" if any(map(_is_tighter, one.details)) else "wider"), ""
        else:
            yield "computed", ""


def _is_given(name: str, policy: CompiledPolicy) -> bool:
    return any(entry.prefix == name and entry.extractor == GIVEN for entry in policy.extractions)


def _is_tighter(one: Detail) -> bool:
    """Return whether a bound of a given fact allows less than before."""
    if one.property not in ("min", "max") or one.after is None:
        return False
    if one.before is None:
        return True
    was, now = float(one.before), float(one.after)
    return now > was if one.property == "min" else now < was


def _rule(one: Change) -> Iterator[tuple[str, str]]:
    if one.kind == REMOVED:
        yield "setting", ""
    elif one.kind == RENAMED:
        yield "renamed", one.was
    elif one.kind == ADDED:
        yield "added", ""
    elif one.kind == MOVED:
        yield "moved", ""
    if one.kind in (ADDED, REMOVED):
        return
    changed = {detail.property for detail in one.details}
    locked = one.of("locked")
    if locked is not None:
        yield ("locked" if locked.after else "unlocked"), ""
    if "retry_after" in changed:
        yield "retry", ""
    if changed & WORDS:
        yield "words", ""
    if changed - WORDS - {"locked", "retry_after"}:
        yield "rewritten", ""


def _named(one: Change) -> Iterator[tuple[str, str]]:
    """Judge profiles, lists, named conditions and views."""
    if one.kind == ADDED:
        yield "added", ""
    elif one.kind == REMOVED:
        yield "removed", ""
    elif one.section in (sections.PROFILES, sections.VIEWS):
        yield "values", ""
    else:
        yield "rewritten", ""
