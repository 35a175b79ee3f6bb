"""ralph-claude-code: the profile `as_it_is`, runs from process to process, the breaker's times."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import cli_program
import pytest
from cases import each
from changed_policy import fails

from exitgate.core.engine.breaker import BreakerState, Shown, move, read_state
from exitgate.core.policy.compile import load_policy

NAME = "ralph-claude-code"
BLOCK = """---RALPH_STATUS---
STATUS: {0}
TASKS_COMPLETED_THIS_LOOP: 1
EXIT_SIGNAL: {1}
---END_RALPH_STATUS---
"""
UNDER_WAY, DONE = BLOCK.format("IN_PROGRESS", "false"), BLOCK.format("COMPLETE", "true")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph" / "fix_plan.md").write_text("- [x] a\n- [ ] b\n")
    return tmp_path


def run(project: Path, *words: str) -> tuple[int, str]:
    """Return the exit code and the first line; in this process, where each call reads its state anew."""
    done = cli_program.run(*words, "--policy", NAME, cwd=project, NO_COLOR="1")
    return done.code, f"{done.out}{done.err}".partition("\n")[0]


def turn(project: Path, response: str | bytes, *words: str) -> tuple[int, str]:
    last = project / ".ralph" / "last-response.md"
    last.write_bytes(response if isinstance(response, bytes) else response.encode())
    return run(project, "check", *words)


def test_every_defect_is_a_parameter_that_is_off_and_that_the_profile_turns_on() -> None:
    usual, profile = load_policy(NAME), load_policy(NAME, profile="as_it_is")
    before, after = usual.values(), profile.values()
    switches = {name for name, parameter in usual.parameters.items() if parameter.type.kind == "bool"}
    assert len(switches) >= 11
    assert not any(before[name] for name in switches)
    assert all(after[name] for name in switches)
    changed = {name for name in before if before[name] != after[name]}
    assert changed - switches == {"exit_signals_needed", "max_iterations", "max_failures", "memory"}


def choose_as_it_is(project: Path) -> None:
    (project / ".bb3").mkdir()
    (project / ".bb3" / "config.yaml").write_text("project: {type: as_it_is}\n")


ON, HALTED = "CONTINUE · otherwise", "EXIT halted · stagnation_detected"
SIGNALS, COMPLETE = "EXIT complete · completion_signals", "EXIT complete · project_complete"


@pytest.mark.parametrize(
    ("texts", "usual", "as_it_is"),
    [
        ([UNDER_WAY, f"More.\n{UNDER_WAY}"], ON, SIGNALS),
        ([DONE], COMPLETE, ON),
        ([f"Reader.\n{DONE}", f"Writer.\n{DONE}"], COMPLETE, SIGNALS),
        (["Renamed the abandoned branch.", "It is incomplete."], ON, SIGNALS),
        ([BLOCK.format("BLOCKED", "false")], "EXIT blocked · blocked", ON),
        (["Read it.", "Read it again.", "Read on."], ON, HALTED),
    ],
)
def test_a_run_by_both(project: Path, texts: list[str], usual: str, as_it_is: str) -> None:
    said = [turn(project, text, "--state-dir", "usual")[1] for text in texts]
    assert said[-1] == usual
    choose_as_it_is(project)
    said = [turn(project, text, "--state-dir", "as-it-is")[1] for text in texts]
    assert said == [ON] * (len(texts) - 1) + [as_it_is]


def test_breaker_sequences_outrank_what_else_is_true(project: Path) -> None:
    """Breaker: OPEN halts before the plan is asked, in the same run and in the next."""
    words = ("--set", "no_git_is_idle=true")
    assert [turn(project, f"Read {n}.", *words)[0] for n in range(3)] == [0, 0, 13]
    (project / ".ralph" / "fix_plan.md").write_text("- [x] a\n")
    (project / ".ralph" / "last-response.md").unlink()
    assert run(project, "check", *words) == (13, "EXIT halted · stagnation_detected")
    assert run(project, "circuit", "reset", "--reason", "read it")[0] == 0
    assert run(project, "check", *words) == (10, "EXIT complete · plan_complete")


def test_stale_signals_of_an_earlier_run_are_no_signals(project: Path) -> None:
    words = ("--set", "exit_signals_needed=2", "--set", "max_consecutive_done_signals=3")
    said = [turn(project, f"{n}\n{DONE}", *words)[1] for n in range(3)]
    assert said == ["CONTINUE · otherwise", "EXIT complete · project_complete", "CONTINUE · otherwise"]


def test_the_first_exit_signals_of_an_interrupted_run_still_count(project: Path) -> None:
    words = ("--set", "exit_signals_needed=2", "--set", "max_consecutive_done_signals=3")
    assert turn(project, DONE, *words)[0] == 0
    assert turn(project, "Half a", *words, "--agent-exit", "130")[0] == 130
    assert turn(project, f"again\n{DONE}", *words)[1] == "EXIT complete · project_complete"


@pytest.mark.parametrize(("changed", "codes"), [(True, [0, 0, 10]), (False, [0, 0, 0])])
def test_what_was_said_when_time_was_up_counts_where_files_changed(
    project: Path, changed: bool, codes: list[int]
) -> None:
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    (project / ".gitignore").write_text("cache/\n.ralph/\n")
    given = [turn(project, "Began.")[0]]
    if changed:
        (project / "a.py").write_text("a = 1\n")
    given.append(turn(project, "All tasks are complete.", "--agent-exit", "124")[0])
    (project / "b.py").write_text("b = 1\n")
    given.append(turn(project, "Everything is finished now, all tasks are complete.")[0])
    assert given == codes


def test_a_usage_limit_waits_an_hour_where_it_does_not_say_when_it_ends(project: Path) -> None:
    assert turn(project, "Began.")[0] == 0
    assert turn(project, "Claude usage limit reached.\n", "--agent-exit", "1") == (
        17,
        "EXIT wait · api_limit",
    )


@pytest.mark.parametrize("profile", [None, "as_it_is"])
def test_any_bytes_are_decided_on(profile: str | None, project: Path) -> None:
    """Block: a thousand lines, binary bytes, no git."""
    noise = random.Random(1).randbytes(4000)
    if profile:
        choose_as_it_is(project)
    for text in (b"", noise, b"line\n" * 1000, b"\xff\xfe" + DONE.encode() + noise):
        code, said = turn(project, text, "--no-record")
        assert code in (0, 10), said


def test_a_large_stream_without_a_result_is_read_in_lines_that_are_there(project: Path) -> None:
    line = '{"type":"assistant","message":{"content":[{"type":"text","text":"Moved part %d."}]}}\n'
    stream = "".join(line % n for n in range(14_000))
    assert len(stream) > 1_048_576
    assert turn(project, stream)[1] == "CONTINUE · otherwise"
    result = json.dumps({"type": "result", "result": f"All in.\n{DONE}"}) + "\n"
    assert turn(project, stream + result)[1] == "EXIT complete · project_complete"


MINUTE = 60.0


@pytest.mark.parametrize(
    ("waited", "cooldown", "state"),
    [(10, 30, "OPEN"), (30, 30, "HALF_OPEN"), (40, 30, "HALF_OPEN"), (0, 0, "HALF_OPEN"), (-40, 30, "OPEN")],
)  # fmt: skip
def test_breaker_open_and_time_goes_by(waited: float, cooldown: float, state: str) -> None:
    """Breaker: OPEN, 10 of 30 min; 40 of 30 min; cooldown 0; clock in the future."""
    opened = BreakerState().opened("no_progress", 1000 * MINUTE)
    after, _ = move(opened, None, (1000 + waited) * MINUTE, 0, cooldown * MINUTE)
    assert after.state == state


@pytest.mark.parametrize(("progress", "state"), [(True, "CLOSED"), (False, "OPEN")])
def test_breaker_half_open_after_cooldown(progress: bool, state: str) -> None:
    opened = BreakerState().opened("no_progress", 0.0)
    waiting, _ = move(opened, None, 31 * MINUTE, 0, 30 * MINUTE)
    after, _ = move(waiting, Shown(close=progress), 32 * MINUTE, 0, 30 * MINUTE)
    assert after.state == state


@pytest.mark.parametrize("kept", ["[[", {}, {"state": 7}, {"state": "OPEN", "opened_at": "x"}])
def test_breaker_corrupt_state_is_closed_and_told(kept: object) -> None:
    """Breaker: corrupt state; the history is that of the ledger, which has tests of its own."""
    state, readable = read_state(kept)
    assert (state.state, readable) == ("CLOSED", False)


def default(name: str, old: int, new: int) -> tuple[str, str]:
    head = f"{name}: {{type: count, default: "
    return f"{head}{old}", f"{head}{new}"


#: Text of the policy, what it is changed into, and how the names of the cases begin that see it.
MUTANTS = [
    (*default("max_consecutive_test_loops", 3, 4), "exit: T3"),
    ("loop.test_only == 0 and loop.files == 0)", "loop.test_only == 0)", "exit: entries of test_only"),
    (*default("max_consecutive_done_signals", 2, 3), "exit: D2"),
    (*default("safety_limit", 5, 4), "exit: C5"),
    ("$exit_signals_needed and loop.exit == 1", "$exit_signals_needed", "exit: C2"),
    ("exit: review", "exit: complete", "exit: C5"),
    (*default("cb_no_progress_threshold", 3, 4), "breaker: no progress"),
    (*default("cb_same_error_threshold", 5, 6), "breaker: errors"),
    (*default("cb_permission_denial_threshold", 2, 3), "breaker: denials"),
    (
        "skipping (@neutral or else false) >= 2\n  close",
        "skipping (@neutral or else false) >= 3\n  close",
        "breaker: no progress",
    ),
    (" and not @was_half_open)\n", ")\n", "breaker: HALF_OPEN hears"),
    ("(loop.progress == 0 and loop.asking == 1)", "loop.asking == 2", "breaker: questions"),
    ("loop.analysed == 0 or (loop", "(loop", "breaker: failures"),
    ("or (loop.analysed == 1 and @reported)", "", "breaker: reported"),
    ("default: 30m", "default: 31m", "breaker: OPEN 10"),
    ("unless: ['(?-i)", "unless: ['(?-i)never", "errors: has none"),
    ("mark_at: indented", "mark_at: line_start", "plan: what"),
    ('"- [x]", "- [X]"', '"- [x]"', "plan: mixed"),
    ("compound_only: true", "compound_only: false", "denials: not covered"),
    ("grep.exit_lines.count == 1 and", "", "defects 3 and 4"),
    ("grep.status_lines.count == 1 and", "", "defect 2"),
]  # fmt: skip


@each(("old", "new", "cases"), MUTANTS)
def test_a_changed_policy_fails_its_tests(old: str, new: str, cases: str, tmp_path: Path) -> None:
    assert fails(NAME, old, new, tmp_path, cases)
