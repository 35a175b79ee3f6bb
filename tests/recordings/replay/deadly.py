"""A task that processes of their own can load, and that one of them does not survive."""

from __future__ import annotations

import os

from exitgate.recordings.replay import dry_run
from exitgate.recordings.replay.dry_run import Task


class Deadly(Task):
    """A task that ends its process over one transcript, as the system does when memory is short."""

    __slots__ = ()

    def __setstate__(self, state: tuple[None, dict[str, object]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, value)
        real = dry_run.replay_transcript

        def walk(found: object, *rest: object) -> object:
            if "killer" in found.place.path:  # type: ignore[attr-defined]
                os.kill(os.getpid(), 9)
            return real(found, *rest)  # type: ignore[arg-type]

        dry_run.replay_transcript = walk  # type: ignore[assignment]
