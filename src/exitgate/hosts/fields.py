"""Fields of a payload, each of the type that is wanted or not there."""

from __future__ import annotations

import os

from exitgate.facts.words import encodable
from exitgate.hosts.waiting import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Payload = Mapping[str, object]

#: Why a turn is not an iteration, where an agent that works for the agent ended.
BELOW = "an agent below the agent ended"


def text(payload: Payload, *names: str) -> str | None:
    """Return the first of the named fields that is a text, fit to be encoded; None without one."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str):
            return encodable(value)
    return None


def word(payload: Payload, *names: str) -> str:
    """Return as `text` does, without blanks around it; the empty text without one."""
    return (text(payload, *names) or "").strip()


def flag(payload: Payload, *names: str) -> bool | None:
    """Return the first of the named fields that is true or false, None without one."""
    return next((value for name in names if isinstance(value := payload.get(name), bool)), None)


def number(payload: Payload, name: str) -> int:
    """Return a field that is a whole number of at least 0; else 0."""
    value = payload.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else 0


def listed(payload: Payload, name: str) -> tuple[Task, ...]:
    """Return the tasks that a list of objects shows; none where the field is not a list."""
    entries = payload.get(name)
    if not isinstance(entries, list):
        return ()
    return tuple(_task(entry) if isinstance(entry, dict) else Task(name, name) for entry in entries[:100])


def parts(content: object) -> str | None:
    """Return the text of a message's content, a text or a list of parts; None where it holds no text."""
    if isinstance(content, str):
        return encodable(content)
    if not isinstance(content, list):
        return None
    found = [encodable(str(part["text"])) for part in content
             if isinstance(part, dict) and isinstance(part.get("text"), str)]  # fmt: skip
    return "\n".join(found) if found else None


def not_the_end(event: str, *ends: str) -> str:
    """Return why `event` is none of `ends`, the empty text where it is one or is not named."""
    return "" if event in ("", *ends) else f"`{event[:80]}` is not the end of a turn"


def no_stop(_record: Payload) -> str | None:
    """Return that a line of a transcript shows no stop: `stop_told` of hosts whose lines never do."""
    return None


def folder(*places: str | None) -> str:
    """Return the first of `places` that is an absolute path of a folder, else the current one."""
    for place in places:
        if place and os.path.isabs(place) and "\0" not in place and os.path.isdir(place):
            return place
    return os.getcwd()


def _task(entry: Mapping[str, object]) -> Task:
    kind = word(entry, "type", "kind")
    what = word(entry, "description", "name", "prompt", "command", "schedule", "id")
    named = " ".join(part for part in (kind, what[:80]) if part) or "unnamed"
    told = "\n".join(word(entry, name) for name in ("command", "description", "name", "prompt"))
    return Task(word(entry, "id") or told.strip() or named, named, told)
