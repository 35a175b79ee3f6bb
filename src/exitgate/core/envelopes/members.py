"""Members of JSON objects, taken only where they are what they should be."""

from __future__ import annotations

from exitgate.core.model.json_object import array_of, number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.core.model.json_object import Json

    Event = Mapping[str, Json]


_LARGEST = 1e15


def text_at(event: Event, *names: str) -> str | None:
    """Return the first of the members that is a text, or None."""
    for name in names:
        value = event.get(name)
        if isinstance(value, str):
            return value
    return None


def own_texts(event: Event) -> list[str]:
    """Return the members that are texts, in order."""
    return [value for value in event.values() if isinstance(value, str)]


def flag_at(event: Event, name: str) -> bool | None:
    """Return a member that is true or false, or None."""
    value = event.get(name)
    return value if isinstance(value, bool) else None


def object_at(event: Event, *names: str) -> Event:
    """Return the first of the members that is an object, else an empty one."""
    for name in names:
        value = event.get(name)
        if isinstance(value, dict):
            return value
    return {}


def has_object(event: Event, *names: str) -> bool:
    """Return whether one of the members is an object, an empty one as well."""
    return any(isinstance(event.get(name), dict) for name in names)


def first_object(event: Event) -> tuple[str, Event]:
    """Return the name of the first member that is an object, and the object; nothing without one."""
    return next(((name, value) for name, value in event.items() if isinstance(value, dict)), ("", {}))


def as_object(value: Json) -> dict[str, Any]:
    """Return a value that is an object, itself and no copy; else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Json) -> list[dict[str, Any]]:
    """Return the objects that a list holds, themselves and no copies; none of another value."""
    return [item for item in array_of(value) if isinstance(item, dict)]


def objects_of(value: Json) -> list[dict[str, Any]]:
    """Return the objects that a list holds; an object by itself is the only one."""
    return objects_in(value) or objects_in([value])


def objects_at(event: Event, name: str) -> list[dict[str, Any]]:
    """Return the objects in a member that is a list."""
    return objects_in(event.get(name))


def list_at(event: Event, name: str) -> list[Json] | None:
    """Return a member that is a list, or None."""
    value = event.get(name)
    return value if isinstance(value, list) else None


def number_at(event: Event, *names: str) -> int | float | None:
    """Return the first of the members that is a finite number >= 0, or None."""
    for name in names:
        value = number_of(event.get(name))
        if value is not None and 0 <= value <= _LARGEST:
            return value
    return None


def count_at(event: Event, *names: str) -> int | None:
    """Return the first of the members that is a whole number >= 0, or None."""
    value = number_at(event, *names)
    return None if value is None or value != int(value) else int(value)


def sum_at(event: Event, *names: str) -> int | None:
    """Return the sum of the members that are whole numbers >= 0; None where none is."""
    found = [count for name in names if (count := count_at(event, name)) is not None]
    return sum(found) if found else None


def writable(value: object) -> object:
    """Return a text, or what is in lists and objects of such, with halves of characters replaced."""
    if isinstance(value, str):
        return writable_text(value)
    if isinstance(value, dict):
        return {writable_text(str(name)): writable(member) for name, member in value.items()}
    return [writable(item) for item in value] if isinstance(value, list) else value


def writable_text(text: str) -> str:
    """Return a text that can be written as UTF-8: JSON can spell half a character, no file can hold it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def texts_in(content: object) -> str:
    """Return the text of a content: itself, or the text blocks of a list, a line end between them."""
    if isinstance(content, str):
        return content
    blocks = (block.get("text") if isinstance(block, dict) else block for block in array_of(content))
    return "\n".join([text for text in blocks if isinstance(text, str)])
