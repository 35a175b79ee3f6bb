"""A cluster elsewhere: its own certificates, and a scheduler that is killed and comes back."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import dask
import fleet_works as works
import pytest
from fleet_works import died

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.fleet.cluster.certificates import LOOPBACK, security_in
from exitgate.fleet.cluster.cluster import Cluster
from exitgate.fleet.cluster.connection import connection
from exitgate.recordings.discovery import Found
from exitgate.recordings.location import Location
from exitgate.recordings.replay.executors import Sized

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start one of Dask's programs; all of them are ended with the test."""
    with ExitStack() as leave:

        def started(program: str, *words: str) -> subprocess.Popen[bytes]:
            whole = [sys.executable, "-m", f"distributed.cli.{program}", *words, "--no-dashboard"]
            child = subprocess.Popen(
                whole,
                env={**os.environ, "PYTHONPATH": str(Path(works.__file__).parent)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            leave.callback(child.wait)
            leave.callback(child.kill)
            return child

        yield started


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "name no certificates"),
        ({"ca-file": "/nowhere.pem", "client.cert": "/nowhere.pem"}, "No such file"),
    ],
)
def test_an_address_without_certificates_is_refused_at_once(settings: dict[str, str], said: str) -> None:
    given = {f"distributed.comm.tls.{name}": path for name, path in settings.items()}
    asked = connection(f"tls://{LOOPBACK}:1", None, insecure=False)
    with dask.config.set(given), pytest.raises(ExitgateError) as caught, Cluster(asked):
        pass
    assert caught.value.exit_code == 74
    assert said in caught.value.diagnostics[0].message


@pytest.mark.skipif(
    "not config.getoption('--every-case')", reason="starts four interpreters; the soak has it"
)
def test_a_scheduler_that_is_killed_and_started_again_loses_nothing(tmp_path: Path, start: Start) -> None:
    security_in(str(tmp_path))
    own = (str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem"))
    tls = ("--tls-ca-file", own[0], "--tls-cert", own[0], "--tls-key", own[1])
    with socket.create_server((LOOPBACK, 0)) as free:
        port = str(free.getsockname()[1])
    address = f"tls://{LOOPBACK}:{port}"
    scheduler = ("dask_scheduler", "--protocol", "tls", "--host", LOOPBACK, "--port", port, *tls)
    worker = ("dask_worker", address, "--nthreads", "1", "--no-nanny", "--host", LOOPBACK, *tls)
    running = start(*scheduler)
    start(*worker)
    found: list[Sized] = [(Found(Location(f"/nowhere/run-{n:02}.jsonl"), "any"), 1) for n in range(20)]
    asked = connection(address, None, insecure=False)

    settings = {"ca-file": own[0], "client.cert": own[0], "client.key": own[1]}
    given = []
    with (
        dask.config.set({f"distributed.comm.tls.{name}": path for name, path in settings.items()}),
        Cluster(asked, limit=1) as cluster,
    ):
        for one in cluster.each(works.name, found, died):
            given.append(one)
            if len(given) == 5:
                running.kill()
                running.wait()
                start(*scheduler)
                start(*worker)
    assert given == [f"run-{n:02}" for n in range(20)]
    assert cluster.remarks == ("the scheduler was lost; what it had not given back was asked for again",)
