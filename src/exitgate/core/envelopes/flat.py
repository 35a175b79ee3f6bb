"""Objects that are an answer by themselves: a status in JSON, or a text with figures beside it."""

from __future__ import annotations

from exitgate.core.envelopes.calls import denial
from exitgate.core.envelopes.json_text import unescaped
from exitgate.core.envelopes.members import (
    as_object,
    count_at,
    has_object,
    list_at,
    object_at,
    objects_in,
    text_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.members import Event


#: Members that make an object a status: the last two alone do, the first in an object of scalars only.
_STATUS, _SIGNAL, _WORK = "STATUS", "EXIT_SIGNAL", "WORK_TYPE"
#: Member with the calls that were refused.
_REFUSED = "permission_denials"
_SCALARS = (str, bool, int, float)
#: Where the text of such an object is, the first found first.
_TEXTS = ("summary", "result", "response", "message", "text", "output")


def fields_of(value: object, *, deep: bool = True) -> dict[str, object] | None:
    """
    Return upper-case name -> scalar of a status in JSON, or None for any other value.

    With `deep` a status may be the one object inside another (``{"report": {"exit_signal": ...}}``).
    """
    plain = as_object(value)
    fields: dict[str, object] = {
        str(name).strip().upper().replace("-", "_").replace(" ", "_"): scalar
        for name, scalar in _scalars(plain).items()
    }
    inner = objects_in(list(plain.values()))
    stated, works = (text_at(fields, name) is not None for name in (_STATUS, _WORK))
    if _SIGNAL in fields or works or (stated and not inner):
        return fields
    return fields_of(inner[0], deep=False) if deep and len(inner) == 1 else None


def _scalars(plain: Event) -> dict[str, object]:
    return {name: value for name, value in plain.items() if isinstance(value, _SCALARS)}


def fits(event: Event) -> bool:
    """Return whether an object is an answer of this kind: a status, or one that says what was refused."""
    return fields_of(event) is not None or refused_in(event) is not None


def result_fields(event: Event) -> dict[str, object] | None:
    """Return the fields that a result object has beside its text, or None."""
    found = fields_of(event, deep=False) or fields_of(event.get("structured_output"))
    if found is None and text_at(told := object_at(event, "metadata"), "completion_status") is not None:
        found = {name.upper(): value for name, value in _scalars(told).items()}
    return None if found is None else {name: v for name, v in found.items() if name.lower() not in _TEXTS[1:]}


def text_of(event: Event) -> str | None:
    """Return the text that a status in JSON has beside its fields, or None."""
    return text_at(event, *_TEXTS)


def refused_in(event: Event) -> list[dict[str, object]] | None:
    """Return the calls that an object says were refused, None where it does not speak of them."""
    told = list_at(event, _REFUSED)
    return None if told is None else [_refused(one) for one in told]


def _refused(one: object) -> dict[str, object]:
    if isinstance(one, str):
        return denial(one, None)
    call = as_object(one)
    return denial(text_at(call, "tool_name", "tool") or "", call.get("tool_input", call.get("input")))


def fits_answer(event: Event) -> bool:
    """Return whether an object is the answer that Gemini's `json` format gives."""
    error = has_object(event, "error") and "session_id" in event
    return (text_at(event, "response") is not None and has_object(event, "stats")) or error


def take_answer(event: Event, into: Gathered) -> None:
    """Add such an answer: its text, its error, and the figures in `stats`."""
    into.ended = True
    into.final = text_at(event, "response")
    into.set("session", text_at(event, "session_id"))
    error = object_at(event, "error")
    into.record["is_error"] = bool(error)
    if error:
        into.fail(text_at(error, "message"))
    stats = object_at(event, "stats")
    calls = count_at(object_at(stats, "tools"), "totalCalls")
    if calls is not None:
        into.record["tool_calls"] = calls
    models = object_at(stats, "models")
    used = [count_at(object_at(object_at(models, name), "tokens"), "total") for name in models]
    if known := [count for count in used if count is not None]:
        into.record["tokens"] = sum(known)
    into.set("files_changed", count_at(object_at(stats, "files"), "totalFilesChanged"))


# What can be made out of an object that is not JSON: a comma too many or too few, a word for a value,
# single quotation marks, no end.
#
# Only members of the outermost object are looked at; what is inside its strings is never taken for one.
# Time is linear in the text.

_BLANK = " \t\r\n"
_QUOTES = "\"'"
_OPENING, _CLOSING = "{[", "}]"
_ENDS = f"{_OPENING}{_CLOSING}{_QUOTES},\n"
_TRUTHS = {"true": True, "false": False}
_DIGITS_LIMIT = 18
#: Types of events whose members are an answer; none at all is one, too.
_ANSWERS = (None, "result")


def looks_like_object(body: str) -> bool:
    """Return whether a text begins as an object, or a list of objects, with a name in quotation marks."""
    start = body[1:200].lstrip(_BLANK)[:1]
    return (body[:1] == "{" and start != "" and start in _QUOTES) or body[:2] == "[{"


def salvaged(body: str) -> tuple[dict[str, object] | None, str | None]:
    """Return the fields of a status among the members, and the text of an answer; each may be None."""
    found = members(body)
    if found.get("type") not in _ANSWERS:
        return None, None
    return fields_of(found), text_of(found)


def members(body: str) -> Event:
    """
    Return name -> scalar of the outermost object; nothing where words follow it.

    Of a name that comes twice the last counts.
    """
    found: dict[str, object] = {}
    name: str | None = None
    depth = at = 0
    while at < len(body):
        mark = body[at]
        if mark in _QUOTES:
            end = _string_end(body, at)
            text = body[at + 1 : end]
            at = end + 1
            if depth == 1 and name is None and _is_name(body, at):
                name = unescaped(text)
            elif name is not None:
                found[name], name = unescaped(text), None
            continue
        if mark in _OPENING:
            depth, name = depth + 1, None
        elif mark in _CLOSING:
            depth, name = depth - 1, None
            if depth <= 0:
                return {} if body[at + 1 :].strip(_BLANK) else found
        elif name is not None and mark not in _BLANK and mark not in ":,":
            end = _word_end(body, at)
            found[name], name = _scalar(body[at:end].strip(_BLANK)), None
            at = end
            continue
        at += 1
    return found


def _is_name(body: str, at: int) -> bool:
    while body[at : at + 1] and body[at] in _BLANK:
        at += 1
    return body[at : at + 1] == ":"


def _string_end(body: str, start: int) -> int:
    """Return the offset of the mark that ends the string at `start`, or the end of the text."""
    at = start + 1
    while at < len(body) and body[at] != body[start]:
        at += 2 if body[at] == "\\" else 1
    return min(at, len(body))


def _word_end(body: str, at: int) -> int:
    while at < len(body) and body[at] not in _ENDS:
        at += 1
    return at


def _scalar(word: str) -> object:
    if word.isascii() and word.isdigit() and len(word) <= _DIGITS_LIMIT:
        return int(word)
    return _TRUTHS.get(word.lower(), word)
