"""Services that hear of EXITs in the project's ledger while the studio runs, as with `exitgate watch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.watch.sinks import Sink, Sinks
from exitgate.surfaces.watch.watcher import Watcher

#: Seconds between two looks at the ledger.
PAUSE = 1.0


def notify(directory: str, services: Sequence[Sink], events: Events, tell: Callable[[str], None]) -> None:
    """
    Send each EXIT that is decided from now on, until the studio ends; then wait for what is under way.

    Args:
        directory: The state directory; a ledger may begin there later.
        services: What hears of it.
        events: Of the studio; it ends with them.
        tell: Is called with each sentence on what went wrong.
    """
    watcher, sinks = Watcher(directory, None), Sinks(services, directory)
    watcher.look()
    while events.pause(0.0 if watcher.more else PAUSE):
        found = watcher.look()
        troubles = [*found.troubles, *(text for line in found.decisions for text in sinks.tell(line))]
        for text in (*troubles, *sinks.done()):
            tell(text)
    for text in sinks.wait():
        tell(text)
