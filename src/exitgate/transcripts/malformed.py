"""
What can be made out of an object that is not JSON: a comma too many or too few, a word for a value,
single quotation marks, no end.

Only members of the outermost object are looked at; what is inside its strings is never taken for one.
Time is linear in the text.
"""

from __future__ import annotations

from exitgate.transcripts.escaped import unescaped
from exitgate.transcripts.flat import fields_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.values import Event

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


def told_of(body: str) -> tuple[dict[str, object] | None, str | None]:
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
