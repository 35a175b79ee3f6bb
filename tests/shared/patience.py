"""Waiting for what another process or thread does: as long as it takes, and never for ever."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds after which a test gives up. Nothing takes a hundredth of it; only what hangs is still there then.
PATIENCE = 300.0


def wait_for(is_so: Callable[[], object], what: object = "what was waited for", pause: float = 0.005) -> None:
    """
    Wait until a question is answered with something true.

    Raises:
        AssertionError: When it is not within `PATIENCE`.
    """
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, f"{what} never came"
        time.sleep(pause)
