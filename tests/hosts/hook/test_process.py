"""The process that a host starts: its streams as hosts leave them, its one line, its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

from hosts_calls import Hooks
from patience import PATIENCE

PROGRAM = [sys.executable, "-m", "exitgate", "hook"]
TELLS_WHEN_IT_READS = """
import sys
from exitgate.cli.main import main
from exitgate.hosts.hook import payload
whole = payload.read_payload
def read():
    print("up", file=sys.stderr, flush=True)
    return whole()
payload.read_payload = read
sys.exit(main())
"""


def test_a_host_that_keeps_the_stream_open(hooks: Hooks) -> None:
    """The reply comes and the process ends, though nobody closes its standard input."""
    process = subprocess.Popen([*PROGRAM, "codex"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hooks.payload("codex")).encode())
        process.stdin.flush()
        assert json.loads(process.stdout.read())["decision"] == "block"
        assert process.wait(PATIENCE) == 0


def test_a_host_that_went_away(hooks: Hooks) -> None:
    """Nobody reads the reply: no noise, exit code 0, and an incident."""
    read, write = os.pipe()
    os.close(read)
    raw = json.dumps(hooks.payload("claude-code")).encode()
    ran = subprocess.run(
        [*PROGRAM, "claude-code"], input=raw, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert hooks.kinds() == ["failed_open"]


def test_a_shell_that_closes_every_stream(hooks: Hooks) -> None:
    line = f"exec {sys.executable} -m exitgate hook gemini <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    assert hooks.kinds() == ["failed_open"]


def test_an_interrupt_while_it_waits_for_the_payload(hooks: Hooks) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TELLS_WHEN_IT_READS, "hook", "cursor"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline() == b"up\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"{}\n"
        assert process.wait(PATIENCE) == 0
    assert hooks.decisions() == []


def test_what_is_logged_goes_to_standard_error(hooks: Hooks) -> None:
    heard = hooks.hook("claude-code", "", "--log-level", "debug")
    assert heard.reason
    assert "command_started" in heard.err
