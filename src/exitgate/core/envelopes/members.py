"""Members of JSON objects, taken only where they are what they should be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Event = Mapping[str, object]


_LARGEST = 1e15


def text_at(event: Event, *names: str) -> str | None:
    """Return the first of the members that is a text, or None."""
    for name in names:
        value = event.get(name)
        if isinstance(value, str):
            return value
    return None


def object_at(event: Event, *names: str) -> Event:
    """Return the first of the members that is an object, else an empty one."""
    for name in names:
        value = event.get(name)
        if isinstance(value, dict):
            return value
    return {}


def objects_at(event: Event, name: str) -> Iterator[Event]:
    """Yield the objects in a member that is a list."""
    value = event.get(name)
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def number_at(event: Event, *names: str) -> int | float | None:
    """Return the first of the members that is a finite number >= 0, or None."""
    for name in names:
        value = event.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
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
    if not isinstance(content, list):
        return ""
    found = []
    for block in content:
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and isinstance(text := block.get("text"), str):
            found.append(text)
    return "\n".join(found)
