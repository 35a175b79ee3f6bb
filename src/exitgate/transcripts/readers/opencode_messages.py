"""Messages and parts of opencode, which its exports, its storage and its events have in common."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.chat_errors import kind_of_status
from exitgate.transcripts.readers.chat_turn import Turn, total_of
from exitgate.transcripts.recorded import AUTH, CRASH
from exitgate.transcripts.values import count_at, number_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.readers.chat_turn import Chat
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.values import Event

USER, AGENT = "user", "assistant"
#: Names of errors that say more than that something went wrong.
ABORTED, AUTHORIZED, TOO_LONG = "MessageAbortedError", "ProviderAuthError", "MessageOutputLengthError"
_STOP, _LENGTH = "stop", "length"


class Messages:
    """
    Turns of a session, made of its messages in order.

    `last_error` is the name of the error the last message ended with, or the empty text,
    `ended_at` when the last turn that is over ended.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.turn: Turn | None = None
        self.last_error = ""
        self.ended_at: float | None = None

    def take(self, told: Event, parts: Sequence[Event]) -> Iterator[RecordedIteration]:
        """Add a message: its record, and its parts. Yields the turn that it ends."""
        times = object_at(told, "time")
        at = instant(times.get("created"))
        if told.get("role") == USER:
            prompt = _prompt(parts)
            if prompt is not None or self.turn is None:
                yield from self.end()
                self.turn = Turn(prompt, at)
                self.last_error = ""
        elif told.get("role") == AGENT and self.turn is not None:
            self.turn.seen(at)
            self.turn.seen(instant(times.get("completed")))
            self.last_error = take_message(told, parts, self.turn)

    def end(self) -> Iterator[RecordedIteration]:
        """Yield the turn that is open."""
        if self.turn is not None:
            yield self.chat.concluded(self.turn)
            self.ended_at = self.turn.ended_at if self.turn.ended_at is not None else self.ended_at
            self.turn = None


def _prompt(parts: Sequence[Event]) -> str | None:
    """Return what a person wrote; None for a message that the program wrote in the user's place."""
    texts = [part for part in parts if part.get("type") == "text"]
    own = [text_at(part, "text") or "" for part in texts if part.get("synthetic") is not True]
    if own:
        return "\n".join(own)
    made = bool(texts) or any(part.get("type") == "compaction" for part in parts)
    return None if made else ""


def take_message(told: Event, parts: Sequence[Event], turn: Turn) -> str:
    """Add a message of the agent's, and return the name of its error or the empty text."""
    turn.step()
    turn.set("model", text_at(told, "modelID"))
    turn.add("cost", number_at(told, "cost"))
    turn.add("tokens", tokens_of(object_at(told, "tokens")))
    finish(text_at(told, "finish"), turn)
    # A summary after a compaction repeats what was said before.
    summary = told.get("summary") is True
    for part in parts:
        if not (summary and part.get("type") == "text"):
            take_part(part, turn, spent="cost" not in told)
    error = object_at(told, "error")
    if error:
        take_error(error, turn)
    return text_at(error, "name") or ""


def finish(reason: str | None, turn: Turn) -> None:
    """Note why the model stopped."""
    turn.set("stop_reason", reason)
    if reason == _STOP:
        turn.record["is_error"] = False
    elif reason == _LENGTH:
        turn.record["truncated"] = True


def tokens_of(tokens: Event) -> int | None:
    """Return how many tokens a call of the model used, those from the cache among them."""
    cache = object_at(tokens, "cache")
    flat = {**tokens, "read": cache.get("read"), "write": cache.get("write")}
    return total_of(flat, "total", "input", "output", "reasoning", "read", "write")


def take_part(part: Event, turn: Turn, *, spent: bool, live: bool = False) -> None:
    """
    Add a part.

    Args:
        part: As it is kept.
        turn: Where to.
        spent: Whether its step's cost and tokens count, because nothing else tells them.
        live: Whether it comes while it is made, so that one of the same id is the same part.
    """
    kind = part.get("type")
    if kind == "text" and part.get("synthetic") is not True and part.get("ignored") is not True:
        turn.say(text_at(part, "text") or "", text_at(part, "id"))
    elif kind == "tool":
        _tool(part, turn, text_at(part, "id", "callID") if live else None)
    elif kind in ("step-finish", "step_finish") and spent:
        turn.add("cost", number_at(part, "cost"))
        turn.add("tokens", tokens_of(object_at(part, "tokens")))
        finish(text_at(part, "reason"), turn)
    elif kind == "patch":
        files = part.get("files")
        turn.patched += [one for one in files if isinstance(one, str)] if isinstance(files, list) else []


def _tool(part: Event, turn: Turn, id: str | None) -> None:
    state = object_at(part, "state")
    at = turn.call(text_at(part, "tool") or "", state.get("input"), id)
    times = object_at(state, "time")
    turn.seen(instant(times.get("start")))
    turn.seen(instant(times.get("end")))
    status = state.get("status")
    if status in ("completed", "error"):
        text = text_at(state, "output", "error") or ""
        exit_status = count_at(object_at(state, "metadata"), "exit")
        turn.answer(at, text, error=status == "error", exit_status=exit_status)


def take_error(error: Event, turn: Turn) -> None:
    """Add an error: the user's stop and an answer that got too long are none of the agent's."""
    name, more = text_at(error, "name") or "", object_at(error, "data")
    if name in (ABORTED, TOO_LONG):
        turn.record["truncated"] = True
        turn.set("stop_reason", name)
        return
    kind = AUTH if name == AUTHORIZED else kind_of_status(count_at(more, "statusCode"))
    turn.fail(text_at(more, "message") or text_at(error, "message") or name, kind or CRASH)
