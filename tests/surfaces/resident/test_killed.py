"""Either end is killed or interrupted, at every step: one decision at most, and an honest answer."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE, wait_for
from resident_place import POLICY, Place, copies

#: A client that says when it has received a message, or sent one, and waits until it may go on.
DRIVER = """
import os, sys
from exitgate.surfaces.resident import protocol
kind, told, going = sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])
receive, send = protocol.receive, protocol.send
def stand():
    os.write(told, b"x")
    os.read(going, 1)
def received(end):
    found = receive(end)
    if found[0] == kind and b"run_start" not in found[1]:
        stand()
    return found
def sent(end, letter, *rest):
    send(end, letter, *rest)
    if letter == kind:
        stand()
protocol.receive, protocol.send = received, sent
sys.argv = ["exitgate", *sys.argv[4:]]
from exitgate.cli.start import main
sys.exit(main())
"""
WORDS = ("check", "-", "-p", "small.yaml", "-v")
#: Messages at which the resident process waits for the client: standard input, git, a line of the ledger.
BEFORE = ("i", "g", "r")
LOST, INTERRUPTED = 70, 130


class Client:
    """A command that stands still at a message."""

    def __init__(
        self, place: Place, kind: str, *words: str, full: bool = False, given: str = "It is all done.\n"
    ) -> None:
        self.told, told = os.pipe()
        going, self.going = os.pipe()
        self._out, out = os.pipe()
        if full:
            size = fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 4096)
            os.write(out, b"." * size)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", DRIVER, kind, str(told), str(going), *words], cwd=place.project,
            env=place.environment, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE,
            pass_fds=(told, going),
        )  # fmt: skip
        for one in (told, going, out):
            os.close(one)
        assert self.process.stdin is not None
        self.process.stdin.write(given.encode())
        self.process.stdin.close()

    def wait(self) -> None:
        assert os.read(self.told, 1) == b"x"

    def go(self) -> tuple[int, str, str]:
        """Let it go on as often as it stands still, and return its code and what it printed."""
        os.write(self.going, b"x" * 64)
        return self.ended()

    def ended(self) -> tuple[int, str, str]:
        with open(self._out, "rb") as file:
            printed = file.read().decode().lstrip(".")
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        code = self.process.wait()
        for one in (self.told, self.going):
            os.close(one)
        self.process.stderr.close()
        return code, printed, said


@pytest.fixture(autouse=True)
def project(place: Place) -> None:
    rule = "rules:\n  - {id: much, when: git.uncommitted > 400, exit: review, because: much}\n"
    place.write("small.yaml", POLICY.replace("rules:\n", rule))
    place.repository()


def one_copy(server: subprocess.Popen[str]) -> int:
    (one,) = copies(server)
    return one


@pytest.mark.parametrize("kind", BEFORE)
def test_killed_before_it_may_record(place: Place, kind: str) -> None:
    server = place.serve()
    client = Client(place, kind, *WORDS)
    client.wait()
    os.kill(one_copy(server), signal.SIGKILL)
    wait_for(lambda: not copies(server))
    code, printed, said = client.go()
    assert (code, printed.partition(" ")[0]) == (11, "EXIT")
    assert said.startswith("decided in this process, not by the resident one: it ended")
    assert len(place.decisions()) == 1


def test_killed_after_the_yes_and_before_the_line(place: Place) -> None:
    server = place.serve()
    client = Client(place, "r", *WORDS)
    client.wait()
    copy = one_copy(server)
    os.kill(copy, signal.SIGSTOP)
    os.write(client.going, b"x" * 64)  # the yes is sent, and never read
    wait_for(lambda: "S" in Path(f"/proc/{client.process.pid}/stat").read_text().split()[2])
    os.kill(copy, signal.SIGKILL)
    code, printed, said = client.ended()
    assert (code, printed.partition(" ")[0]) == (11, "EXIT")
    assert said.startswith("decided in this process, not by the resident one: it ended")
    assert len(place.decisions()) == 1


def test_killed_after_the_line(place: Place) -> None:
    server = place.serve()
    client = Client(place, "", *WORDS, full=True)
    wait_for(lambda: len(place.decisions()) == 1)
    os.kill(one_copy(server), signal.SIGKILL)
    wait_for(lambda: not copies(server))
    code, printed, said = client.ended()
    assert (code, printed) == (LOST, "")
    assert "EP809" in said
    assert "what it decided is recorded in" in " ".join(said.split())
    assert len(place.decisions()) == 1


def test_a_hook_lets_the_agent_stop_where_the_answer_is_lost(place: Place) -> None:
    server = place.serve()
    payload = json.dumps({
        "session_id": "s-1", "hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(place.project),
        "transcript_path": "", "last_assistant_message": "It is all done.",
    })  # fmt: skip
    place.environment["EXITGATE_LOOP"] = "1"
    client = Client(place, "", "hook", "claude-code", "-p", "small.yaml", full=True, given=payload)
    wait_for(lambda: len(place.decisions()) == 1)
    os.kill(one_copy(server), signal.SIGKILL)
    wait_for(lambda: not copies(server))
    code, printed, said = client.ended()
    assert (code, printed) == (0, "") or "the agent may stop" in json.loads(printed)["systemMessage"]
    assert "EP809" in said or "EP809" in printed
    assert len(place.decisions()) == 1


@pytest.mark.parametrize("kind", [*BEFORE, "y"])
def test_the_process_that_waits_is_killed(place: Place, kind: str) -> None:
    server = place.serve()
    client = Client(place, kind, *WORDS)
    client.wait()
    server.kill()
    server.wait()
    code, printed, said = client.go()
    assert (code, printed.partition(" ")[0]) == (11, "EXIT")
    assert said.startswith("decided by the resident process")
    assert len(place.decisions()) == 1
    # the next one decides itself, and once it is there again, it is asked again
    assert place.run(*WORDS, given="x").stderr.endswith(f"no process answers at `{place.socket}`\n")
    again = place.serve()
    assert place.run(*WORDS, given="x").stderr == f"decided by the resident process {again.pid}\n"
    assert len(place.decisions()) == 3


@pytest.mark.parametrize("kind", BEFORE)
def test_a_client_that_is_killed_records_nothing(place: Place, kind: str) -> None:
    server = place.serve()
    client = Client(place, kind, *WORDS)
    client.wait()
    client.process.kill()
    client.ended()
    wait_for(lambda: not copies(server))
    assert place.decisions() == []
    assert place.run(*WORDS, given="x").stderr.startswith("decided by the resident process")


def test_a_client_that_is_killed_after_its_yes_records_once(place: Place) -> None:
    server = place.serve()
    client = Client(place, "y", *WORDS)
    client.wait()
    client.process.kill()
    client.ended()
    wait_for(lambda: not copies(server))
    assert len(place.decisions()) <= 1


@pytest.mark.parametrize("kind", BEFORE)
def test_an_interrupt_is_answered_as_ever(place: Place, kind: str) -> None:
    server = place.serve()
    client = Client(place, kind, *WORDS)
    client.wait()
    client.process.send_signal(signal.SIGINT)
    code, printed, said = client.ended()
    assert (code, printed, said) == (INTERRUPTED, "", "interrupted\n")
    wait_for(lambda: not copies(server))
    assert place.decisions() == []


def test_a_stop_lets_requests_end(place: Place) -> None:
    server = place.serve()
    client = Client(place, "r", *WORDS)
    client.wait()
    assert place.run("serve", "--stop").returncode == 0
    code, _, said = client.go()
    assert (code, said) == (11, f"decided by the resident process {server.pid}\n")
    assert server.wait() == 0
    assert not place.socket.exists()


def test_a_signal_to_the_terminal_ends_no_request(place: Place) -> None:
    server = place.serve()
    client = Client(place, "r", *WORDS)
    client.wait()
    for one in (server.pid, one_copy(server)):
        os.kill(one, signal.SIGINT)
    code, _, said = client.go()
    assert (code, said) == (11, f"decided by the resident process {server.pid}\n")
    assert server.wait() == 0


def test_a_stopped_process_holds_nothing_open(place: Place) -> None:
    """Who reads what a command prints waits until no process holds that stream: a stopped one must not."""
    server = place.serve()
    os.kill(server.pid, signal.SIGSTOP)
    code = (
        "import sys; from exitgate.surfaces.resident import client; client.PATIENCE = 0.1; "
        "from exitgate.cli.start import main; sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code, *WORDS], cwd=place.project, capture_output=True, text=True,
        env=place.environment, input="It is all done.", check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert "it did not answer in time" in ran.stderr
    assert ran.returncode == 11
    os.kill(server.pid, signal.SIGCONT)
    assert place.run("serve", "--status").returncode == 0
    wait_for(lambda: not copies(server))
    assert len(place.decisions()) == 1
