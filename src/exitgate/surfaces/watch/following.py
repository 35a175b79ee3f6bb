"""Following a run until it ends: look, show, wait, and again; the same for a screen and for lines."""

from __future__ import annotations

from exitgate.surfaces.watch.notify import Notices
from exitgate.surfaces.watch.waiting import LEFT
from exitgate.surfaces.watch.watcher import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from exitgate.surfaces.watch.asked import Asked
    from exitgate.surfaces.watch.waiting import Waiting

    Line = dict[str, object]

    class Showing(Protocol):
        """Where it is shown."""

        def decided(self, line: Line) -> bool:
            """Show a new decision; return False when nobody reads any more."""

        def told(self, trouble: str) -> None:
            """Show what could not be read or done."""

        def drawn(self, watcher: Watcher) -> None:
            """Show how things stand now."""


def follow(asked: Asked, watcher: Watcher, waiting: Waiting, showing: Showing) -> int | None:
    """
    Show a run until it ends or the user leaves.

    Returns:
        The exit code of the EXIT that ended the run; None when the user or the reader left.
    """
    notices = Notices(asked.command, asked.directory)
    try:
        return _follow(asked, watcher, waiting, showing, notices)
    finally:
        for trouble in notices.wait():
            showing.told(trouble)


def _follow(
    asked: Asked, watcher: Watcher, waiting: Waiting, showing: Showing, notices: Notices
) -> int | None:
    while True:
        found = watcher.look()
        troubles = list(found.troubles)
        for line in found.decisions:
            if not showing.decided(line):
                return None
            troubles += notices.tell(line)
        troubles += notices.done()
        for trouble in troubles:
            showing.told(trouble)
        watcher.keep(troubles[len(found.troubles) :])
        showing.drawn(watcher)
        if found.ended is not None and not asked.follow:
            return found.ended
        if waiting.wait(0 if watcher.more else asked.interval) == LEFT:
            return None
