"""Parts of messages of the Gemini API, as its programs keep them."""

from __future__ import annotations

from exitgate.core.envelopes.members import object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event


#: What the shell tool writes before the exit status of a command.
_EXIT = "Exit Code: "


def parts_of(content: Event) -> Iterator[Event]:
    """Yield the parts that are objects."""
    parts = content.get("parts")
    if isinstance(parts, list):
        yield from (part for part in parts if isinstance(part, dict))


def own_text(content: Event) -> str:
    """Return the text of the parts that are not thoughts, a line end between them."""
    return "\n".join(
        text for part in parts_of(content) if not part.get("thought") and (text := text_at(part, "text"))
    )


def response_text(result: object) -> str:
    """Return the text of what a tool gave back: a list of parts, a part, or a response."""
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(text for one in result if (text := response_text(one)))
    if not isinstance(result, dict):
        return ""
    response = object_at(object_at(result, "functionResponse"), "response") or result
    return text_at(response, "output", "error", "text", "content") or ""


def is_failed(result: Event) -> bool:
    """Return whether a response of a tool is an error."""
    response = object_at(result, "response")
    return "error" in response and "output" not in response


def exit_status_in(text: str) -> int | None:
    """Return the exit status that the shell tool wrote last into its result, None without one."""
    at = text.rfind("\n" + _EXIT)
    if at < 0:
        return None
    digits = text[at + 1 + len(_EXIT) :].partition("\n")[0].strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None
