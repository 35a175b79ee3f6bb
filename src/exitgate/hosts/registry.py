"""Every host, by its id."""

from __future__ import annotations

from exitgate.hosts.codes import UNKNOWN_HOST, problem
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from exitgate.hosts.fields import Payload
    from exitgate.hosts.turn import Reply, Turn

    class Host(Protocol):
        """What the module of a host offers."""

        def cap(self, environment: Mapping[str, str]) -> int:
            """Return after how many blocks in a row the host itself ends the turn, at least 1."""

        def read(self, payload: Payload, environment: Mapping[str, str]) -> Turn:
            """Return the turn that a payload shows; never raises, no matter what is in it."""

        def said(self, record: Payload) -> tuple[bool, str] | None:
            """Return whether a line of the transcript is the user's, and its text; None for other lines."""

        def stop_told(self, record: Payload) -> str | None:
            """Return the time of the stop that a line of the transcript shows; None for other lines."""

        def go_on(self, reason: str, note: str) -> Reply:
            """Return the reply that holds the agent back with `reason`; the user sees `note`."""

        def let_stop(self, note: str) -> Reply:
            """Return the reply that lets the agent stop; the user sees `note`."""


#: Ids as they are in the command line; the module has `_` for `-`.
HOSTS = ("claude-code", "codex", "gemini", "copilot", "cursor")


def load(host: str) -> Host:
    """Return the module of a host; only that one is imported. Raises `ExitgateError` (64)."""
    if host not in HOSTS:
        raise problem(UNKNOWN_HOST, f"no host `{host}`", f"hosts: {', '.join(HOSTS)}", USAGE)
    module: Host = __import__(f"exitgate.hosts.{host.replace('-', '_')}", fromlist=["read"])
    return module
