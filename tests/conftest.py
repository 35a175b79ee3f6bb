"""What all tests share: modules to import, properties without deadlines, a place for event loops."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent / "shared"))

from suite import pytest_addoption, pytest_configure

from exitgate.core.observe import files

__all__ = ["own_event_loop", "pytest_addoption", "pytest_configure"]
#: A variable that polars sets for itself when it is imported.
OF_POLARS = "_RJEM_MALLOC_CONF"
# Tests that ask twice about one file do not depend on how fast they are: none is told to be stale.
files._TICK = 1 << 62
# Ledgers of tests begin with the same line again and again: no head is kept of them where no test asks.
os.environ["XDG_STATE_HOME"] = os.devnull
# exitgate's own suite may be what a probe runs.
os.environ.pop("EXITGATE_PROBE", None)
# Tests read the repository's YAML again and again; libyaml reads the same values, ten times as fast.
yaml.safe_load = functools.partial(yaml.load, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
# A shell that starts the suite behind its back ignores these, and all its children would, too.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.default_int_handler if ignored == signal.SIGINT else signal.SIG_DFL)


@pytest.fixture(autouse=True, scope="module")
def left_as_found() -> Iterator[None]:
    """See to it that a file leaves the environment and the current folder to the next one as they were."""
    before, place = dict(os.environ), os.getcwd()
    yield
    changed = {name for name, _ in before.items() ^ os.environ.items()} - {"PYTEST_CURRENT_TEST", OF_POLARS}
    assert not changed, f"left changed in the environment: {', '.join(sorted(changed))}"
    assert os.getcwd() == place


@pytest.fixture
def own_event_loop() -> Iterator[None]:
    """Put the event loop of a browser aside: in its thread it counts as running as long as it is open."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)
