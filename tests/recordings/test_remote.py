"""A file system that fsspec knows fails with anything at any moment: that is told, without a traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from cases import each
from fsspec.implementations.memory import MemoryFileSystem
from judged_loops import policy
from sessions_on_disk import session

from exitgate.recordings.location import Location
from exitgate.recordings.replay.dry_run import dry_run

WORDS = ["unsure", "likely", "certain", "unsure"]


class LoginError(Exception):
    """What a client of some store raises: not an OSError."""


class Failing(MemoryFileSystem):  # type: ignore[misc]
    """A file system in memory whose call of number `fails_at` fails, and those after it if `stays`."""

    protocol = "failing"
    cachable = False
    store: dict[str, Any] = MemoryFileSystem.store
    fails_at, calls, stays = 0, 0, True
    error: Exception = LoginError("token expired")

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(MemoryFileSystem._strip_protocol(path.replace("failing:", "memory:")))


def counted(name: str) -> Any:
    asked = getattr(MemoryFileSystem, name)

    def call(self: Failing, *arguments: Any, **options: Any) -> Any:
        fail_or_go_on()
        found = asked(self, *arguments, **options)
        return Stream(found) if name == "open" else found

    return call


def fail_or_go_on() -> None:
    Failing.calls += 1
    if Failing.calls == Failing.fails_at or (Failing.stays and Failing.calls > Failing.fails_at > 0):
        raise Failing.error


class Stream:
    """An open file that may fail when it is read."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def read(self, size: int = -1) -> bytes:
        fail_or_go_on()
        return bytes(self.file.read(size))

    def readline(self, size: int = -1) -> bytes:
        fail_or_go_on()
        return bytes(self.file.readline(size))

    def close(self) -> None:
        self.file.close()


for method in ("ls", "isdir", "isfile", "open", "size", "info"):
    setattr(Failing, method, counted(method))


@pytest.fixture
def sure(tmp_path: Path) -> str:
    return policy(tmp_path)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[str]:
    fsspec.register_implementation("failing", Failing, clobber=True)
    system = MemoryFileSystem()
    for name in ("one", "two"):
        system.pipe(f"/deep/{name}.jsonl", session(tmp_path, name, WORDS).read_bytes())
    yield "failing://deep"
    system.rm("/deep", recursive=True)


@each(
    ("error", "stays"),
    [
        (LoginError("token expired"), True),
        (LoginError("token expired"), False),
        (KeyError("etag"), True),
        (ValueError(), False),
        (OSError("no route"), True),
    ],
)
def test_whatever_fails_and_whenever_is_told(deep: str, sure: str, error: Exception, stays: bool) -> None:
    Failing.stays, Failing.error, Failing.fails_at, Failing.calls = stays, error, 0, 0
    whole = dry_run([deep], [sure], jobs=1)
    assert (len(whole.results), whole.code) == (2, 0)
    for number in range(1, Failing.calls + 1, 1 if error.args == () else 3):
        Failing.fails_at, Failing.calls = number, 0
        found = dry_run([deep], [sure], jobs=1)
        told = [one.message for one in found.unread] + [str(one) for one in found.problems]
        if found.code == 0:
            assert [one.stop for one in found.results] == [one.stop for one in whole.results]
        else:
            assert found.code == 74
            assert told
            assert json.dumps(told).count("Traceback") == 0
            expected = f"{type(error).__name__}: {error}".removesuffix(": ")
            assert any(one.endswith((expected, "/deep")) for one in told), told


@each("ask", ["exists", "names", "read", "text", "open"])
def test_a_place_fails_with_an_error_of_the_system(deep: str, ask: str) -> None:
    Failing.stays, Failing.error, Failing.fails_at, Failing.calls = True, LoginError("token\nexpired"), 1, 0
    place = Location("/deep/one.jsonl", system=Failing())
    with pytest.raises(OSError, match="LoginError: token expired"):
        getattr(place, ask)()
    assert place.size() is None
    with pytest.raises(OSError, match="LoginError: token expired"):
        list(place.lines())
