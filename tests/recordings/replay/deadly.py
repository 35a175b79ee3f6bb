"""Work that other processes can load, and that one of them does not survive."""

from __future__ import annotations

import os

from exitgate.recordings.discovery import Found
from exitgate.recordings.replay.dry_run import Replaying
from exitgate.recordings.replay.transcript import ReplayedTranscript


class Deadly(Replaying):
    """Work that ends its process over one transcript, as the system does when memory is short."""

    def __reduce__(self) -> tuple[type[Replaying], tuple[object, ...]]:
        return Deadly, self._given

    def __call__(self, found: Found) -> ReplayedTranscript:
        if "killer" in found.place.path:
            os.kill(os.getpid(), 9)
        return super().__call__(found)
