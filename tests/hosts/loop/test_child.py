"""One run of an agent: what it may do to its runner, and what is left of it."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loop_project import gone, is_alive, wait_for_file

from exitgate.core.system import process_group
from exitgate.hosts.loop import child, tee
from exitgate.hosts.loop.child import Ended, Following, Limits
from exitgate.hosts.loop.signals import Signals
from exitgate.hosts.loop.tee import Tee

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


#: A prompt: who reads it is followed already.
GO = b"go\n"


class Sink(io.TextIOWrapper):
    """A stream in memory."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    @property
    def text(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as one:
        yield one


def agent(
    signals: Signals,
    *words: str,
    prompt: bytes | None = None,
    timeout: float | None = None,
    grace: float = 60.0,
    out: Tee | None = None,
) -> Ended:
    started = child.start(words, os.environ, reads=prompt is not None)
    limits = Limits(timeout, grace)
    with Following(started, prompt or b"", out or Tee(None), Tee(None), limits) as following:
        ended = following.to_the_end(signals)
    assert process_group.members(started.pid) == ()
    return ended


def python(signals: Signals, script: str, **more: object) -> Ended:
    return agent(signals, sys.executable, "-I", "-S", "-c", script, **more)  # type: ignore[arg-type]


def shell(signals: Signals, script: str, **more: object) -> Ended:
    return agent(signals, "sh", "-c", script, **more)  # type: ignore[arg-type]


def when_there(path: str, number: int = signal.SIGINT, times: int = 1) -> threading.Thread:
    """Send this process a signal once a file is there."""

    def send() -> None:
        wait_for_file(path)
        for _ in range(times):
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_both_streams_are_kept_and_passed_on(signals: Signals) -> None:
    sink = Sink()
    ended = shell(signals, "echo one; echo two >&2; exit 4", out=Tee(sink))
    assert (ended.out.text()[0], ended.err.text()[0], ended.status) == ("one\n", "two\n", 4)
    assert (ended.timed_out, ended.interrupted, ended.left) == (False, False, 0)
    assert sink.text == "one\n"


def test_what_is_said_is_passed_on_at_once(signals: Signals, place: Path) -> None:
    reading, writing = os.pipe()
    seen: list[bytes] = []

    def read() -> None:
        seen.append(os.read(reading, 100))
        (place / "seen").write_text("seen\n")  # only then the agent goes on

    thread = threading.Thread(target=read)
    thread.start()
    with open(writing, "w") as stream:
        out = Tee(stream)
        ended = shell(signals, "echo first; while ! test -e seen; do sleep 0.01; done", out=out)
        out.close()
    thread.join()
    os.close(reading)
    assert (seen, ended.status) == ([b"first\n"], 0)


def test_a_prompt_larger_than_any_pipe_is_read_whole(signals: Signals) -> None:
    prompt = os.urandom(1 << 20)
    script = "import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    from hashlib import sha256

    assert python(signals, script, prompt=prompt).out.text()[0] == sha256(prompt).hexdigest() + "\n"


@pytest.mark.parametrize("script", ["exit 0", "exec 0<&-; echo closed", "head -c 10 > /dev/null"])
def test_a_large_prompt_may_be_left_unread(signals: Signals, script: str) -> None:
    assert shell(signals, script, prompt=b"x" * (4 << 20)).status == 0


def test_without_a_prompt_standard_input_is_empty(signals: Signals) -> None:
    assert shell(signals, "wc -c").out.text()[0].strip() == "0"


def test_a_flood_is_kept_within_bounds(signals: Signals) -> None:
    script = (
        "import os\nos.write(1, b'begins\\n')\nfor n in range(160): os.write(1, (b'%07d\\n' % n) * 8192)\n"
        "os.write(1, b'ends\\n')"
    )
    ended = python(signals, script)
    text, left_out, _ = ended.out.text()
    assert ended.out.size == 160 * 65536 + 12
    assert len(text) <= tee.HEAD + tee.TAIL + 100
    assert text.startswith("begins\n0000000\n")
    assert text.endswith("0000159\nends\n")
    assert f"\n[exitgate left out {left_out} bytes here]\n" in text
    assert left_out == ended.out.size - len(text) + len(f"[exitgate left out {left_out} bytes here]\n")


def test_one_huge_line_and_half_a_character_are_text(signals: Signals) -> None:
    script = "import os, sys\nsys.stdout.buffer.write('ä'.encode() * 3_000_000 + b'\\xc3')"
    text, left_out, remarks = python(signals, script).out.text()
    assert left_out > 0
    assert text.startswith("ä" * 1000)
    assert text.count("\ufffd") == 1 and text.endswith("ä\ufffd")
    assert remarks == ("1 byte was not UTF-8",)


def test_who_closes_its_streams_and_lives_on_is_followed(signals: Signals, place: Path) -> None:
    ended = shell(signals, "echo said; exec 1>&- 2>&-; sleep 0.1; echo done > done; exit 5")
    assert (ended.status, ended.out.text()[0]) == (5, "said\n")
    assert (place / "done").exists()


@pytest.fixture
def leaping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a quarter of an hour pass once `one` is there, and another once `two` is."""

    class Leaping:
        @staticmethod
        def monotonic() -> float:
            return time.monotonic() + 900 * sum(map(os.path.exists, ("one", "two")))

    monkeypatch.setattr(child, "time", Leaping)


def test_its_time_is_up(signals: Signals, place: Path, leaping: None) -> None:
    ended = shell(signals, "read go; echo > one; echo began; exec sleep 600", prompt=GO, timeout=600)
    assert (ended.status, ended.timed_out, ended.out.text()[0]) == (124, True, "began\n")


def test_who_ignores_being_asked_is_killed_after_the_grace(
    signals: Signals, place: Path, leaping: None
) -> None:
    script = (
        "trap 'echo > two; echo asked' TERM; read go; echo > one; echo began; while :; do sleep 0.02; done"
    )
    ended = shell(signals, script, prompt=GO, timeout=600, grace=600)
    assert (ended.status, ended.timed_out) == (124, True)
    assert ended.out.text()[0] == "began\nasked\n"


def test_who_is_asked_may_say_its_last_words(signals: Signals, place: Path, leaping: None) -> None:
    script = "trap 'echo saved; exit 0' TERM; read go; echo > one; echo began; while :; do sleep 0.02; done"
    ended = shell(signals, script, prompt=GO, timeout=600)
    assert (ended.status, ended.out.text()[0]) == (124, "began\nsaved\n")


def test_one_that_was_stopped_is_ended_too(signals: Signals, place: Path, leaping: None) -> None:
    ended = shell(signals, "read go; echo > one; echo began; kill -STOP $$", prompt=GO, timeout=600)
    assert ended.status == 124


def test_a_signal_to_the_loop_ends_the_agent_in_order(signals: Signals, place: Path) -> None:
    thread = when_there("ready", signal.SIGTERM)
    script = "trap 'echo saved; exit 3' TERM; echo yes > ready; while :; do sleep 0.02; done"
    ended = shell(signals, script)
    thread.join()
    assert (ended.status, ended.interrupted, ended.out.text()[0]) == (130, True, "saved\n")
    assert (signals.asked, signals.name) == (1, "SIGTERM")


def test_a_second_signal_kills_at_once(signals: Signals, place: Path) -> None:
    thread = when_there("ready", times=1)
    second = when_there("asked", times=1)
    script = "trap 'echo yes > asked' TERM; echo yes > ready; while :; do sleep 0.02; done"
    ended = shell(signals, script, grace=1e6)  # who waits for the grace never ends
    thread.join()
    second.join()
    assert (ended.status, signals.asked) == (130, 2)


def test_a_signal_before_the_agent_was_started_is_not_lost(signals: Signals) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    assert shell(signals, "exec sleep 60").status == 130


@LINUX
@pytest.mark.parametrize(
    "start",
    [
        "sleep 600 & echo $! > pid",
        "(sleep 600 & echo $! > pid) ",  # its parent has ended
        "trap '' TERM HUP; sleep 600 & echo $! > pid",
        "set -m; sleep 600 & echo $! > pid",  # a group of its own
        "nohup sleep 600 > /dev/null 2>&1 & echo $! > pid",
    ],
)
def test_what_the_agent_leaves_running_is_ended_and_holds_nobody_up(
    signals: Signals, place: Path, start: str
) -> None:
    ended = shell(signals, f"{start}; echo said", grace=0.2)
    assert (ended.status, ended.left, ended.out.text()[0]) == (0, 1, "said\n")
    assert not is_alive(int((place / "pid").read_text()))


@LINUX
def test_nobody_survives_an_interruption(signals: Signals, place: Path) -> None:
    thread = when_there("ready")
    script = (
        "trap '' TERM; sleep 600 & echo $! > one; (set -m; sleep 600 & echo $! > two); echo yes > ready; wait"
    )
    ended = shell(signals, script, grace=0.2)
    thread.join()
    assert ended.status == 130
    assert not any(is_alive(int((place / name).read_text())) for name in ("one", "two"))


@LINUX
def test_a_daemon_that_left_the_session_is_let_alone_and_holds_nobody_up(
    signals: Signals, place: Path
) -> None:
    script = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    open('pid', 'w').write(f'{os.getpid()}\\n')\n"
        "    time.sleep(600)\n"
        "while not os.path.exists('pid') or not open('pid').read().endswith('\\n'): time.sleep(0.005)\n"
        "print('said')\n"
    )
    ended = python(signals, script)
    pid = int((place / "pid").read_text())
    try:
        assert (ended.status, ended.left, ended.out.text()[0]) == (0, 0, "said\n")
        assert is_alive(pid)
    finally:
        os.kill(pid, signal.SIGKILL)
    assert gone(pid)


@LINUX
def test_whatever_goes_wrong_the_agent_does_not_stay(signals: Signals) -> None:
    started = child.start(["sleep", "600"], os.environ, reads=False)
    with pytest.raises(RuntimeError), Following(started, b"", Tee(None), Tee(None), Limits()):
        raise RuntimeError
    assert not is_alive(started.pid)


def test_a_reader_that_went_away_is_no_trouble(signals: Signals) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as stream:
        out = Tee(stream)
        ended = shell(signals, "echo one; sleep 0.05; echo two", out=out)
        out.close()
    assert (ended.status, ended.out.text()[0]) == (0, "one\ntwo\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_our_output_ends_the_agent(signals: Signals) -> None:
    with pytest.raises(OSError, match="No space left"), open("/dev/full", "w") as stream:
        out = Tee(stream)
        try:
            shell(signals, "echo one; exec sleep 600", out=out)
        finally:
            out.close()


def test_a_reader_that_takes_nothing_holds_nobody_up_who_asks_for_the_end(
    signals: Signals, place: Path
) -> None:
    reading, writing = os.pipe()
    thread = when_there("ready")
    script = "i=0; while test $i -lt 3000; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done"
    with open(writing, "w") as stream:
        out = Tee(stream)
        ended = shell(signals, f"echo yes > ready; {script}", out=out, grace=0.2)
        out.close()
    thread.join()
    os.close(reading)
    assert ended.status in (0, 130)
    assert signals.asked == 1


def test_signals_that_were_ignored_stay_ignored_and_all_is_as_before() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    old = signal.getsignal(signal.SIGINT)
    try:
        with Signals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signals.asked == 0
        assert signal.getsignal(signal.SIGINT) == old
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        signal.signal(signal.SIGHUP, before)
