"""Members of opencode's messages, parts and events, as its exports, its storage and its runs have them."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.system.lenient import Amount, summed


class Times(Struct, frozen=True):
    """Instants, in any of the forms that versions write."""

    created: Any = None
    updated: Any = None
    completed: Any = None
    start: Any = None
    end: Any = None


class Cache(Struct, frozen=True):
    """Tokens that were written to the cache, and read from it."""

    read: Amount = None
    write: Amount = None


class Tokens(Struct, frozen=True):
    """Tokens of one call of the model."""

    total: Amount = None
    input: Amount = None
    output: Amount = None
    reasoning: Amount = None
    cache: Cache = Cache()

    def used(self) -> int | None:
        """Return how many there are, those from the cache among them."""
        said = summed(self.total)
        parts = (self.input, self.output, self.reasoning, self.cache.read, self.cache.write)
        return said if said is not None else summed(*parts)


class Metadata(Struct, frozen=True):
    """What a tool says beside its output."""

    exit: Amount = None


class State(Struct, frozen=True):
    """What became of a call of a tool."""

    status: str | None = None
    input: Any = None
    output: str | None = None
    error: str | None = None
    metadata: Metadata = Metadata()
    time: Times = Times()


class MessagePart(Struct, frozen=True, rename={"call_id": "callID"}):
    """A part of a message: a text, a call of a tool, the end of a step, files that were changed."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    text: str | None = None
    synthetic: bool = False
    ignored: bool = False
    tool: str | None = None
    state: State = State()
    cost: Amount = None
    tokens: Tokens = Tokens()
    reason: str | None = None
    files: tuple[str, ...] = ()


class ErrorDetails(Struct, frozen=True, rename="camel"):
    """What else is said about an error."""

    status_code: Amount = None
    message: str | None = None


class Error(Struct, frozen=True, rename={"details": "data"}):
    """Why a message ended: the name of the error, and what it says."""

    name: str | None = None
    details: ErrorDetails = ErrorDetails()
    message: str | None = None


class About(Struct, frozen=True, rename={"model": "modelID", "parent": "parentID"}):
    """What is said about a message, or about a session."""

    id: str | None = None
    role: str | None = None
    title: str | None = None
    parent: str | None = None
    time: Times = Times()
    model: str | None = None
    cost: Any = UNSET
    tokens: Tokens = Tokens()
    finish: str | None = None
    summary: bool = False
    error: dict[str, Any] = {}


class WrittenMessage(Struct, frozen=True, rename={"about": "info"}):
    """A message of an export."""

    about: About = About()
    parts: tuple[MessagePart, ...] = ()


class Export(Struct, frozen=True, rename={"about": "info"}):
    """What `opencode export` writes."""

    about: About = About()
    messages: tuple[WrittenMessage, ...] = ()


class RunEvent(Struct, frozen=True, rename={"session": "sessionID"}):
    """One line of `opencode run --format json`."""

    type: str | None = None
    session: str | None = None
    timestamp: Any = None
    part: dict[str, Any] = {}
    error: dict[str, Any] = {}
