"""Parts of messages of the Gemini API, as its programs keep them."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from exitgate.core.envelopes.members import as_object, texts_in
from exitgate.core.system.lenient import read_as

#: What the shell tool writes before the exit status of a command.
_EXIT = "Exit Code: "


class FunctionCall(Struct, frozen=True):
    """A call of a tool."""

    name: str | None = None
    args: Any = None
    id: str | None = None


class FunctionResponse(Struct, frozen=True):
    """What a call gave back; `response` is often an object."""

    name: str | None = None
    id: str | None = None
    response: Any = None

    @property
    def text(self) -> str:
        """Its text."""
        return response_text(self.response)

    @property
    def is_failed(self) -> bool:
        """Whether it is an error."""
        response = as_object(self.response)
        return "error" in response and "output" not in response


class ContentPart(Struct, frozen=True, rename="camel"):
    """A part of a content: a text, a call, or what one gave back."""

    text: str | None = None
    thought: Any = None
    function_call: dict[str, Any] = {}
    function_response: dict[str, Any] | UnsetType | None = UNSET


class Content(Struct, frozen=True):
    """A content: what one side says; `parts` is None where there is no list of them."""

    role: str | None = None
    parts: tuple[ContentPart, ...] | None = None

    @property
    def own_text(self) -> str:
        """The text of the parts that are not thoughts, a line end between them."""
        return "\n".join(part.text for part in self.parts or () if part.text and not part.thought)


class _Response(Struct, frozen=True):
    output: str | None = None
    error: str | None = None
    text: str | None = None
    content: str | None = None


class _Wrapped(Struct, frozen=True, rename="camel"):
    function_response: FunctionResponse = FunctionResponse()


def response_text(result: object) -> str:
    """Return the text of what a tool gave back: a list of parts, a part, or a response."""
    if isinstance(result, list):
        return "\n".join(text for one in result if (text := response_text(one)))
    if not isinstance(result, dict):
        return texts_in(result)
    wrapped = as_object(read_as(_Wrapped, result).function_response.response)
    response = read_as(_Response, wrapped or result)
    texts = (response.output, response.error, response.text, response.content)
    return next((text for text in texts if text is not None), "")


def exit_status_in(text: str) -> int | None:
    """Return the exit status that the shell tool wrote last into its result, None without one."""
    at = text.rfind("\n" + _EXIT)
    if at < 0:
        return None
    digits = text[at + 1 + len(_EXIT) :].partition("\n")[0].strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None
