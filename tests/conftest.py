"""What tests of all rooms share: modules to import, properties without deadlines, a place for event loops."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "shared"))
# How long an example takes says how busy the machine is.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")
# A shell that starts the suite behind its back ignores these, and all its children would, too.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.default_int_handler if ignored == signal.SIGINT else signal.SIG_DFL)


@pytest.fixture
def own_event_loop() -> Iterator[None]:
    """Put the event loop of a browser aside: in its thread it counts as running as long as it is open."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)
