"""What a loop does when it cannot write, and how it waits and rehearses."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_project import DONE_IN, Project, Skipping

from exitgate.hosts.loop import paths, transcript
from exitgate.hosts.loop import signals as signals_module
from exitgate.hosts.loop.signals import SHORTEST, Clock, Signals, wait_until
from exitgate.hosts.loop.tee import BoundedOutput

SLOW = "echo $$ > pid; exec sleep 600"


def full(monkeypatch: pytest.MonkeyPatch, kind: str, written: int = 20) -> None:
    """Let the disk be full from the first line of a transcript of that kind on, after some bytes of it."""
    real, is_full = os.write, False

    def write(descriptor: int, raw: bytes) -> int:
        nonlocal is_full
        if is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        is_full = f'"kind":"{kind}"'.encode() in bytes(raw)
        return real(descriptor, bytes(raw[:written]) if is_full else raw)

    class Full:
        def __getattr__(self, name: str) -> object:
            return write if name == "write" else getattr(os, name)

    monkeypatch.setattr(transcript, "os", Full())


@pytest.mark.parametrize(("kind", "lines"), [("begin", 0), ("start", 1)])
def test_a_full_disk_ends_the_loop_before_the_agent(
    project: Project, monkeypatch: pytest.MonkeyPatch, kind: str, lines: int
) -> None:
    with monkeypatch.context() as patch:
        full(patch, kind)
        ran = project.run("echo started > started")
    assert ran.code == 73
    assert "error[EP573]: cannot write `.ralph/exitgate/runs/default.1.jsonl`: No space left" in ran.err
    assert not Path("started").exists()
    kept = Path(".ralph/exitgate/runs/default.1.jsonl").read_bytes()
    assert kept.count(b"\n") == lines and (not kept or kept.endswith(b"\n"))
    assert project.run(DONE_IN.format(1)).code == 0
    assert len(project.iterations()) == 1


def test_what_was_said_is_lost_with_the_disk_and_counts_as_interrupted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        full(patch, "iteration")
        assert project.run(DONE_IN.format(1)).code == 73
    assert project.run(DONE_IN.format(2)).code == 0
    assert [one[:2] for one in project.decisions()] == [
        (0, None), (1, "interrupted"), (1, None), (2, "complete"),
    ]  # fmt: skip


def test_an_agent_that_removes_the_ledger_ends_the_loop(project: Project) -> None:
    ran = project.run("echo again >> started; rm -rf .ralph")
    assert (ran.code, project.read("started")) == (73, "again\n")
    assert "error[EP573]: cannot write `.ralph/exitgate/runs/default.1.jsonl`: No such file" in ran.err
    assert "was removed while the loop was running" in " ".join(ran.err.split())
    assert "free some space" not in ran.err


@pytest.mark.parametrize("name", ["runs", "loops"])
def test_a_planted_link_is_not_followed(project: Project, name: str) -> None:
    (project.folder / ".ralph/exitgate").mkdir(parents=True)
    (project.folder / ".ralph/exitgate" / name).symlink_to(project.folder.parent)
    ran = project.run("echo never > never")
    assert ran.code == 73
    assert f"cannot write `.ralph/exitgate/{name}`: it is a link" in ran.err
    assert not Path("never").exists()


def test_an_agent_that_takes_the_ledger_away_does_not_begin_its_budgets_anew(project: Project) -> None:
    script = 'echo again >> started; test "$EXITGATE_ITERATION" = 1 || rm .ralph/exitgate/ledger.jsonl'
    ran = project.run(script, "--max-iterations", "5")
    assert (ran.code, project.read("started")) == (74, "again\n" * 2)
    assert "error[EP573]: the ledger in `.ralph/exitgate` was removed or replaced while" in ran.err
    assert [one["iteration"] for one in project.iterations()] == [1, 2]  # what it said is kept
    assert project.run(DONE_IN.format(1)).code == 0


def test_an_agent_that_commits_all_there_is_leaves_what_the_loop_keeps_alone(project: Project) -> None:
    project.run(DONE_IN.format(1))
    git = "git -c user.name=n -c user.email=e"
    ran = project.run(f"git init -q .; git add -A; {git} commit -qm all; git clean -fdq; {DONE_IN.format(1)}")
    assert ran.code == 0, ran.err
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout
    assert tracked.split() == ["small.yaml"]


def test_a_folder_that_cannot_be_made_begins_nothing(project: Project) -> None:
    project.write("file", "x")
    ran = project.run("echo never > never", "--state-dir", "file/below")
    assert ran.code == 73
    assert not Path("never").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full_ends_the_agent(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        ran = project.run(f"echo said; {SLOW}")
    assert ran.code == 73
    assert "error[EP574]: cannot pass on the agent's output: No space left" in ran.err
    monkeypatch.undo()


@pytest.fixture
def signals():
    with Signals() as one:
        yield one


def test_waiting_shows_what_is_left_once_a_second(signals: Signals) -> None:
    clock, shown = Skipping(), []
    assert wait_until(clock.now() + 3.5, clock, signals, shown.append)
    assert [round(one, 1) for one in shown] == [3.5, 2.5, 1.5, 0.5]


def test_an_instant_that_has_passed_is_waited_for_a_moment(signals: Signals) -> None:
    clock = Skipping()
    assert wait_until(clock.now() - 1000, clock, signals)
    assert clock.skipped == pytest.approx(SHORTEST, abs=0.1)


def test_a_machine_that_slept_waits_no_longer_than_it_must(signals: Signals) -> None:
    class Sleepy(Skipping):
        def pause(self, seconds: float, _: Signals) -> None:
            self.pauses.append(seconds)
            self.skipped += 10_000

    clock = Sleepy()
    assert wait_until(clock.now() + 9_000, clock, signals)
    assert clock.pauses == [30.0]


@pytest.mark.parametrize("step", [0.0, -3600.0])
def test_a_clock_that_stands_or_goes_back_doubles_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    class Odd(Clock):
        time = 1_800_000_000.0

        def now(self) -> float:
            self.time += step
            return self.time

    monkeypatch.setattr(signals_module, "Clock", Odd)
    ran = project.run(f"echo $EXITGATE_ITERATION >> started; {DONE_IN.format(3)}", "--max-iterations", "5")
    assert (ran.code, project.read("started")) == (0, "1\n2\n3\n"), ran.err
    assert [one[0] for one in project.decisions()] == [0, 1, 2, 3]


def test_a_signal_ends_the_wait_at_once(signals: Signals) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    assert not wait_until(Clock().now() + 3600, Clock(), signals)
    Clock().pause(3600, signals)


def test_a_countdown_on_a_terminal_and_colour(project: Project) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "cli"))
    from cli_terminal import run_on_terminal

    script = 'test $EXITGATE_ITERATION -gt 1 || { printf "usage limit reached, retry in 1 second"; exit 1; }'
    ran = run_on_terminal(*project.words(f"{script}; {DONE_IN.format(2)}"), cwd=project.folder)
    assert ran.code == 0, ran.out
    assert re.search(r"\r\x1b\[K  continues in [12]s\r\x1b\[K", ran.out)
    # the agent's words had no line end; ours begin a line, with no colour left over
    assert "retry in 1 second\x1b[0m\n\x1b[2miteration 1\x1b[0m · \x1b[1;33mEXIT wait\x1b[0m" in ran.out


def test_a_rehearsal_writes_nothing_and_starts_nothing(project: Project) -> None:
    project.write("PROMPT.md", "Iteration {iteration}.\n\x1b[31m{advice}")
    words = ["--dry-run", "--set", "max_iterations=3", "--timeout", "90s", "--max-wait", "1h"]
    ran = project.run("touch started", *words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "policy        small 1.0.0\n"
        "  before      many\n"
        "  set         max_iterations = 3\n"
        "command       sh -c 'touch started'\n"
        "run           default#1, begins with iteration 1\n"
        "timeout       1m 30s an iteration, 200ms to end\n"
        "max-wait      1h\n"
        "prompt        PROMPT.md, 18 bytes, given as standard input\n"
        "\n"
        "Iteration 1.\n"
        "\\x1b[31m\n"
    )
    assert sorted(os.listdir()) == ["PROMPT.md", "small.yaml"]


def test_a_rehearsal_in_the_middle_says_where_the_loop_would_go_on(project: Project) -> None:
    project.write("PROMPT.md", "{advice}")
    project.run("kill -TERM $$")
    ledger = project.ledger()
    ran = project.run("true", "--dry-run")
    assert "run           default#1, begins with iteration 2\n" in ran.out
    assert project.ledger() == ledger


def test_a_rehearsal_says_that_nothing_would_be_started(project: Project) -> None:
    project.write("small.yaml", project.read("small.yaml").replace("run.iterations >= $max", "0 == 0 * $max"))
    ran = project.run("true", "--dry-run")
    assert ran.code == 0
    assert "EXIT exhausted · many, exit code 14: no agent would be started\n" in ran.out


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.binary(max_size=12) | st.sampled_from([b"\n", "ä€".encode()]), max_size=30),
    st.integers(1, 20),
    st.integers(1, 20),
)
def test_what_is_kept_is_the_beginning_and_the_end(pieces: list[bytes], head: int, tail: int) -> None:
    kept, whole = BoundedOutput(head, tail), b"".join(pieces)
    for piece in pieces:
        kept.add(piece)
    raw, left_out = kept.whole()
    if len(whole) <= head + tail:
        assert (raw, left_out) == (whole, 0)
        return
    before, mark, after = raw.partition(
        f"[exitgate left out {left_out} byte{'s' * (left_out != 1)} here]\n".encode()
    )
    assert mark
    assert whole.startswith(before.removesuffix(b"\n")) and whole.endswith(after)
    assert len(before) <= head + 1 and len(after) <= tail
    assert left_out >= len(whole) - head - tail


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_two_names_are_two_files(one: str, other: str) -> None:
    one, other = (name.encode("utf-8", "replace").decode() for name in (one, other))
    first, second = paths.file_name(one), paths.file_name(other)
    assert (first == second) == (one == other)
    assert len(first) < 200 and "/" not in first and first.isascii() and first.isprintable()
