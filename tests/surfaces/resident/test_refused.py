"""Where a command does not trust what listens, or the resident process does not decide, the command does."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import wait_for
from resident_place import POLICY, PROGRAM, Place, by_resident, copies

from exitgate.surfaces.resident import client, protocol
from exitgate.surfaces.resident.client import connected
from exitgate.surfaces.resident.protocol import BrokenError

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="takes the part of another user")
STRANGER = 54321


@pytest.fixture(autouse=True)
def policy(place: Place) -> None:
    place.write("small.yaml", POLICY)
    place.write("response.md", "It is all done.\n")


def check(place: Place, **variables: str) -> subprocess.CompletedProcess[str]:
    return place.run("check", "-", "-p", "small.yaml", "-v", given="It is all done.\n", **variables)


def refused(place: Place, why: str, **variables: str) -> None:
    """A check decides itself, says why, and records one decision."""
    before = len(place.decisions())
    ran = check(place, **variables)
    assert ran.returncode == 11, ran
    assert ran.stderr.startswith("decided in this process, not by the resident one: ")
    assert why in ran.stderr
    assert len(place.decisions()) == before + 1


@contextmanager
def listening(place: Place, answer: Callable[[socket.socket], object]) -> Iterator[list[int]]:
    """Listen where the resident process would, and do something with each connection."""
    place.socket.parent.mkdir(mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place.socket))
    listener.listen()
    met: list[int] = []

    def work() -> None:
        while True:
            try:
                end, _ = listener.accept()
            except OSError:
                return
            with end:
                met.append(1)
                answer(end)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield met
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def test_nothing_is_said_where_no_process_listens(place: Place) -> None:
    assert check(place).stderr == ""
    assert not place.socket.parent.exists()  # a command makes no place, and starts nothing


def test_a_folder_that_others_can_look_into(place: Place) -> None:
    place.serve()
    place.socket.parent.chmod(0o711)
    refused(place, "is not a folder that only this user can use")


def test_a_folder_that_is_a_link(place: Place) -> None:
    place.serve()
    place.socket.parent.rename(place.runtime / "real")
    place.socket.parent.symlink_to("real")
    refused(place, "is not a folder that only this user can use")


@pytest.mark.parametrize("kind", ["file", "link", "dead"])
def test_what_is_no_socket(place: Place, kind: str) -> None:
    place.socket.parent.mkdir(mode=0o700)
    if kind == "file":
        place.socket.write_text("")
    elif kind == "link":
        place.socket.symlink_to("/dev/log")
    else:
        with listening(place, lambda _: None):
            pass
    refused(place, {"dead": "no process answers"}.get(kind, "is not a socket"))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\0\0\0",
        b"\0\0\0\0",
        b"\xff\xff\xff\xffe0",
        b"\0\0\0\x02e",
        b"\0\0\0\x02zz",
        b"HTTP/1.1 200 OK\r\n\r\n",
        struct.pack(">I", 8) + b"nno, not",
    ],
)
def test_what_answers_nonsense(place: Place, answer: bytes) -> None:
    with listening(place, lambda end: (end.recv(1), end.sendall(answer))) as met:
        refused(place, "")
    assert met


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (b"e", b"zero"),
        (b"e", b"-1"),
        (b"e", b"256"),
        (b"i", b"much"),
        (b"r", b"a\0b"),
        (b"r", b"a\0b\0c\0\xff\0e"),
    ],
)
def test_fields_without_meaning(place: Place, kind: bytes, body: bytes) -> None:
    def answer(end: socket.socket) -> None:
        for file in protocol.receive(end)[2]:
            os.close(file)
        protocol.send(end, kind, body)

    with listening(place, answer):
        refused(place, "its message has no meaning")


def test_a_client_that_cannot_wait_for_git_decides_itself(place: Place) -> None:
    """Who starts a command may have it ignore the ends of its programs: it learns of none how it ended."""
    place.repository()
    place.serve()
    ran = subprocess.run(
        [*PROGRAM, "check", "response.md", "-p", "recommended", "-v"], env=place.environment,
        cwd=place.project, text=True, capture_output=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )  # fmt: skip
    assert ran.stderr.startswith(
        "decided in this process, not by the resident one: how git ended is not known"
    )
    assert ran.returncode == 0, ran
    assert len(place.decisions()) == 1


def test_commands_that_no_check_asks_are_not_run(place: Place) -> None:
    made = place.project / "made"
    line = b"\0".join([b"/usr/bin/git", b"-c", b"alias.x=!touch made", b"x"])
    said: list[tuple[bytes, bytes]] = []

    def ask(end: socket.socket) -> None:
        for file in protocol.receive(end)[2]:
            os.close(file)
        with open(os.devnull, "wb") as nothing:
            protocol.send(end, protocol.RUN, line, (nothing.fileno(), nothing.fileno()))
            said.append(protocol.receive(end)[:2])

    with listening(place, ask):
        refused(place, "it ended")
    assert said == [(protocol.NO, b"")]
    assert not made.exists()


def test_silence_ends(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.05)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place.runtime))
    gone = threading.Event()
    with listening(place, lambda _: gone.wait()):
        assert client.ask(str(place.socket.parent), ["check"]) is None
        gone.set()
    assert "did not answer in time" in client.place.note
    monkeypatch.setattr(client.place, "note", "")


@NEEDS_ROOT
def test_a_process_of_another_user(place: Place) -> None:
    code = (
        f"import os, socket, sys; os.setgid({STRANGER}); os.setuid({STRANGER}); "
        "s = socket.socket(fileno=int(sys.argv[1])); s.listen(); "
        "print('x', flush=True)\nwhile True: s.accept()"
    )
    place.socket.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place.socket))
        number = listener.fileno()
        with subprocess.Popen(
            [sys.executable, "-c", code, str(number)], pass_fds=[number], stdout=subprocess.PIPE
        ) as stranger:
            assert stranger.stdout is not None
            assert stranger.stdout.read(1)
            refused(place, f"user {STRANGER} listens")
            stranger.kill()


@NEEDS_ROOT
def test_a_folder_of_another_user(place: Place) -> None:
    place.serve()
    os.chown(place.socket.parent, STRANGER, STRANGER)
    refused(place, "is not a folder that only this user can use")


@NEEDS_ROOT
def test_another_user_is_not_served(place: Place) -> None:
    server = place.serve()
    for path in (place.runtime, place.socket.parent):
        path.chmod(0o755)
    place.socket.chmod(0o777)
    code = (
        f"import os, socket, sys; os.setgid({STRANGER}); os.setuid({STRANGER}); "
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'\\0\\0\\0\\1s'); "
        "print(len(s.recv(9)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(place.socket)], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "0\n" or "Error: [Errno" in ran.stderr
    place.socket.parent.chmod(0o700)
    assert " 0 requests " in place.run("serve", "--status").stdout
    wait_for(lambda: not copies(server))


def test_the_variable_switches_off_and_pins(place: Place) -> None:
    server = place.serve()
    assert check(place, EXITGATE_SERVE="off").stderr == ""
    assert by_resident(check(place, EXITGATE_SERVE=str(server.pid)))
    assert by_resident(check(place, EXITGATE_SERVE=""))
    refused(place, f"process {server.pid} listens, and EXITGATE_SERVE names 1", EXITGATE_SERVE="1")
    refused(place, "is neither `off` nor the number of a process", EXITGATE_SERVE="yes")


def test_a_busy_process(place: Place) -> None:
    server = place.serve("--most", "1")
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(str(place.socket))
        while not copies(server):
            pass
        refused(place, "it is busy")
    assert by_resident(check(place)) or by_resident(check(place))


def test_what_needs_a_program(place: Place) -> None:
    place.serve()
    refused(place, "EXITGATE_OTEL is set", EXITGATE_OTEL="0")
    refused(place, "EXITGATE_PROMETHEUS is set", EXITGATE_PROMETHEUS=str(place.project / "gate.prom"))
    place.write(
        ".bb3/config.yaml",
        "probes: {tests: {command: ['true']}}\nexit_decision: {policy: recommended}\n",
    )
    assert by_resident(check(place))  # this policy asks no probe


def altered(place: Place, change: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return why a request is refused that was changed on the way."""
    monkeypatch.delenv("EXITGATE_SERVE", raising=False)
    # the folders of the tests, and the one that `python -m pytest` was started in
    own = str(Path(__file__).parents[3])
    places = [one for one in sys.path if one not in ("", own) and not one.startswith(f"{own}/tests")]
    monkeypatch.setattr(sys, "path", places)
    end = connected(str(place.socket.parent))
    with open(os.devnull, "r+b") as nothing, open(os.devnull, "rb"):
        here = os.open(place.project, os.O_RDONLY)
        streams = (nothing.fileno(),) * 3
        try:
            protocol.send(end, protocol.DECIDE, change(protocol.request(["check"])), (*streams, here))
            kind, body, _ = protocol.receive(end)
        except BrokenError as error:
            return str(error)
        finally:
            os.close(here)
            end.close()
    assert kind == protocol.REFUSED
    return body.decode()


def test_another_version_another_copy_other_groups(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.serve()
    found = protocol.identity()
    cases: dict[str, Callable[[bytes], bytes]] = {
        "another version": lambda raw: raw.replace(b"v" + found.encode()[:5], b"v9.9.9"),
        "another copy": lambda raw: raw.replace(found.rsplit("/", 1)[0].encode(), b"/elsewhere"),
        "in other groups": lambda raw: raw.replace(b"\0g", b"\0g77777,"),
        "does not look for modules in `/elsewhere`": lambda raw: raw + b"\0p/elsewhere",
        "it ended": lambda raw: raw + b"\0zzz",
    }
    for why, change in cases.items():
        said = altered(place, change, monkeypatch)
        assert why in said or (why.startswith("another") and "another version" in said), (why, said)
    assert place.lines() == []


def test_other_places_of_modules(place: Place, tmp_path: Path) -> None:
    place.serve()
    words = [sys.executable, "-m", "exitgate", "check", "response.md", "-p", "small.yaml", "-v"]
    ran = subprocess.run(
        words, env={**place.environment, "PYTHONPATH": str(tmp_path)}, cwd=place.project, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert f"does not look for modules in `{tmp_path}`" in ran.stderr


def test_further_places_of_modules(place: Place, tmp_path: Path) -> None:
    """A module of the place that only the resident process knows would decide for all."""
    place.environment["PYTHONPATH"] = str(tmp_path)
    place.serve(program=(sys.executable, "-m", "exitgate"))
    refused(place, f"it looks for modules in `{tmp_path}`, too")


@NEEDS_ROOT
@pytest.mark.parametrize("powers", ["os.setgroups([77])", "setpriv"])
def test_a_confined_client_decides_itself(place: Place, powers: str) -> None:
    place.serve()
    words = [*PROGRAM, "check", "response.md", "-p", "small.yaml", "-v"]
    if powers == "setpriv":
        words = ["setpriv", "--no-new-privs", *words]
        first = None
    else:
        first = lambda: os.setgroups([77])  # noqa: E731
    ran = subprocess.run(
        words, env=place.environment, cwd=place.project, text=True, capture_output=True, check=False,
        preexec_fn=first,
    )  # fmt: skip
    assert ran.returncode == 11
    assert "in other groups" in ran.stderr or "is confined otherwise (NoNewPrivs)" in ran.stderr


#: Starts a program with one more filter of system calls, as a sandbox does; it lets all of them pass.
FILTERED = """
import ctypes, os, struct, sys
class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))
allow = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
libc = ctypes.CDLL(None)
if libc.prctl(22, 2, ctypes.byref(Filter(1, allow)), 0, 0):
    sys.exit("no filter")
os.execv(sys.argv[1], sys.argv[1:])
"""


@NEEDS_ROOT
def test_two_sandboxes_are_not_the_same(place: Place) -> None:
    """Both may have filters of system calls: who has further ones is confined further."""
    filtered = (sys.executable, "-I", "-c", FILTERED)
    if subprocess.run([*filtered, sys.executable, "-c", ""], check=False).returncode:
        pytest.skip("this process may not filter system calls")
    place.serve(program=(*filtered, *PROGRAM))
    for times, why in ((1, ""), (2, "is confined otherwise (Seccomp_filters)")):
        ran = subprocess.run(
            [*filtered * times, *PROGRAM, "check", "response.md", "-p", "small.yaml", "-v"],
            env=place.environment, cwd=place.project, text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert why in ran.stderr
        assert by_resident(ran) == (times == 1)
