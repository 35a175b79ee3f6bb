"""Objects that are an answer by themselves: a status in JSON, or a text with figures beside it."""

from __future__ import annotations

from exitgate.core.envelopes.calls import denial
from exitgate.core.envelopes.json_text import unescaped
from exitgate.core.envelopes.members import count_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.members import Event


#: Members that make an object a status: the last two alone do, the first in an object of scalars only.
_STATUS, _SIGNAL, _WORK = "STATUS", "EXIT_SIGNAL", "WORK_TYPE"
#: Member with the calls that were refused.
_REFUSED = "permission_denials"
#: Where the text of such an object is, the first found first.
_TEXTS = ("summary", "result", "response", "message", "text", "output")


def fields_of(value: object, *, deep: bool = True) -> dict[str, object] | None:
    """
    Return upper-case name -> scalar of a status in JSON, or None for any other value.

    With `deep` a status may be the one object inside another (``{"report": {"exit_signal": ...}}``).
    """
    if not isinstance(value, dict):
        return None
    fields: dict[str, object] = {
        str(name).strip().upper().replace("-", "_").replace(" ", "_"): scalar
        for name, scalar in value.items()
        if isinstance(scalar, str | bool | int | float)
    }
    plain = not any(isinstance(member, dict) for member in value.values())
    named = [isinstance(fields.get(name), str) for name in (_STATUS, _WORK)]
    if _SIGNAL in fields or named[1] or (plain and named[0]):
        return fields
    inner = [member for member in value.values() if isinstance(member, dict)]
    return fields_of(inner[0], deep=False) if deep and len(inner) == 1 else None


def fits(event: Event) -> bool:
    """Return whether an object is an answer of this kind: a status, or one that says what was refused."""
    return fields_of(event) is not None or refused_in(event) is not None


def result_fields(event: Event) -> dict[str, object] | None:
    """Return the fields that a result object has beside its text, or None."""
    found = fields_of(event, deep=False) or fields_of(event.get("structured_output"))
    if found is None and text_at(told := object_at(event, "metadata"), "completion_status") is not None:
        found = {name.upper(): v for name, v in told.items() if isinstance(v, str | bool | int | float)}
    return None if found is None else {name: v for name, v in found.items() if name.lower() not in _TEXTS[1:]}


def text_of(event: Event) -> str | None:
    """Return the text that a status in JSON has beside its fields, or None."""
    return text_at(event, *_TEXTS)


def refused_in(event: Event) -> list[dict[str, object]] | None:
    """Return the calls that an object says were refused, None where it does not speak of them."""
    told = event.get(_REFUSED)
    if not isinstance(told, list):
        return None
    return [
        denial(text_at(one, "tool_name", "tool") or "", one.get("tool_input", one.get("input")))
        if isinstance(one, dict)
        else denial(one if isinstance(one, str) else "", None)
        for one in told
    ]


def fits_answer(event: Event) -> bool:
    """Return whether an object is the answer that Gemini's `json` format gives."""
    error = isinstance(event.get("error"), dict) and "session_id" in event
    return (isinstance(event.get("response"), str) and isinstance(event.get("stats"), dict)) or error


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
