"""The studio listens: on loopback alone, at an address with a secret in it, until it is interrupted."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from exitgate.core.system.portable import WINDOWS
from exitgate.surfaces.studio.http.app import Api, studio_app
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.guard import TOKEN

LOOPBACK = "127.0.0.1"
#: Seconds that requests under way have when the studio ends.
PATIENCE = 2
#: Connections at once; each page keeps at most six.
CONNECTIONS = 128


def listening(port: int) -> socket.socket:
    """
    Return a socket that listens on loopback; port 0 is one that is free.

    Raises:
        OSError: The port is taken, or this user may not open it.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if not WINDOWS:  # there it would let another program listen at the same port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError:
        found.close()
        raise
    return found


def server_of(
    api: Api,
    place: socket.socket,
    *,
    read_only: bool,
    tell: Callable[[str], None],
    crashed: Callable[[Exception], None],
) -> Server:
    """
    Return the studio's server; it serves until it is interrupted.

    Args:
        api: What it can be asked.
        place: Where it listens, of `listening`.
        read_only: Whether changes of files are refused.
        tell: Is called with the address as soon as it answers.
        crashed: Is called with each fault of our own.
    """
    port = place.getsockname()[1]
    token = secrets.token_urlsafe(24)
    app = studio_app(api, token, port, read_only=read_only, crashed=crashed)
    settings = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", ws="none", http="h11", loop="asyncio",
        proxy_headers=False, server_header=False, limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=PATIENCE,
    )  # fmt: skip
    return Server(settings, place, api.events, lambda: tell(f"http://{LOOPBACK}:{port}/?{TOKEN}={token}"))


class Server(uvicorn.Server):
    """A server that says when it answers, and ends the streams of its pages when it ends."""

    def __init__(
        self, config: uvicorn.Config, place: socket.socket, events: Events, answers: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._place = place
        self._events = events
        self._answers = answers

    def run_until_interrupted(self) -> None:
        """Serve until `should_exit` is set, or somebody presses Ctrl-C."""
        with suppress(KeyboardInterrupt):
            self.run([self._place])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets)
        self._answers()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of all pages, then the rest."""
        self._events.close()
        await super().shutdown(sockets)
