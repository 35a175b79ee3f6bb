"""What `exitgate studio` does: reads the runs, listens on loopback, opens the browser; or writes files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from msgspec import Struct

from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.system.browser import open_page
from exitgate.recordings.scoring.labels import Labels
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.server import listening, server_of
from exitgate.surfaces.studio.inputs import Inputs
from exitgate.surfaces.studio.notify import notify
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.live import Live
from exitgate.surfaces.studio.workspace.policies import Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace
from exitgate.surfaces.watch.sinks import Sink


class Asked(Struct, frozen=True):
    """
    What the studio is to show, and how.

    Args:
        inputs: Where transcripts are looked for.
        policies: Where they come from, at least one.
        labels: Where the runs should have stopped, of each person; the first is the user's own.
        reader: Id of the reader, or None to tell it by the content.
        read_only: Whether nothing may be written.
        port: Where it listens, 0 for any that is free.
        opens: Whether the browser is opened.
        services: What hears of EXITs in the ledger of `directory`, the project's state directory.
    """

    inputs: Inputs
    policies: Sequence[Origin]
    labels: Sequence[Labels] = ()
    reader: str | None = None
    read_only: bool = False
    port: int = 0
    opens: bool = True
    services: Sequence[Sink] = ()
    directory: str = ""


def write(asked: Asked, folder: str) -> tuple[int, int]:
    """Write the studio as files; return how many runs and files. Raises `ExitgateError` as `export` does."""
    from exitgate.surfaces.studio.export import export

    workspace = Workspace(asked.inputs.paths(), asked.policies, asked.labels, asked.reader)
    workspace.load()
    return len(workspace.lines), export(api_of(workspace, Events(), read_only=True), folder)


def serve(
    asked: Asked,
    tell: Callable[[str], None],
    crashed: Callable[[Exception], None],
    warn: Callable[[str], None],
) -> None:
    """
    Serve the studio until somebody presses Ctrl-C.

    Args:
        asked: What it shows.
        tell: Is called with the address.
        crashed: Is called with each fault of our own.
        warn: Is called with each sentence on a notification that failed.

    Raises:
        ExitgateError: 74 where it cannot listen.
    """
    try:
        place = listening(asked.port)
    except OSError as error:
        message = f"port {asked.port} of this machine cannot be used: {error.strerror}"
        raise ExitgateError([Diagnostic("EP556", message, help="name another one")], CANNOT_READ) from None

    def answers(address: str) -> None:
        tell(address)
        if asked.opens:
            # A browser that has to start first would keep the studio waiting.
            threading.Thread(target=open_page, args=(address,), daemon=True).start()

    with place:
        events = Events()
        paths = asked.inputs.paths()
        workspace = Workspace(paths, asked.policies, asked.labels, asked.reader, events.publish)
        workspace.remarks.update(zip(asked.inputs.notes, asked.inputs.notes, strict=True))
        live = Live(workspace, asked.inputs.paths)
        api = api_of(workspace, events, asked.read_only, live)
        threading.Thread(target=_load, args=(workspace, crashed), daemon=True).start()
        threading.Thread(target=live.follow, args=(events, crashed), daemon=True).start()
        notifies = threading.Thread(
            target=notify, args=(asked.directory, asked.services, events, warn), daemon=True
        )
        if asked.services:
            notifies.start()
        server_of(
            api, place, read_only=asked.read_only, tell=answers, crashed=crashed
        ).run_until_interrupted()
        if asked.services:
            notifies.join()


def _load(workspace: Workspace, crashed: Callable[[Exception], None]) -> None:
    """Read the transcripts; what is wrong with them is a note of the page."""
    try:
        workspace.load()
    except ExitgateError:
        workspace.publish({"type": "reload"})
    except Exception as error:
        crashed(error)
