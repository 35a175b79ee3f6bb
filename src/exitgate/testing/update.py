"""Expectations rewritten to what was found: comments, order and layout of the file stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import Struct

from exitgate.analysis.edits import Edit, apply, span
from exitgate.analysis.yaml_values import flow
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.display import counted
from exitgate.core.model.value import Unknown
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.testing.cases import values
from exitgate.testing.cases.case import Result, Suite, Want
from exitgate.testing.cases.values import MisfitError, read_fact
from exitgate.testing.compare import View, compare

Path = tuple[str | int, ...]


class Updated(Struct, frozen=True):
    """
    What would make a file of tests expect what was found.

    Args:
        path: Of the file.
        old: Its text.
        new: Its text with every expectation that can be updated.
        count: How many expectations that are.
        refused: Diagnostics on those that cannot be.
    """

    path: str
    old: str
    new: str
    count: int
    refused: tuple[Diagnostic, ...]


class Change(NamedTuple):
    """An expectation as it is to be: its place, its path, the edit, and the value that it then has."""

    place: Location
    path: Path
    edit: Edit
    value: object


class _Shared:
    """An expectation as it is written once, with every case that it is for."""

    def __init__(self) -> None:
        self.seen: list[tuple[Want, View]] = []
        self.not_run = 0

    def is_missed(self) -> bool:
        return any(compare(want, view) is not None for want, view in self.seen)


def update(suite: Suite, results: Sequence[Result]) -> Updated:
    """
    Return what would make the cases that ran expect what was found.

    Args:
        suite: The file.
        results: Of its cases that ran.

    An expectation is refused where the file with what was found in it would not be read as that.
    """
    text = suite.document.lines.text
    paths = dict(_paths(suite.document.root, ()))
    edits: list[tuple[Location, Edit, object]] = []
    refused: list[Diagnostic] = []
    for place, shared in _by_place(suite, results).items():
        if not shared.is_missed():
            continue
        try:
            part, path = paths[place]
            part, value = _smallest(part, _agreed(shared, path))
            edits.append((part.place, _edit(suite, part, value), value))
        except NotWritableError as error:
            line = suite.document.lines.line(place.line)
            message = f"cannot be updated: {error}"
            refused.append(Diagnostic("EP505", message, place, source=line))
    changes = [Change(place, paths[place][1], edit, value) for place, edit, value in edits]
    kept = changes if _says(suite, changes) else _one_by_one(suite, changes)
    for change in changes:
        if change not in kept:
            line = suite.document.lines.line(change.place.line)
            message = f"cannot be updated: `{flow(change.value)}` does not match there"
            refused.append(Diagnostic("EP505", message, change.place, "write it by hand", source=line))
    new = apply(text, [change.edit for change in kept])
    return Updated(suite.document.file, text, new, len(kept), tuple(refused))


def _by_place(suite: Suite, results: Sequence[Result]) -> Mapping[Location, _Shared]:
    found: dict[Location, _Shared] = {}
    ran = {result.case.name: result for result in results}
    for case in suite.cases:
        result = ran.get(case.name)
        for want in case.wants:
            shared = found.setdefault(want.place, _Shared())
            if result is None:
                shared.not_run += 1
            else:
                shared.seen.append((want, result.views[want.iteration]))
    return found


def _paths(part: YamlNode, path: Path) -> Iterator[tuple[Location, tuple[YamlNode, Path]]]:
    """Yield where every value of a document is, with it and its path; the innermost of a place last."""
    yield part.place, (part, path)
    for key, below in part.fields.items():
        yield from _paths(below, (*path, key))
    for number, below in enumerate(part.items):
        yield from _paths(below, (*path, number))


def _agreed(shared: _Shared, path: Path) -> object:
    """Return what all cases found that share an expectation. Raises `NotWritableError` where they differ."""
    if path[2:3] == ("grid",):
        raise NotWritableError("it is one of the values of a grid, which apply to many cases")
    if shared.not_run:
        raise NotWritableError(f"it is shared with {counted(shared.not_run, 'case')} that did not run")
    found = [found_value(want, view) for want, view in shared.seen]
    if any(type(one) is not type(found[0]) or one != found[0] for one in found):
        raise NotWritableError(f"{len(found)} cases share it and got different results: make it a column")
    if found[0] is None and path[2:4] == ("table", "rows"):
        raise NotWritableError("a cell cannot expect an absent value: `~` is an empty cell")
    if any(not _meets(want, view, found[0]) for want, view in shared.seen):
        raise NotWritableError("a test cannot express the result")
    return found[0]


def _meets(want: Want, view: View, value: object) -> bool:
    """Return whether an expectation with this value, as a test would write it, is met."""
    if want.key == "facts":
        try:
            value = read_fact(value, view.program.policy.facts[want.subject])
        except MisfitError:
            return False
    return compare(replace(want, value=value), view) is None


def _smallest(part: YamlNode, value: object) -> tuple[YamlNode, object]:
    """Return what has to change and to what: of `{exact: TEXT}` only the text."""
    if isinstance(value, dict) and len(value) == 1 and part.fields.keys() == value.keys():
        ((key, inner),) = value.items()
        return part.fields[key], inner
    return part, value


def _edit(suite: Suite, part: YamlNode, value: object) -> Edit:
    if part.written is not None and part.written.style in "|>":
        raise NotWritableError("it is in a block of several lines")
    start, end = span(suite.document.lines, part)
    if part.written is not None:
        start, end = part.written.start, part.written.end
    if "#" in suite.document.lines.text[start:end] and not part.is_text:
        raise NotWritableError("there is a comment in it that would be lost")
    written = flow(value)
    if start == end:
        written = f" {written}"
    elif part.key is not None and part.place.column <= part.key.column:
        written = f"  {written}"  # a list of dashes may begin where its key does, one in brackets not
    return Edit(start, end, written)


def _one_by_one(suite: Suite, changes: Sequence[Change]) -> list[Change]:
    """Return the changes, in order, with which the file says what was found."""
    kept: list[Change] = []
    for change in changes:
        if _says(suite, [*kept, change]):
            kept.append(change)
    return kept


def _says(suite: Suite, changes: Sequence[Change]) -> bool:
    """Return whether the file with these changes is read as what was found."""
    text = apply(suite.document.lines.text, [change.edit for change in changes])
    try:
        root = load_yaml(text, suite.document.file).root
        return all(root.at(change.path).plain() == change.value for change in changes)
    except (ExitgateError, KeyError):
        return False


# What was found of an expectation, as a test would write it.

#: Keys of `expect:` -> the part of a decision they are compared with.
_PARTS = {
    "verdict": "verdict",
    "class": "exit_class",
    "outcome": "outcome",
    "rule": "rule",
    "firm": "firm",
    "blind": "blind",
    "message": "message",
    "advice": "advice",
    "escalation": "escalation",
}


class NotWritableError(ValueError):
    """What was found cannot be written instead of what was expected; the message says why."""


def found_value(want: Want, view: View) -> object:
    """
    Return what the decided iteration shows where `want` looks, as plain data that would meet it.

    Raises `NotWritableError` for what only a person can choose: the part of a long text.
    """
    decision = view.decision
    if want.key in _PARTS:
        return _wording(want, getattr(decision, _PARTS[want.key]))
    if want.key == "facts":
        spec = view.program.policy.facts[want.subject]
        return _short(values.write(view.observed.record.get(want.subject, Unknown("", "")), spec.type))
    if want.key == "pending":
        step = view.step(want.subject)
        return str(step.pending[0]) if step is not None and step.pending else None
    if want.key in ("evidence", "rejected"):
        return _pieces(want, view)
    found = {
        "undetermined": [step.rule for step in decision.undetermined],
        "alternatives": [alternative.rule for alternative in decision.alternatives],
        "shadows": list(decision.shadows),
        "warnings": [warned.rule or warned.message for warned in decision.warnings],
    }[want.key]
    if len(set(found)) < len(found):
        raise NotWritableError("there are two with the same name, which a list of names cannot express")
    return found


def _short(plain: object) -> object:
    """Return a number with as many digits as a test compares."""
    if not isinstance(plain, float):
        return plain
    short = round(plain, 2)
    return int(short) if short == int(short) else short


def _wording(want: Want, found: object) -> object:
    if isinstance(want.value, dict):
        return {"exact": found}
    if want.key in ("message", "advice", "escalation"):
        if not found:
            raise NotWritableError(f"there is no {want.key}: remove the expectation")
        if isinstance(want.value, list) or "\n" in str(found):
            raise NotWritableError("choose the part of the text to expect by hand")
    return found


def _pieces(want: Want, view: View) -> list[str]:
    fact = view.observed.facts.get(want.subject)
    if fact is None:
        return []
    found = (
        [e.excerpt for e in fact.evidence]
        if want.key == "evidence"
        else [str(e.guard) for e in fact.rejected]
    )
    return list(dict.fromkeys(one.strip() for one in found if one.strip()))
