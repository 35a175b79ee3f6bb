"""A service on loopback that keeps what it is sent, and answers as it is asked to."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Sent(NamedTuple):
    """A request: path, headers, body."""

    path: str
    headers: dict[str, str]
    body: str


class SinkServer:
    """
    The service.

    Args:
        status: Of its answers.
        headers: More of them.
    """

    def __init__(self, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.sent: list[Sent] = []
        self.status = status
        self.hold = threading.Event()
        self.hold.set()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                server.sent.append(Sent(self.path, dict(self.headers), body))
                server.hold.wait(60)
                self.send_response(server.status)
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/secret-path"

    def stop(self) -> None:
        """End it."""
        self.hold.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
