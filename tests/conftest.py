"""What tests of several rooms need because they share a process with others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture
def own_event_loop() -> Iterator[None]:
    """Put the event loop of a browser aside: in its thread it counts as running as long as it is open."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)
