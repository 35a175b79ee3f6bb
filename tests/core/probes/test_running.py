from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from exitgate.core.probes import running
from exitgate.core.probes.running import BROKEN, ENDED, FIRST, LAST, LATE
from exitgate.core.system import process_group

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def ran(script: str, folder: Path, seconds: float = 60, **more: object) -> running.Ran:
    return running.run([sys.executable, "-c", script], ENVIRONMENT, str(folder), seconds, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("script", "status"), [("", 0), ("raise SystemExit(3)", 3), ("import os; os.abort()", 134)]
)
def test_the_status_is_that_of_a_shell(script: str, status: int, tmp_path: Path) -> None:
    found = ran(script, tmp_path)
    assert (found.how, found.exit_status, found.left) == (ENDED, status, 0)


def test_both_streams_are_kept_and_standard_output_alone(tmp_path: Path) -> None:
    found = ran(
        "import sys; print('out'); sys.stdout.flush(); print('err', file=sys.stderr)", tmp_path, limit=100
    )
    assert sorted(found.output.split()) == [b"err", b"out"]
    assert found.stdout == b"out\n"
    assert ran("print('x' * 101)", tmp_path, limit=100).stdout is None


def test_of_much_output_the_beginning_and_the_end_are_kept(tmp_path: Path) -> None:
    found = ran("import sys\nfor n in range(400000): sys.stdout.write('%09d\\n' % n)", tmp_path)
    assert len(found.output) < FIRST + LAST + 100
    assert found.output.startswith(b"000000000\n")
    assert found.output.endswith(b"000399999\n")


def test_it_runs_in_the_folder_with_the_environment_that_is_given(tmp_path: Path) -> None:
    found = ran("import os; print(os.getcwd(), sorted(os.environ))", tmp_path)
    assert str(tmp_path).encode() in found.output
    assert b"HOME" not in found.output
    assert b"PATH" in found.output


def test_it_reads_nothing(tmp_path: Path) -> None:
    assert ran("import sys; raise SystemExit(len(sys.stdin.read()))", tmp_path).exit_status == 0


@pytest.mark.parametrize("words", [["./not-there"], ["\0"], [""]])
def test_what_cannot_be_started_is_broken(words: list[str], tmp_path: Path) -> None:
    found = running.run(words, ENVIRONMENT, str(tmp_path), 5)
    assert (found.how, found.exit_status) == (BROKEN, None)
    assert "cannot be started" in found.reason


#: Leaves a grandchild that ignores SIGTERM and writes its number, in the same session but another group.
TREE = """
import os, signal, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import os, signal, time, pathlib;"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setpgid(0, 0);"
    "pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(600)"])
while not os.path.exists("pid"): time.sleep(0.01)
"""


def is_gone(folder: Path) -> bool:
    """Return whether the grandchild has ended; who adopted it may not have waited for it."""
    leader = int((folder / "pid").read_text())
    return leader not in process_group.members(leader)


def test_nothing_is_left_when_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    found = ran(TREE + "print('begun', flush=True)\ntime.sleep(600)", tmp_path, seconds=3)
    assert (found.how, found.exit_status) == (LATE, None)
    assert found.reason == "it took longer than 3 s"
    assert b"begun" in found.output
    assert is_gone(tmp_path)


def test_nothing_is_left_when_it_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    found = ran(TREE, tmp_path)
    assert (found.how, found.exit_status, found.left) == (ENDED, 0, 1)
    assert is_gone(tmp_path)


#: Leaves a grandchild with a session of its own that holds the output, and writes on and on if it is to.
HELD = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import os, time\\n"
    "open('part', 'w').write(str(os.getpid())); os.rename('part', 'pid')\\n"
    "while True: %s"], start_new_session=True)
while not os.path.exists("pid"): time.sleep(0.01)
print("the end", flush=True)
"""


@pytest.mark.parametrize("does", ["time.sleep(600)", "os.write(1, b'.' * 60000)"])
def test_what_left_the_session_is_not_waited_for(does: str, tmp_path: Path) -> None:
    try:
        found = ran(HELD % does, tmp_path, limit=1_000_000_000)
        assert (found.how, found.exit_status, found.left, found.held) == (ENDED, 0, 0, True)
        assert b"the end" in (found.stdout or b"")
        assert found.seconds < running.KILLED
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_all_that_was_written_is_read_although_a_stream_has_no_end(tmp_path: Path) -> None:
    try:
        script = HELD % "time.sleep(600)" + "sys.stdout.write('x' * 300_000); sys.stdout.flush()"
        found = ran(script, tmp_path, limit=1_000_000)
        assert found.held
        assert (found.stdout or b"").count(b"x") == 300_000
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, *map(signal.Signals.__getitem__, (
    "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU"))])  # fmt: skip
def test_nothing_is_left_when_this_process_is_interrupted(number: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom exitgate.core.probes import running\nrunning.GRACE = 0.2\n"
        f"words = [sys.executable, '-c', {TREE + 'time.sleep(600)'!r}]\n"
        f"running.run(words, dict(os.environ), {str(tmp_path)!r}, 600)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL) as process:
        while not (tmp_path / "pid").exists():
            time.sleep(0.02)
        process.send_signal(number)
    assert process.returncode == (-number if number == signal.SIGINT else 128 + number)
    assert is_gone(tmp_path)


def test_one_who_watches_hears_the_last_line(tmp_path: Path) -> None:
    heard: list[str] = []
    ran("import time\nprint('first'); print('second', flush=True)\ntime.sleep(0.3)", tmp_path,
        watch=lambda _, line: heard.append(line))  # fmt: skip
    assert heard[-1] == "second"
