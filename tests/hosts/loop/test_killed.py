"""A loop that is killed at any moment goes on at the right iteration, and nobody decides twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from loop_project import DONE_IN, Project, gone, is_alive, wait_for_file
from patience import PATIENCE

from exitgate.core.state.incidents import incidents

#: Runs a loop that kills itself around the n-th call of a function.
DYING = """
import os, signal, sys
from exitgate.cli.main import main
from exitgate.hosts.loop import runner, transcript

where, kind, nth, words = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
seen = 0

def dying(function, is_it):
    def call(*parts, **more):
        global seen
        seen += is_it(*parts)
        if where == "before" and seen == nth and is_it(*parts):
            os.kill(os.getpid(), signal.SIGKILL)
        found = function(*parts, **more)
        if where == "after" and seen == nth and is_it(*parts):
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    return call

if kind == "decide":
    runner.decide = dying(runner.decide, lambda request: request.stage is None)
elif kind == "start":  # the agent's own process, before the agent begins: this loop is its parent
    first = transcript.Transcript.append
    def orphaned(self, one, line):
        if one == kind:
            loop = os.getppid()
            os.kill(loop, signal.SIGKILL)
            while os.getppid() == loop:
                pass
        first(self, one, line)
    transcript.Transcript.append = orphaned
elif kind == "ask":
    runner.decide = dying(runner.decide, lambda request: request.stage is not None)
else:
    transcript.Transcript.append = dying(transcript.Transcript.append, lambda _, one, __: one == kind)
sys.exit(main(words))
"""
COUNTED = 'echo "$EXITGATE_ITERATION" >> started; echo "said $EXITGATE_ITERATION"; '


def kill(
    project: Project, where: str, kind: str, nth: int, script: str
) -> subprocess.CompletedProcess[bytes]:
    project.compile()
    ran = subprocess.run(
        [sys.executable, "-c", DYING, where, kind, str(nth), *project.words(script)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()
    return ran


@pytest.mark.parametrize(
    ("where", "kind", "started", "noted"),
    [
        ("before", "ask", "1 2 3", ""),
        ("after", "ask", "1 2 3", ""),
        ("after", "begin", "1 2 3", ""),
        ("before", "iteration", "1 2 3", "iteration 2 was cut short; it counts as interrupted"),
        ("after", "iteration", "1 2 3", ""),
        ("before", "decide", "1 2 3", ""),
        ("after", "decide", "1 2 3", ""),
        ("before", "decided", "1 2 3", ""),
        ("after", "decided", "1 2 3", ""),
    ],
)
def test_the_next_loop_goes_on_where_it_was(
    project: Project, where: str, kind: str, started: str, noted: str
) -> None:
    script = f"{COUNTED}{DONE_IN.format(3)}"
    kill(project, where, kind, 1 if kind in ("ask", "begin") else 2, script)
    ran = project.run(script)
    assert ran.code == 0, ran.err
    assert project.read("started").split() == started.split()
    assert noted in ran.err
    after = [line for line in project.ledger() if line["kind"] == "decision" and line["iteration"]]
    ended = [line for line in after if line["decision"]["stage"] != "before_iteration"]
    assert [line["iteration"] for line in ended] == [1, 2, 3]
    asked = [line for line in project.ledger() if line["kind"] == "decision" and line not in ended]
    assert len(asked) == (1 if (where, kind) == ("before", "ask") else 2)  # budgets, by each loop
    assert [line["kind"] for line in project.ledger()].count("run_start") == 1
    told = [line["iteration"] for line in project.transcript() if line["kind"] == "decided"]
    assert told == [1, 2, 3]


@pytest.mark.parametrize("kind", ["decide", "decided"])
def test_an_exit_that_nobody_was_told_is_told_and_starts_nothing(project: Project, kind: str) -> None:
    script = f"{COUNTED}{DONE_IN.format(2)}"
    kill(project, "after" if kind == "decide" else "before", kind, 2, script)
    ran = project.run(script)
    assert (ran.code, project.read("started")) == (0, "1\n2\n")
    assert "iteration 2 · EXIT complete · promised" in ran.err
    assert [one[0] for one in project.decisions()] == [0, 1, 2]
    assert project.run(script).code == 0
    assert [one[0] for one in project.decisions("default#2")] == [0, 1, 2]


SAVED = 'echo "$EXITGATE_ADVICE" > "advice$EXITGATE_ITERATION"; '


def test_advice_outlives_the_loop(project: Project) -> None:
    script = f"{SAVED}{DONE_IN.format(3)}"
    kill(project, "after", "decided", 2, script)
    assert project.run(script).code == 0
    assert project.read("advice3") == "try 2 more\n"


def test_an_agent_that_was_held_up_is_told_again(project: Project) -> None:
    script = f'{SAVED}test "$EXITGATE_ITERATION" != 3 || kill -TERM $$; {DONE_IN.format(4)}'
    assert project.run(script).code == 130
    assert project.run(script).code == 0
    assert [project.read(f"advice{n}") for n in (3, 4)] == ["try 2 more\n", "try 2 more\n"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_an_agent_that_outlived_its_loop_is_ended_before_another_starts(project: Project) -> None:
    script = (
        "if ! test -e pid; then sleep 600 & echo $! > child; echo $$ > pid; wait; fi; "
        '! grep -q "^State:.[RS]" "/proc/$(cat pid)/status" || echo both > both; '
        'echo "<promise>DONE</promise>"'
    )
    loop = project.start(script)
    try:
        agent, other = int(wait_for_file("pid")), int(wait_for_file("child"))
        loop.kill()
        loop.wait()
        assert is_alive(agent) and is_alive(other)
        ran = project.run(script)
    finally:
        for stream in (loop.stdout, loop.stderr):
            assert stream is not None
            stream.close()
    assert ran.code == 0, ran.err
    said = "ended 2 processes left running by an agent of an earlier loop"
    assert said in ran.err
    assert [one["message"] for one in incidents(".ralph/exitgate")] == [
        said, "iteration 1 was cut short; it counts as interrupted",
    ]  # fmt: skip
    assert gone(agent) and gone(other)
    assert not (project.folder / "both").exists()
    assert project.decisions()[1:] == [
        (1, "interrupted", "interrupted"), (1, None, "otherwise"), (2, "complete", "promised"),
    ]  # fmt: skip


def test_a_loop_that_is_killed_while_it_starts_an_agent_leaves_none_that_nobody_finds(
    project: Project,
) -> None:
    script = f'test "$EXITGATE_ITERATION" != 1 || exec sleep 600; {DONE_IN.format(2)}'
    kill(project, "before", "start", 1, script)
    ran = project.run(script)
    assert ran.code == 0, ran.err
    assert project.decisions()[1:] == [
        (1, "interrupted", "interrupted"), (1, None, "otherwise"), (2, "complete", "promised"),
    ]  # fmt: skip
    started = [line["pid"] for line in project.transcript() if line["kind"] == "start"]
    assert len(started) == 2
    assert not any(is_alive(pid) for pid in started)


def test_a_process_that_only_has_the_number_of_an_agent_is_let_alone(project: Project) -> None:
    kill(project, "after", "iteration", 1, DONE_IN.format(2))
    path = project.folder / ".ralph/exitgate/runs/default.1.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        changed = [
            line.replace(f'"pid":{old}', f'"pid":{other.pid}') if '"kind":"start"' in line else line
            for line in lines
            for old in [line.partition('"pid":')[2].partition(",")[0]]
        ]
        path.write_text("".join(changed))
        assert project.run(DONE_IN.format(2)).code == 0
        assert is_alive(other.pid)
    finally:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()


def test_what_an_older_ledger_left_is_nothing_to_a_new_one(project: Project) -> None:
    kill(project, "before", "iteration", 2, DONE_IN.format(3))
    (project.folder / ".ralph/exitgate/ledger.jsonl").unlink()
    kill(project, "after", "begin", 1, DONE_IN.format(3))
    ran = project.run(DONE_IN.format(1))
    assert (ran.code, project.decisions()[-1][:2]) == (0, (1, "complete"))
    assert "cut short" not in ran.err


def test_a_torn_last_line_is_passed_over(project: Project) -> None:
    kill(project, "before", "iteration", 2, DONE_IN.format(3))
    path = project.folder / ".ralph/exitgate/runs/default.1.jsonl"
    path.write_bytes(
        path.read_bytes() + b'{"exitgate_run":1,"kind":"iteration","run":"default#1","iteration":2,"te'
    )
    ran = project.run(DONE_IN.format(3))
    assert ran.code == 0, ran.err
    assert [one[:2] for one in project.decisions()][-3:] == [
        (2, "interrupted"), (2, None), (3, "complete"),
    ]  # fmt: skip
    listed = project.main("transcripts", ".ralph/exitgate/runs")
    assert "default#1        3 proc." in listed.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_loop_that_is_asked_to_end_records_the_interruption(project: Project, number: int) -> None:
    script = 'trap "echo saved; exit 0" TERM; echo working; echo $$ > pid; while :; do sleep 0.02; done'
    loop = project.start(script, "--grace", "30")
    agent = int(wait_for_file("pid"))
    loop.send_signal(number)
    out, err = loop.communicate(timeout=PATIENCE)
    assert loop.returncode == 130, err.decode()
    assert not is_alive(agent)
    assert out == b"working\nsaved\n"
    assert project.decisions() == [(0, None, "otherwise"), (1, "interrupted", "interrupted")]
    (line,) = project.iterations()
    assert (line["exit_status"], line["interrupted"]) == (130, True)
    assert line["text"].startswith("working\nsaved\n")  # and what the shell says of it
    name = signal.Signals(number).name
    assert err.decode().endswith(f" · interrupted: ended by {name} · exit code 130\n")
    again = project.run('echo "<promise>DONE</promise>"')
    assert (again.code, project.decisions()[-1][:2]) == (0, (2, "complete"))


def test_a_wait_that_is_interrupted_is_no_iteration(project: Project) -> None:
    loop = project.start('echo "usage limit reached, retry in 2 hours"; exit 1')
    assert loop.stderr is not None and loop.stdout is not None
    for line in loop.stderr:
        if line.startswith(b"  wait"):
            break
    loop.send_signal(signal.SIGINT)
    assert loop.wait(timeout=PATIENCE) == 130
    loop.stderr.close()
    loop.stdout.close()
    assert project.decisions() == [(0, None, "otherwise"), (1, "wait", "limited")]
