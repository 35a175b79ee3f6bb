"""A cluster gives what this process gives, in the same order, whatever becomes of its workers."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fleet_works as works
import fsspec
import psutil
import pytest
from cli_program import run
from fleet_works import died, name
from patience import PATIENCE

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.fleet.cluster.cluster import LOSSES, Cluster
from exitgate.fleet.cluster.connection import Connection, connection
from exitgate.recordings.discovery import Found
from exitgate.recordings.location import Location
from exitgate.recordings.replay.executors import AHEAD, Sized

EXAMPLES = Path(__file__).parents[3] / "examples" / "transcripts"
LABELS = str(EXAMPLES / "labels.yaml")
HERE = Connection()
BYTES = 4_000_000


def some(count: int) -> list[Sized]:
    return [(Found(Location(f"/nowhere/run-{n:02}.jsonl"), "any"), BYTES) for n in range(count)]


def names(count: int) -> list[str]:
    return [f"run-{n:02}" for n in range(count)]


COMMANDS = {
    "dry-run": ("dry-run", ".", "-p", "recommended", "-p", "bb3", "--detail", "--all", "--format", "json"),
    "score": ("score", ".", "-l", LABELS, "-p", "recommended", "--by-run"),
    "compare": ("compare", "bb3", "recommended", "--runs", ".", "--format", "json"),
    "tune": ("tune", ".", "-l", LABELS, "-p", "bb3", "-P", "min_confidence=60,80"),
    "calibrate": ("calibrate", ".", "-l", LABELS, "-p", "bb3"),
    "transcripts": ("transcripts", ".", "--format", "json"),
}


@pytest.mark.usefixtures("shared_cluster")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_bytes_as_here(command: str) -> None:
    words = COMMANDS[command]
    here = run(*words, cwd=EXAMPLES)
    there = run(*words, "--executor", "dask", cwd=EXAMPLES)
    assert there.out == here.out
    assert (there.code, there.err) == (here.code, here.err)
    assert here.out.strip()


@pytest.mark.usefixtures("shared_cluster")
def test_the_order_is_that_of_the_transcripts(tmp_path: Path) -> None:
    with Cluster(HERE, limit=1) as cluster:
        found = list(cluster.each(works.Waits(str(tmp_path), "run-05"), some(6), died))
    assert found == names(6)
    assert cluster.remarks == ()


@pytest.mark.usefixtures("shared_cluster")
def test_a_worker_that_dies_loses_nothing_and_is_reported(tmp_path: Path) -> None:
    with Cluster(HERE, limit=2 * BYTES) as cluster:
        assert list(cluster.each(works.DiesOnce(str(tmp_path)), some(8), died)) == names(8)
    assert cluster.remarks == ("1 worker died; what they had was read again",)


@pytest.mark.usefixtures("shared_cluster")
def test_a_transcript_that_kills_its_workers_is_a_failure_of_its_own() -> None:
    with Cluster(HERE, limit=4 * BYTES) as cluster:
        found = list(cluster.each(works.poisoned, some(8), died))
    expected = names(8)
    expected[2], expected[5] = "run-02 died", "run-05 died"
    assert found == expected
    assert any("workers died" in remark for remark in cluster.remarks)


@pytest.mark.usefixtures("shared_cluster")
def test_no_more_than_a_window_is_under_way() -> None:
    taken, given = 0, 0

    def found() -> Iterator[Sized]:
        nonlocal taken
        for one in some(40):
            taken += 1
            yield one

    with Cluster(HERE, limit=1) as cluster:
        for _ in cluster.each(name, found(), died):
            given += 1
            assert taken - given <= 2 * AHEAD + 2
        assert cluster.most == 2 * AHEAD
    assert given == 40


@pytest.mark.usefixtures("shared_cluster")
def test_a_scheduler_that_is_lost_is_asked_again() -> None:
    with Cluster(HERE, limit=1) as cluster:
        found = []
        for one in cluster.each(name, some(20), died):
            found.append(one)
            if len(found) in (3, 4, 11):
                cluster._client.close()
    assert found == names(20)
    assert len(cluster.remarks) == 3
    assert all("the scheduler was lost" in remark for remark in cluster.remarks)


@pytest.mark.usefixtures("shared_cluster")
def test_a_scheduler_that_is_lost_for_good_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(HERE, limit=1) as cluster:
        enter = cluster._enter

        def lost_at_once() -> None:
            enter()
            submit = cluster._client.submit

            def closing(*given: object, **more: object) -> Any:
                future = submit(*given, **more)
                cluster._client.close()
                return future

            cluster._client.submit = closing

        monkeypatch.setattr(cluster, "_enter", lost_at_once)
        cluster._client.close()
        with pytest.raises(ExitgateError) as caught:
            list(cluster.each(name, some(1), died))
    assert caught.value.exit_code == 74
    assert f"was lost {LOSSES + 1} times" in caught.value.diagnostics[0].message


@pytest.mark.usefixtures("shared_cluster")
def test_a_bug_in_the_work_is_no_death() -> None:
    with Cluster(HERE) as cluster, pytest.raises(LookupError, match="run-00"):
        list(cluster.each(works.fails, some(2), died))


@pytest.mark.usefixtures("shared_cluster")
def test_what_only_this_process_reaches_stays_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory = Found(Location("memory://a.jsonl", False, fsspec.filesystem("memory")), "any")
    with Cluster(HERE) as cluster:
        here, there = cluster.each(works.where, [(memory, 1), *some(1)], died)
    assert here == f"{os.getpid()} {tmp_path}"
    assert there.split()[0] != str(os.getpid())
    assert there.split()[1] == str(tmp_path), "relative paths start where they did"


@pytest.mark.usefixtures("shared_cluster")
def test_a_worker_imports_nothing_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted_in_the_folder.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with Cluster(HERE, limit=1) as cluster:
        assert [*cluster.each(works.finds, some(4), died)] == ["None"] * 4


def test_it_listens_on_this_machine_alone_and_only_to_who_has_its_key(running: Any) -> None:
    own = psutil.Process()
    listening = {
        connected.laddr
        for process in (own, *own.children(recursive=True))
        for connected in process.net_connections("tcp")
        if connected.status == psutil.CONN_LISTEN
    }
    port = int(running.scheduler.address.rpartition(":")[2])
    assert running.scheduler.address.startswith("tls://127.0.0.1:")
    assert port in {address.port for address in listening}
    assert {address.ip for address in listening} == {"127.0.0.1"}
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
        plain.sendall(b"\x00" * 64)
        with contextlib.suppress(ConnectionResetError):
            assert plain.recv(1) in (b"", b"\x15"), "an alert of TLS, or the end"
    for address in listening:
        with contextlib.suppress(OSError), socket.create_connection(address, timeout=PATIENCE) as plain:
            plain.sendall(b"GET /info/main/workers.html HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert not plain.recv(64).startswith(b"HTTP/1.1 200")
    from distributed import Client

    with pytest.raises((OSError, TimeoutError)):
        Client(f"tcp://127.0.0.1:{port}", timeout=1, set_as_default=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--executor", "dask", "--scheduler", "tcp://10.0.0.7:8786"), "is not encrypted"),
        (
            ("--executor", "dask", "--scheduler", "tls://h:1", "--workers", "2"),
            "`--workers` is for a cluster on this",
        ),
        (("--executor", "dask", "--insecure"), "`--insecure` is for `--scheduler"),
        (("--executor", "dask", "--workers", "0"), "--workers"),
        (("--executor", "dask", "--jobs", "2"), "`--jobs` is for processes"),
        (("--executor", "dask", "--timings"), "`--timings` measures this process"),
        (("--scheduler", "tls://h:1"), "`--scheduler` is for a cluster"),
        (("--workers", "2"), "`--workers` is for a cluster"),
        (("--insecure",), "`--insecure` is for a cluster"),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], said: str) -> None:
    ran = run("dry-run", ".", "-p", "bb3", *words, cwd=EXAMPLES)
    assert ran.code == 64
    assert said in " ".join(ran.err.split())


def test_an_address_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.fleet.cluster.connection.PATIENCE", 1)
    given = connection("tcp://127.0.0.1:1", None, insecure=True)
    with pytest.raises(ExitgateError) as caught, Cluster(given):
        pass
    assert caught.value.exit_code == 74


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.fleet.cluster.connection.find_spec", lambda _: None)
    ran = run("dry-run", ".", "-p", "bb3", "--executor", "dask", cwd=EXAMPLES)
    assert ran.code == 64
    assert "install `exitgate[fleet]`" in ran.err
