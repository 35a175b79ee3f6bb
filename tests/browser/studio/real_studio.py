"""A studio as a user starts it, in a thread, with its data at hand."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from queue import Queue

from patience import PATIENCE
from studio_pages import EXAMPLES

from exitgate.recordings.scoring.labels import load
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.server import listening, server_of
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.policies import Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

SHIPPED = {"bb3": "bb3", "loop-detection": "loop-detection"}


class Real:
    """
    A studio with its data at hand.

    Args:
        policies: What they are called -> reference, None for the one in force.
        paths: Its runs, by default the examples.
        labels: Files of labels, by default those of the examples.
        read_only: Whether it only reads.
    """

    def __init__(
        self,
        policies: Mapping[str, str | None] = SHIPPED,
        paths: Sequence[str] = (str(EXAMPLES),),
        labels: Sequence[str] = (str(EXAMPLES / "labels.yaml"),),
        *,
        read_only: bool = False,
    ) -> None:
        events = Events()
        origins = [Origin(name, reference, {}, ".") for name, reference in policies.items()]
        self.workspace = Workspace(paths, origins, [load(one) for one in labels], publish=events.publish)
        self.workspace.load()
        self.crashed: list[Exception] = []
        place, addresses = listening(0), Queue[str]()
        self.port: int = place.getsockname()[1]
        api = api_of(self.workspace, events, read_only=read_only)
        self._server = server_of(
            api, place, read_only=read_only, tell=addresses.put, crashed=self.crashed.append
        )
        self._thread = threading.Thread(target=self._server.run_until_interrupted)
        self._thread.start()
        self.address = addresses.get(timeout=PATIENCE)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert self.crashed == []
