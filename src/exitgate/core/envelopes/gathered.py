"""What the events of a stream add up to."""

from __future__ import annotations

from exitgate.core.envelopes.calls import Calls
from exitgate.core.envelopes.json_text import is_torn
from exitgate.core.envelopes.members import text_at
from exitgate.core.envelopes.plain import Unwrapped, tail_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


#: Lines of a warning that are named one by one.
_NAMED = 3
#: Why a model stopped writing, letters alone: with more of its turn to come, or for good.
_GOES_ON = frozenset(
    (
        "tooluse", "toolcall", "toolcalls", "functioncall", "maxtokens", "maxoutputtokens", "length",
        "pauseturn", "modelcontextwindowexceeded", "incomplete", "refusal", "contentfilter", "safety",
    )
)  # fmt: skip
_OVER = frozenset(("endturn", "stop", "stopsequence", "completed"))


class Gathered:
    """
    The sum of a stream: readers of events fill it in order, then it is concluded.

    `record` is the source `result`; `final` the text of the result, None without one; `expects` says
    that a whole stream of this kind ends with a result, so that one without it was cut off; `awaits` that
    the agent's last message called a tool, so that its turn continues.
    """

    def __init__(self) -> None:
        self.record: dict[str, object] = {}
        self.final: str | None = None
        self.messages = Messages()
        self.calls = Calls()
        self.limits: list[dict[str, object]] = []
        self.denials: list[dict[str, object]] | None = None
        self.expects = self.ended = self.cut = self.stopped = self.awaits = False
        self.outside: list[str] = []
        self.wrong: list[int] = []
        self.fixed: list[int] = []
        self.usage: dict[str, int] = {}

    def set(self, key: str, value: object) -> None:
        """Keep a part of the record that was said; None was not."""
        if value is not None:
            self.record[key] = value

    def fail(self, error: str | None) -> None:
        """Note that the runner says that this iteration failed, and with which words."""
        self.record["is_error"] = True
        self.set("error", error or None)

    def concluded(self, format: str, *, failed: bool = False) -> Unwrapped:
        """
        Return the sum.

        Args:
            format: One of `exitgate.core.envelopes.plain.FORMATS`.
            failed: Whether the agent's exit status is known and not 0.
        """
        said = list(self.messages.texts())
        final = self._final(said)
        response = "\n\n".join(said) if final is None else final
        if (
            final is not None
            and not _repeats_last_message(final, said)
            and self.record.get("is_error") is not True
        ):
            said.append(final)
        results = self.calls.results
        known = self.calls.own is not None or bool(results)
        return Unwrapped(
            format,
            response,
            "\n\n".join(said),
            "\n".join(results) if known else None,
            {"format": format, **self._concluded_record(failed)},
            self._warnings(),
            taken_out=True,
            calls=tuple(self.calls.told) if self.calls.own is not None else None,
            lost=self._lost(),
            ended=self.ended and not self.cut,
        )

    def _lost(self) -> str:
        """Return why calls may be missing or incomplete, or the empty text."""
        if self.wrong:
            return f"{_lines(self.wrong)} not JSON"
        if any(is_torn(line) for line in self.outside):
            return "a line between the events may be a part of one"
        return "its JSON is cut off at the end" if self.cut else self.calls.lost

    def _final(self, said: list[str]) -> str | None:
        """
        Return the text of the result, None without one or where an empty one is beside messages.

        Where it only began the agent's last message once more and was cut off, that message counts.
        """
        begun = (self.final or "").strip()
        if not begun and said:
            return None
        if self.cut and begun and said and said[-1].strip().startswith(begun):
            return said[-1]
        return self.final

    def _concluded_record(self, failed: bool) -> dict[str, object]:
        record = dict(self.record)
        if self.denials is not None:
            record["denials"] = self.denials
        if self.limits:
            record["limits"] = self.limits
        if "tokens" not in record and self.usage:
            record["tokens"] = sum(self.usage.values())
        for key, value in (("tool_calls", self.calls.own), ("files_changed", self.calls.files_changed())):
            if value is not None:
                record.setdefault(key, value)
        truncated = self._truncated()
        if truncated is not None:
            record["truncated"] = truncated
        if failed:
            record["tail"] = tail_of("\n".join(self.outside))
        return record

    def _truncated(self) -> bool | None:
        """
        Return whether the end of the turn is missing; None where nothing says it.

        It is where the text breaks off, where the event with which such a stream ends does not exist, where
        the model stopped for a tool or for want of room, and where its last message called a tool. A turn
        that ended as a failure, or with a call that nothing came back of, may have had more to say.
        """
        told = "".join(filter(str.isalpha, (text_at(self.record, "stop_reason") or "").lower()))
        if self.cut or self.stopped or (self.expects and not self.ended) or told in _GOES_ON:
            return True
        if self.ended and (self.record.get("is_error") is True or self.calls.is_open()):
            return None
        if self.ended or told in _OVER:
            return False
        return True if self.awaits else None

    def _warnings(self) -> tuple[str, ...]:
        found = []
        if self.wrong:
            found.append(f"{_lines(self.wrong)} not JSON and skipped")
        if self.fixed:
            found.append(f"{_lines(self.fixed)} read with wrong backslashes fixed")
        if self.cut:
            found.append("its JSON is cut off at the end; the rest counts")
        return tuple(found)


def _repeats_last_message(final: str, said: list[str]) -> bool:
    """Return whether the result only says the agent's last message again."""
    return not final.strip() or (bool(said) and said[-1].strip().endswith(final.strip()))


def _lines(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_NAMED])
    if len(numbers) == 1:
        return f"line {shown} was"
    rest = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return f"lines {shown}{rest} were"


# What the agent itself said, message by message.


class Message:
    """One message: its text blocks, each in pieces, and whether they are those of the whole message."""

    __slots__ = ("blocks", "named", "whole")

    def __init__(self, *, named: bool, whole: bool) -> None:
        self.blocks: list[list[str]] = []
        self.named = named
        self.whole = whole

    def text(self) -> str:
        """Return the blocks, a line end between them."""
        return "\n".join("".join(block) for block in self.blocks)


class Messages:
    """
    Messages in the order in which they began.

    A runner writes one message as several lines, one block each; some write it again as it grows,
    some write every piece first. Lines of one id are one message, a longer text of it replaces
    the shorter one that it begins with, and the whole message instead of its pieces.
    """

    def __init__(self) -> None:
        self._all: list[Message] = []
        self._by_id: dict[str, Message] = {}
        self._written: Message | None = None

    def say(self, text: str, id: str | None = None) -> None:
        """Add a text block of the message `id`, or a message of its own without one."""
        message = self._by_id.get(id) if id is not None else None
        if message is None:
            message = self._unnamed(text)
        if message is None:
            message = self._begin(id, whole=True)
        if not message.whole:
            message.blocks, message.whole = [], True
        last = message.blocks[-1] if message.blocks else None
        if id is not None and last is not None and text.startswith(last[0]):
            last[:] = [text]
        else:
            message.blocks.append([text])
        if id is not None:
            self._by_id[id] = message

    def begin(self, id: str | None) -> None:
        """Note that a message begins whose pieces follow."""
        known = self._by_id.get(id) if id is not None else None
        self._written = known if known is not None else self._begin(id, whole=False)

    def begin_block(self) -> None:
        """Note that a block of the message that is being written begins."""
        if self._written is not None and not self._written.whole:
            self._written.blocks.append([])

    def say_part(self, text: str) -> None:
        """Add a piece of the block that is being written."""
        if self._written is None:
            self._written = self._begin(None, whole=False)
        if self._written.whole:
            return  # the whole of it was there before
        if not self._written.blocks:
            self._written.blocks.append([])
        self._written.blocks[-1].append(text)

    def texts(self) -> Iterator[str]:
        """Yield the texts of the messages that have one, in order."""
        for message in self._all:
            text = message.text()
            if text.strip():
                yield text

    def _begin(self, id: str | None, *, whole: bool) -> Message:
        message = Message(named=id is not None, whole=whole)
        self._all.append(message)
        if id is not None:
            self._by_id[id] = message
        return message

    def _unnamed(self, text: str) -> Message | None:
        """Return the message whose pieces came without an id, when `text` begins as they do."""
        written = self._written
        if written is None or written.whole or written.named:
            return None
        begun = written.text().strip()
        return written if begun and text.strip().startswith(begun) else None
