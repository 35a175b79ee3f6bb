"""Following a run until it ends: look, show, wait, and again; the same for a screen and for lines."""

from __future__ import annotations

from contextlib import suppress

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
            """Show a new decision; return False when the reader is gone."""

        def told(self, trouble: str) -> None:
            """Show what could not be read or done."""

        def drawn(self, watcher: Watcher) -> None:
            """Show how things are now."""

        def waits(self, watcher: Watcher, text: str) -> None:
            """Show what is waited for, when all else is done."""


#: Seconds for the command of `--notify` until it is said that it is waited for.
PATIENCE = 1.0
_WAITS = "waiting for the command of --notify; Ctrl-C ends it"


def follow(asked: Asked, watcher: Watcher, waiting: Waiting, showing: Showing) -> int | None:
    """
    Show a run until it ends or the user leaves; Ctrl-C leaves as a key does.

    Returns:
        The exit code of the EXIT that ended the run; None when the user or the reader left.
    """
    notices = Notices(asked.command, asked.directory)
    code: int | None = None
    try:
        try:
            with suppress(KeyboardInterrupt):
                code = _follow(asked, watcher, waiting, showing, notices)
        finally:  # a signal that ends the watcher ends no command that tells somebody of an EXIT
            troubles = _awaited(notices, watcher, showing)
            watcher.keep(troubles)
            for trouble in troubles:
                showing.told(trouble)
    except BaseException:  # but one that comes while it is waited for does
        notices.end()
        raise
    return code


def _awaited(notices: Notices, watcher: Watcher, showing: Showing) -> tuple[str, ...]:
    """Wait for commands that are under way; return what went wrong. A second Ctrl-C ends them."""
    try:
        troubles = notices.wait(PATIENCE)
        if notices.under_way:
            showing.waits(watcher, _WAITS)
            troubles = (*troubles, *notices.wait())
    except KeyboardInterrupt:
        return notices.end()
    return troubles


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
