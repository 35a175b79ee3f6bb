"""Puts what these tests share on the path, and one Dask cluster for all of them in a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent / "recordings")]


@pytest.fixture(scope="session")
def running() -> Iterator[Any]:
    """A client of a cluster of two workers, as `--executor dask` starts it."""
    from exitgate.fleet.cluster.connection import Connection, connected

    client, leave = connected(Connection("", 2))
    yield client
    leave()


@pytest.fixture
def shared_cluster(running: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Every `Cluster` of a test is the one that runs; each has a client of its own."""
    from distributed import Client

    from exitgate.fleet.cluster import cluster

    def connected(_: object) -> tuple[Any, Any]:
        client = Client(running.scheduler.address, security=running.security, set_as_default=False)
        return client, client.close

    monkeypatch.setattr(cluster, "connected", connected)
    return running
