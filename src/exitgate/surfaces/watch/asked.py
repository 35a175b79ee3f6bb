"""What a watcher is asked for."""

from __future__ import annotations

from exitgate.model.value import Value


class Asked(Value):
    """
    How to watch.

    Args:
        directory: The state directory.
        wanted: Name or id of a run, or None for the newest.
        follow: Stay when the run has ended, for the next.
        interval: Seconds between two looks.
        json: Decisions are written as JSON lines.
        command: Words of the command that gets an EXIT, or none.
    """

    __slots__ = ("command", "directory", "follow", "interval", "json", "wanted")

    def __init__(
        self,
        directory: str,
        wanted: str | None = None,
        follow: bool = False,
        interval: float = 0.5,
        json: bool = False,
        command: tuple[str, ...] = (),
    ) -> None:
        self.directory = directory
        self.wanted = wanted
        self.follow = follow
        self.interval = interval
        self.json = json
        self.command = command
