"""What an agent says, for people: JSON that its program prints is shown as the text it carries."""

from __future__ import annotations

import json

from exitgate.loop.through import Through
from exitgate.transcripts.unwrap import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

#: Bytes of one JSON document that are held until it is whole; a longer one is passed on as it is.
LONGEST = 4 << 20
#: What a document begins with, and what a line that ends one written on many lines is.
_OPENS = (b"{", b"[")
_CLOSES = {b"{": b"}", b"[": b"]"}


class Spoken(Through):
    """
    The way of an agent's words to people.

    Text is passed on at once, as it is. A line that begins like JSON is held until it ends; where it is an
    object or a list of objects, what the agent said in it is passed on in its place, if anything. The agent's
    own output is kept as it was: this is only what is shown.
    """

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream)
        self._held = b""
        #: The bracket that ends a document written on many lines, or nothing.
        self._until = b""
        self._inside = False
        self._last = ""

    def add(self, piece: bytes) -> None:
        """Take what was written."""
        rest = self._held + piece
        self._held = b""
        at = passed = 0  # what is between them is text: passed on at once, not line by line
        while at < len(rest):
            end = rest.find(b"\n", at) + 1
            line = rest[at : end or None]
            if self._inside or not self._may_be_json(line):
                self._inside = not end
                at = end or len(rest)
                continue
            super().add(rest[passed:at])
            if not end:  # the start of a line
                self._hold(line)
                return
            passed = at
            at = end
            if self._whole(line):
                passed = at
            elif line.strip() in _CLOSES:  # the text may be one document that has not ended
                rest = self._gathered(line, rest[end:])
                if self._held:
                    return
                at = passed = 0
        super().add(rest[passed:])

    def finish(self) -> None:
        """Pass on what is held: nothing more comes."""
        held, self._held = self._held, b""
        if held and not self._whole(held):
            super().add(held)
        self._inside = False

    def stop(self) -> None:
        """Pass nothing on any more."""
        self._held = b""
        super().stop()

    @staticmethod
    def _may_be_json(line: bytes) -> bool:
        return line.lstrip()[:1] in _OPENS

    def _hold(self, held: bytes) -> None:
        if len(held) > LONGEST:
            super().add(held)
            self._inside = True
        else:
            self._held = held

    def _gathered(self, first: bytes, rest: bytes) -> bytes:
        """Return what follows a document that begins with this bracket; hold it where it has not ended."""
        closes = _CLOSES[first.strip()]
        lines = rest.split(b"\n")
        for at, line in enumerate(lines[:-1]):
            if line.rstrip() == closes:
                document = first + b"\n".join(lines[: at + 1]) + b"\n"
                if not self._whole(document):
                    super().add(document)
                return b"\n".join(lines[at + 1 :])
        self._hold(first + rest)
        return b""

    def _whole(self, document: bytes) -> bool:
        """Pass on what is said in a whole JSON document; return whether it is one."""
        text = document.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        many = isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
        if not isinstance(value, dict) and not many:
            return False
        said = unwrap(text).output.strip()
        if said == text.strip() or said.startswith(("{", "[")):
            said = _plain(value if isinstance(value, dict) else value[-1])
        if said and said != self._last:
            super().add(f"{said}\n".encode("utf-8", "replace"))
        self._last = said or self._last
        return True


def _plain(value: dict[str, object]) -> str:
    """Return the plain values of an object of no known shape, ``status: ok, files: 3``."""
    shown = {name: one for name, one in value.items() if isinstance(one, str | int | float)}
    return ", ".join(f"{name}: {one}" for name, one in shown.items())
