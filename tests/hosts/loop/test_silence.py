"""Agents that hang: silent ones, and those that said that they had ended and do not exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_project import Project, is_alive

from exitgate.hosts.loop.silence import Hung, Silence, has_concluded
from exitgate.hosts.loop.tee import BoundedOutput

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
Event = dict[str, Any]

INIT = {"type": "system", "subtype": "init", "session_id": "s1"}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s1", "result": "Done."}


def lines(*events: Event) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def said(text: str, **more: object) -> Event:
    return {"type": "assistant", "message": {"id": text, "content": [{"type": "text", "text": text}]}, **more}


def used(id: str, tool: str, **input: object) -> Event:
    block = {"type": "tool_use", "id": id, "name": tool, "input": input}
    return {"type": "assistant", "message": {"id": id, "content": [block]}}


def gave(id: str, text: str) -> Event:
    block = {"type": "tool_result", "tool_use_id": id, "content": text}
    return {"type": "user", "message": {"content": [block]}}


def over(id: str) -> Event:
    return {"type": "system", "subtype": "task_notification", "tool_use_id": id, "status": "completed"}


AGENT = used("t1", "Agent", prompt="Look", run_in_background=True)
LAUNCHED = gave("t1", "Async agent launched successfully.")
SERVE = used("t2", "Bash", command="make serve", run_in_background=True)
SERVES = gave("t2", "Command running in background with ID: b1")
OPEN = {"type": "thread.started", "thread_id": "h1"}
STEP = {"type": "step_start", "sessionID": "s1", "part": {"type": "step-start"}}


def codex(kind: str, **more: object) -> Event:
    return {"type": kind, **more}


def finished(reason: str) -> Event:
    return {"type": "step_finish", "sessionID": "s1", "part": {"type": "step-finish", "reason": reason}}


CONCLUDED = {
    "claude": lines(INIT, said("Done."), RESULT),
    "claude, one object": json.dumps(RESULT),
    "claude, an error": lines(INIT, {**RESULT, "is_error": True, "result": "API Error: 500"}),
    "claude, too many turns": lines(INIT, {**RESULT, "subtype": "error_max_turns"}),
    "claude, a line of its own behind it": lines(INIT, RESULT, {**INIT, "subtype": "status"}),
    "claude, a command of it still runs": lines(INIT, SERVE, SERVES, said("Done."), RESULT),
    "claude, its agent has ended": lines(INIT, AGENT, LAUNCHED, over("t1"), said("Done."), RESULT),
    "claude, noise of a script around it": "begins\n" + lines(INIT, SERVE, SERVES, RESULT) + "ends\n",
    "codex": lines(OPEN, codex("turn.started"), codex("turn.completed", usage={})),
    "codex, failed": lines(OPEN, codex("turn.started"), codex("turn.failed", error={"message": "no"})),
    "gemini": lines({"type": "init", "session_id": "s1"}, {"type": "result", "status": "success"}),
    "gemini, one object": json.dumps({"session_id": "s1", "response": "Done.", "stats": {}}, indent=2),
    "opencode": lines(STEP, finished("tool-calls"), STEP, finished("stop")),
}
CONCLUDED["copilot"] = lines(
    {"type": "session.start", "id": "e1", "data": {"sessionId": "s1"}},
    {"type": "assistant.message", "id": "e2", "data": {"messageId": "m1", "content": "Done."}},
    {"type": "assistant.turn_end", "id": "e3", "data": {}},
    {"type": "result", "sessionId": "s1", "exitCode": 0},
)
GOES_ON = {
    "nothing": "",
    "text": "All done.\n",
    "text that shows a report": f"It ends with this line:\n{lines(RESULT)}\nand I go on.\n",
    "claude, begun": lines(INIT, said("I begin.")),
    "claude, woken again": lines(INIT, RESULT, said("The agent has answered.")),
    "claude, waits for its agent": lines(INIT, AGENT, LAUNCHED, said("It runs."), RESULT),
    "claude, cut": lines(INIT) + json.dumps(RESULT)[:-10],
    "codex, next turn": lines(OPEN, codex("turn.started"), codex("turn.completed"), codex("turn.started")),
    "opencode, between two steps": lines(STEP, finished("tool-calls")),
}


@pytest.mark.parametrize("name", CONCLUDED)
def test_its_own_report_ends_a_turn(name: str) -> None:
    assert has_concluded(CONCLUDED[name])


@pytest.mark.parametrize("name", GOES_ON)
def test_everything_else_goes_on(name: str) -> None:
    assert not has_concluded(GOES_ON[name])


PARTS = st.sampled_from(
    [*CONCLUDED.values(), *GOES_ON.values(), '{"type":', "[]\n", "\0", '{"type":"result","result":9e999}\n']
)


@given(st.lists(PARTS | st.text(max_size=20), max_size=4), st.integers(0, 400))
def test_any_output_is_concluded_or_not(parts: list[str], cut: int) -> None:
    text = "".join(parts)
    assert has_concluded(text[: len(text) - cut]) in (True, False)


def printed(text: str) -> BoundedOutput:
    kept = BoundedOutput()
    kept.add(text.encode())
    return kept


def test_who_prints_nothing_is_silent_from_its_start_on() -> None:
    silence, nothing = Silence(10.0, 30.0, 100.0), printed("")
    assert silence.instants() == [110.0]
    assert silence.hung(109.9, nothing) is None
    assert silence.hung(110.0, nothing) == Hung("it printed nothing for 10s", False)
    assert Silence(None, 30.0, 100.0).instants() == []
    assert Silence(None, 30.0, 100.0).hung(1e9, nothing) is None


def test_standard_error_breaks_a_silence_but_not_what_is_behind_the_last_event() -> None:
    silence, done = Silence(10.0, 30.0, 0.0), printed(CONCLUDED["claude"])
    silence.heard(1.0, out=True)
    for second in range(2, 31):
        silence.heard(float(second), out=False)
        assert silence.hung(float(second), done) is None
    assert silence.hung(31.0, done) == Hung("it had ended its turn and did not exit", True)


def test_who_had_concluded_is_not_silent_however_short_its_time_for_that_is() -> None:
    silence = Silence(1.0, 30.0, 0.0)
    silence.heard(5.0, out=True)
    found = silence.hung(6.0, printed(CONCLUDED["codex"]))
    assert found is not None and found.concluded


def test_who_goes_on_is_asked_once_after_each_of_its_words() -> None:
    silence, begun = Silence(None, 30.0, 0.0), printed(GOES_ON["claude, begun"])
    silence.heard(0.0, out=True)
    assert (silence.instants(), silence.hung(30.0, begun), silence.instants()) == ([30.0], None, [])
    silence.heard(50.0, out=True)
    assert silence.instants() == [80.0]


@given(
    st.lists(st.sampled_from(["out", "err", "hold", "release"]), max_size=12), st.sampled_from([None, 7.0])
)
def test_nobody_is_hung_before_the_instant_that_is_waited_for(steps: list[str], idle: float | None) -> None:
    silence, done, now, held, last = Silence(idle, 5.0, 0.0), printed(CONCLUDED["claude"]), 0.0, 0, 0.0
    for step in steps:
        now += 3.0
        if step == "hold" and held < 2:
            silence.hold()
            held += 1
        elif step == "release" and held:
            silence.release(now)
            held, last = held - 1, now
        elif step in ("out", "err"):
            silence.heard(now, out=step == "out")
            last = now
    due = silence.instants()
    if held:
        assert due == [] and silence.hung(now + 1e6, done) is None
    elif due:
        assert min(due) <= last + (idle or 5.0) and silence.hung(min(due) - 0.01, done) is None
        assert silence.hung(min(due), done) is not None


# Whole loops, with real processes.

HANGS = """\
cat > answer <<'END'
{}END
sleep 600 & echo $! > pid
cat answer
wait
"""
PROMISED = lines(INIT, {**RESULT, "result": "<promise>DONE</promise>"})


@LINUX
@pytest.mark.parametrize("trap", ["", "trap '' TERM\n", "trap 'exit 3' TERM\n"])
def test_who_has_ended_and_does_not_exit_is_ended_and_its_answer_counts(project: Project, trap: str) -> None:
    ran = project.run(trap + HANGS.format(PROMISED), "--linger", "0.1s")
    assert (ran.code, project.decisions()[-1]) == (0, (1, "complete", "promised"))
    assert "warning     the agent was ended: it had ended its turn and did not exit\n" in ran.err
    assert [one["decision"]["warnings"] for one in project.ledger() if one["iteration"] == 1] == [
        [{"message": "the agent was ended: it had ended its turn and did not exit", "rule": None}]
    ]
    (one,) = project.iterations()
    assert (one["exit_status"], one["timed_out"], one["interrupted"]) == (0, False, False)
    assert one["hung"] == "it had ended its turn and did not exit"
    assert not is_alive(int(project.read("pid")))


def test_who_is_silent_for_too_long_is_ended_as_one_whose_time_is_up(project: Project) -> None:
    script = "echo working >&2; echo '<promise>DONE</promise>'; exec sleep 600"
    ran = project.run(script, "--idle-timeout", "0.1s")
    assert (ran.code, project.decisions()[-1]) == (18, (3, "failed", "failed"))
    assert "warning     the agent was ended: it printed nothing for 100ms\n" in ran.err
    kinds = {
        line["facts"]["infrastructure.timed_out"].get("v") for line in project.ledger() if "facts" in line
    }
    assert True in kinds
    assert {(one["exit_status"], one["timed_out"]) for one in project.iterations()} == {(124, True)}


def test_an_error_of_a_program_that_does_not_exit_is_one(project: Project) -> None:
    broken = lines(INIT, {**RESULT, "is_error": True, "result": "API Error: 500 no"})
    ran = project.run(HANGS.format(broken), "--linger", "0.1s")
    assert (ran.code, project.decisions()[-1]) == (18, (3, "failed", "failed"))


def test_who_exits_by_itself_keeps_its_status(project: Project) -> None:
    ran = project.run(f"cat <<'END'\n{PROMISED}END\nexit 3", "--linger", "0", "--max-iterations", "1")
    (one,) = project.iterations()
    assert (one["exit_status"], "hung" in one) in ((3, False), (0, True)), ran.err


@pytest.mark.parametrize(
    ("events", "linger"), [((RESULT,), "1h"), ((AGENT, LAUNCHED, RESULT), "50ms"), ((said("Go"),), "50ms")]
)
def test_who_takes_its_time_or_is_at_work_is_not_ended(
    project: Project, events: tuple[Event, ...], linger: str
) -> None:
    script = f"cat <<'END'\n{lines(INIT, *events)}END\nsleep 0.3; exit 3"
    project.run(script, "--linger", linger, "--max-iterations", "1")
    (one,) = project.iterations()
    assert (one["exit_status"], "hung" in one) == (3, False)


def test_a_rehearsal_shows_the_time_for_silence(project: Project) -> None:
    ran = project.run(
        "true", "--dry-run", "--idle-timeout", "15m", "--prompt", str(project.write("p.md", "Go"))
    )
    assert "idle          15m without output, 200ms to end\n" in ran.out
    assert project.run("true", "--idle-timeout", "0").code == 64
