"""A draft of a policy in the text of the policy's own file."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.analysis.edits import Edit, apply, end_of, ending, offset
from exitgate.analysis.yaml_values import NotEditableError, add_item, remove, set_value
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import with_unit
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.yaml.document import Document, load_yaml
from exitgate.surfaces.studio.keep.files import Change, project_place, read
from exitgate.surfaces.studio.keep.settings import text_of
from exitgate.surfaces.studio.workspace.column import Column
from exitgate.surfaces.studio.workspace.policies import Draft, difference
from exitgate.surfaces.studio.workspace.refusal import refusal

BY_HAND = "edit the text, or save it to the project's settings"


def change_of_policy(column: Column, project: str, why: str) -> Change:
    """
    Return the policy's own file with all that its draft says.

    Args:
        column: The policy and its draft.
        project: Folder that the studio may write in.
        why: Why inherited rules are left out, in a person's words.

    Raises:
        ExitgateError: It has no file of its own, cannot be changed, or would not be as drafted.
    """
    own = column.origin.file()
    if own is None:
        raise refusal(
            f"`{column.name}` comes with exitgate and has no file that can be changed",
            "save it to the project's settings, or copy it: `exitgate policies eject`",
        )
    place = project_place(project, own)
    old = read(place)
    if old is None:
        raise refusal(f"`{place.path}` is gone", "restore it, or start the studio again")
    draft, text = column.draft, text_of(old, place.path)
    if draft.text is not None:
        if text != column.text:
            message = f"`{place.path}` has changed since this text was begun"
            raise refusal(message, "look at the text of the policy: it says what has changed")
        text = draft.text
    try:
        text = with_draft(text, draft, column.settled.policy, why)
    except (NotEditableError, ExitgateError) as error:
        said = error.diagnostics[0].message if isinstance(error, ExitgateError) else str(error)
        message = f"`{place.path}` cannot be changed without a risk to what else it says: {said}"
        raise refusal(message, BY_HAND) from None
    found = column.origin.settled(Draft(text=text)).policy
    wrong = difference(found, column.settled.policy)
    if wrong:
        raise refusal(f"{wrong} would not be as drafted in `{place.path}`", BY_HAND)
    return Change(place, old, text.encode("utf-8", "surrogatepass"))


def with_draft(text: str, draft: Draft, policy: CompiledPolicy, why: str) -> str:
    """
    Return the text of a policy with the values, modes and order of a draft.

    Raises `NotEditableError` where layout does not allow it, `ExitgateError` where it cannot be read.
    """
    for name, value in draft.values.items():
        plain = with_unit(value, policy.parameters[name].type)
        text = set_value(text, ("parameters", name, "default"), plain)
    for rule in draft.shadow:
        if rule not in draft.disabled:
            text = _with_key(text, rule, "mode", "shadow")
    for rule, other in draft.before.items():
        text = _moved(text, rule, other)
    for rule in draft.disabled:
        at = _rules(text).get(rule)
        if at is None:
            text = add_item(text, ("rules",), {"id": rule, "disabled": True, "why": why})
        elif _inherits(text) and "when" not in load_yaml(text, "").root.at(("rules", at)).fields:
            text = set_value(set_value(text, ("rules", at, "disabled"), True), ("rules", at, "why"), why)
        else:
            text = remove(text, ("rules", at))
    return text


def _inherits(text: str) -> bool:
    return load_yaml(text, "").root.get("extends") is not None


def _rules(text: str) -> Mapping[str, int]:
    """Return where in the list each rule of a file is, by its id."""
    rules = load_yaml(text, "").root.get("rules")
    found: dict[str, int] = {}
    for at, rule in enumerate(rules.items if rules is not None else ()):
        id = rule.get("id")
        if id is not None:
            found[id.text] = at
    return found


def _with_key(text: str, rule: str, key: str, value: object) -> str:
    at = _rules(text).get(rule)
    if at is None:
        return add_item(text, ("rules",), {"id": rule, key: value})
    return set_value(text, ("rules", at, key), value)


def _moved(text: str, rule: str, other: str) -> str:
    """Return the text with a rule before another; one that is inherited says so by a key."""
    places = _rules(text)
    if rule not in places or other not in places:
        return _with_key(text, rule, "before", other)
    document = load_yaml(text, "")
    start, end = _lines_of(document, places[rule])
    target, _ = _lines_of(document, places[other])
    moved = text[start:end]
    if not moved.endswith("\n"):
        moved += ending(document.lines)
    return apply(text, [Edit(start, end, ""), Edit(target, target, moved)])


def _lines_of(document: Document, at: int) -> tuple[int, int]:
    """Return the offsets of a rule's lines, with the comments right above it."""
    lines = document.lines
    rule = document.root.at(("rules", at))
    first = rule.place.line
    dash = lines.text[offset(lines, first, 1) : offset(lines, first, rule.place.column)]
    if dash.strip() != "-":
        raise NotEditableError("its rules are not one below the other")
    while first > 1 and lines.line(first - 1).lstrip().startswith("#"):
        first -= 1
    return offset(lines, first, 1), end_of(lines, rule)
