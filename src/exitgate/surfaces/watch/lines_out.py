"""Decisions as lines, each written and flushed as soon as it is there; remarks go to stderr."""

from __future__ import annotations

from exitgate.surfaces.watch.following import follow
from exitgate.surfaces.watch.line import plain_line, text_line
from exitgate.surfaces.watch.waiting import of_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.surfaces.watch.asked import Asked
    from exitgate.surfaces.watch.watcher import Watcher

    Line = dict[str, object]
    #: Writes a text at once; False when the reader is gone.
    Write = Callable[[str], bool]


def in_lines(asked: Asked, watcher: Watcher, out: int, write: Write, remark: Write) -> int | None:
    """
    Write a line for each new decision until the run ends or the reader is gone.

    Args:
        asked: How to watch.
        watcher: Of the ledger.
        out: Descriptor of what `write` writes to; -1 for none.
        write: Takes lines.
        remark: Takes sentences on what could not be read, and on what is waited for.

    Returns:
        The exit code of the EXIT that ended the run, or None.
    """
    with of_lines(out) as waiting:
        return follow(asked, watcher, waiting, _Lines(asked, write, remark))


class _Lines:
    def __init__(self, asked: Asked, write: Write, remark: Write) -> None:
        self._form = plain_line if asked.json else text_line
        self._write = write
        self._remark = remark
        self._standing = ""

    def decided(self, line: Line) -> bool:
        """Write it."""
        return self._write(self._form(line))

    def told(self, trouble: str) -> None:
        """Tell it on stderr; what becomes of that ends nothing."""
        self._remark(f"warning: {trouble}")

    def drawn(self, watcher: Watcher) -> None:
        """Say which run is followed when that changes."""
        standing = f"watching {watcher.sight.run}" if watcher.sight.run is not None else "waiting for a run"
        if standing != self._standing:
            self._remark(standing)
            self._standing = standing

    def waits(self, _: Watcher, text: str) -> None:
        """Say it."""
        self._remark(text)
