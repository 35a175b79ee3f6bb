"""What the agent itself said, message by message."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


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
