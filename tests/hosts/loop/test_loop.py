"""Loops from start to end, with real agents."""

from __future__ import annotations

import json
import re
import stat
import sys

import jsonschema
import pytest
from loop_project import DONE_IN, Project, skipping
from patience import PATIENCE

from exitgate.core.ledger.file import take
from exitgate.core.policy.shipped import schema
from exitgate.hosts.loop import signals
from exitgate.report.wording import LINE


def test_a_loop_goes_round_until_the_policy_says_exit(project: Project) -> None:
    ran = project.run(f"echo $EXITGATE_ITERATION; {DONE_IN.format(3)}")
    assert ran.code == 0, ran.err
    assert project.decisions() == [
        (0, None, "otherwise"), (1, None, "otherwise"), (2, None, "third"), (3, "complete", "promised"),
    ]  # fmt: skip
    assert ran.out == "1\n2\n3\n<promise>DONE</promise>\n"
    told = re.sub(r"\d+(\.\d+)?(ms|s)\b", "T", ran.err)
    assert told == (
        "default#1 begins · small 1.0.0\n"
        "iteration 1 · CONTINUE · otherwise · T\n"
        "iteration 2 · CONTINUE · third · T\n"
        "  two are done\n"
        "  advice      try 2 more\n"
        "iteration 3 · EXIT complete · promised · T\n"
        "  promised\n"
        "  next        review what changed, then commit or merge it\n"
        "default#1 · 3 iterations · T · complete: promised · exit code 0\n"
    )


def test_an_iteration_takes_three_lines_and_a_warning(project: Project) -> None:
    text = "a long word " * 50
    rules = "".join(
        f"  - {{id: w{n}, when: run.iterations >= 1, warn: true, because: '{n} {text}', advice: '{text}'}}\n"
        for n in range(3)
    )
    project.write("small.yaml", project.read("small.yaml").replace("rules:\n", f"rules:\n{rules}"))
    ran = project.run(f"echo $EXITGATE_ITERATION; {DONE_IN.format(3)}")
    _, *iterations, _ = re.split(r"^(?=iteration|default#1 ·)", ran.err, flags=re.MULTILINE)
    assert len(iterations) == 3
    for told in iterations:
        lines = told.splitlines()
        assert 3 <= len(lines) <= 4
        assert all(len(line) <= LINE for line in lines)
        assert lines[-1].startswith("  warning     0 a long word")
        assert lines[-1].endswith("(and 2 more: `exitgate explain` shows the rest)")
    assert "  advice      a long word" in iterations[0]
    assert "  next        review what changed" in iterations[2]


def test_a_second_loop_begins_the_next_run(project: Project) -> None:
    assert project.run(DONE_IN.format(1)).code == 0
    assert project.run(DONE_IN.format(2)).code == 0
    assert [one[0] for one in project.decisions("default#2")] == [0, 1, 2]
    assert len(project.iterations("default.2")) == 2


def test_budgets_are_asked_before_the_first_iteration(project: Project) -> None:
    policy = project.read("small.yaml").replace("run.iterations >= $max", "run.iterations + 1 >= $max")
    project.write("small.yaml", policy)
    ran = project.run("echo started >> started", "--set", "max_iterations=1")
    assert ran.code == 14
    assert not (project.folder / "started").exists()
    assert project.decisions() == [(0, "exhausted", "many")]
    assert ran.err.startswith("default#1 begins · small 1.0.0\nbefore iteration 1 · EXIT exhausted · many\n")


def test_iterations_are_bounded_by_the_policys_own_parameter(project: Project) -> None:
    ran = project.run("echo again", "--max-iterations", "2")
    assert (ran.code, ran.out) == (14, "again\nagain\n")
    assert project.decisions()[-1] == (2, "exhausted", "many")
    assert project.run("echo again", "--max-iterations", "1").code == 14
    assert project.decisions("default#2") == [(0, None, "otherwise"), (1, "exhausted", "many")]


def test_a_policy_without_the_parameter_is_bounded_too_and_the_ledger_says_by_whom(project: Project) -> None:
    policy = (
        project.read("small.yaml").replace("max_iterations:", "most:").replace("$max_iterations", "$most")
    )
    project.write("small.yaml", policy)
    ran = project.run("echo again", "--max-iterations", "2")
    assert (ran.code, ran.out) == (14, "again\nagain\n")
    assert ran.err.endswith("exhausted: --max-iterations 2 is reached · exit code 14\n")
    last = project.ledger()[-1]
    assert (last["kind"], last["run"], last["reason"]) == (
        "reset", "default#1", "--max-iterations 2 is reached",
    )  # fmt: skip
    assert project.run("echo again", "--max-iterations", "1").code == 14
    assert [one[0] for one in project.decisions("default#2")] == [0, 1]


def test_an_agent_that_fails_is_tried_again_until_the_policy_gives_up(project: Project) -> None:
    ran = project.run("echo it broke >&2; exit 3")
    assert ran.code == 18
    assert [one["exit_status"] for one in project.iterations()] == [3, 3, 3]
    assert project.iterations()[0]["text"] == "it broke\n"
    assert "it broke\n" in ran.err


@pytest.mark.parametrize(("script", "status"), [("kill -9 $$", 137), ("exit 7", 7), ("kill -HUP $$", 129)])
def test_how_the_agent_ended_is_kept_as_a_shell_would_say_it(
    project: Project, script: str, status: int
) -> None:
    project.run(script)
    assert {one["exit_status"] for one in project.iterations()} == {status}


def test_an_agent_that_somebody_ended_is_interrupted(project: Project) -> None:
    ran = project.run('test "$EXITGATE_ITERATION" -gt 1 || kill -TERM $$; echo "<promise>DONE</promise>"')
    assert ran.code == 130
    assert project.decisions()[-1] == (1, "interrupted", "interrupted")
    again = project.run('echo "<promise>DONE</promise>"')
    assert again.code == 0
    assert "default#1 continues with iteration 2 · small 1.0.0\n" in again.err
    assert project.decisions()[-1] == (2, "complete", "promised")


def test_a_command_that_vanishes_in_the_middle_is_a_failure(project: Project) -> None:
    agent = project.write("agent", "#!/bin/sh\necho once\nrm agent\n")
    agent.chmod(0o755)
    ran = project.main("run", "-p", "small.yaml", "--", "./agent")
    assert (ran.code, ran.out) == (18, "once\n")
    assert [one["exit_status"] for one in project.iterations()] == [0, 127, 127, 127]
    assert project.iterations()[1]["text"] == "./agent: No such file or directory\n"


def test_waits_until_the_reset_and_asks_the_budgets_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = skipping(monkeypatch)
    limited = 'test "$EXITGATE_ITERATION" -gt 1 || { echo "usage limit reached, retry in 2 hours"; exit 1; }'
    ran = project.run(f'{limited}; echo "<promise>DONE</promise>"')
    assert ran.code == 0, ran.err
    assert project.decisions() == [
        (0, None, "otherwise"), (1, "wait", "limited"), (1, None, "otherwise"), (2, "complete", "promised"),
    ]  # fmt: skip
    assert 7000 < clock.skipped < 7300
    assert re.search(r"^  wait +at .* local time, in 2h\n", ran.err, re.M), ran.err


def test_a_wait_that_is_too_long_ends_the_loop_and_the_next_one_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = skipping(monkeypatch)
    ran = project.run('echo "usage limit reached, retry in 2 hours"; exit 1', "--max-wait", "1h")
    assert (ran.code, clock.pauses) == (17, [])
    assert "that is longer than `--max-wait` allows: 1h" in ran.err
    clock.skipped += 7300
    assert project.run('echo "<promise>DONE</promise>"').code == 0
    assert project.decisions()[-1] == (2, "complete", "promised")


def test_a_reset_time_that_is_over_makes_no_loop_spin(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = skipping(monkeypatch)
    held = 'test "$EXITGATE_ITERATION" = 3 || { echo "usage limit reached, retry in 0 seconds"; exit 1; }'
    ran = project.run(held, "--max-iterations", "5")
    assert ran.code == 14
    # Twice, then one that goes on, then twice again.
    assert 121 < clock.skipped < 140
    assert ran.err.count("held up 2 times in a row: waits 1m") == 2


def test_waits_in_a_row_grow_up_to_an_hour() -> None:
    waits = [signals.shortest(row) for row in range(1, 12)]
    assert waits[:4] == [1, 60, 120, 240]
    assert waits == sorted(waits)
    assert waits[-1] == signals.shortest(10**6) == 3600


def test_a_wait_without_an_hour_ends_the_loop(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = skipping(monkeypatch)
    ran = project.run('echo "usage limit reached"; exit 1')
    assert (ran.code, clock.pauses) == (17, [])
    assert "  wait        the time is not known\n" in ran.err


def test_json_has_each_decision_on_stdout_and_the_agent_on_stderr(project: Project) -> None:
    ran = project.run(f"echo hello; echo trouble >&2; {DONE_IN.format(2)}", "--format", "json")
    documents = [json.loads(line) for line in ran.out.splitlines()]
    assert [one["schema"] for one in documents] == [*["exitgate/decision/1"] * 3, "exitgate/hosts/loop/1"]
    assert [(one["iteration"], one["verdict"]) for one in documents[:3]] == [
        (0, "CONTINUE"), (1, "CONTINUE"), (2, "EXIT"),
    ]  # fmt: skip
    end = documents[-1]
    jsonschema.validate(end, schema("loop"))
    for one in documents[:-1]:
        jsonschema.validate(one, schema("decision"))
    assert (end["class"], end["iterations"], end["exit_code"]) == ("complete", 2, 0)
    assert sorted(ran.err.splitlines()) == ["<promise>DONE</promise>", "hello", "hello", "trouble", "trouble"]


def test_quiet_leaves_only_the_agent(project: Project) -> None:
    ran = project.run(f"echo said; {DONE_IN.format(2)}", "--quiet")
    assert (ran.out, ran.err) == ("said\nsaid\n<promise>DONE</promise>\n", "")


def test_cost_is_told_and_counted(project: Project) -> None:
    result = '{"type":"result","result":"<promise>%s</promise>","session_id":"%s","total_cost_usd":0.25}'
    first, second = result % ("no", "a"), result % ("DONE", "b")
    script = f"test $EXITGATE_ITERATION = 1 && printf '{first}' || printf '{second}'"
    ran = project.run(script)
    assert ran.code == 0, ran.err
    assert ran.err.count("· 0.25 USD\n") == 2
    assert " · 0.50 USD · complete" in ran.err
    assert [line["totals"]["cost"] for line in project.ledger()[2:]] == [0.25, 0.5]


def test_an_agent_that_reports_the_same_again_has_cost_as_much_again(project: Project) -> None:
    result = '{"type":"result","result":"Working.","total_cost_usd":0.25}'
    assert project.run(f"echo '{result}'", "--max-iterations", "3").code == 14
    assert [line["totals"].get("cost") for line in project.ledger()[2:]] == [0.25, 0.5, 0.75]


def test_what_is_kept_is_private(project: Project) -> None:
    project.run(DONE_IN.format(1))
    runs = project.folder / ".ralph/exitgate/runs"
    assert stat.S_IMODE(runs.stat().st_mode) == 0o700
    assert stat.S_IMODE((runs / "default.1.jsonl").stat().st_mode) == 0o600


def test_names_of_runs_are_made_safe(project: Project) -> None:
    ran = project.run(DONE_IN.format(1), "--run", "team/night #2 ~")
    assert ran.code == 0, ran.err
    (line, *_) = project.transcript("team%2Fnight%20%232%20%7E.1")
    assert line["run"] == "team/night #2 ~#1"


def test_a_second_loop_of_a_run_is_refused_with_who_holds_it(project: Project) -> None:
    inner = '"$PY" -m exitgate run -p small.yaml -- echo inside > inner 2>&1; echo $? >> inner'

    project.run(f"PY={sys.executable}; {inner}; {DONE_IN.format(1)}")
    said = project.read("inner")
    assert said.startswith("error[EP572]: run `default` is already running: process ")
    assert said.endswith("\n75\n")
    assert len(project.iterations()) == 1


def test_a_locked_ledger_is_no_decision(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.core.ledger.append.WAIT", 0.05)
    monkeypatch.setattr("exitgate.core.ledger.append.Ledger.__init__.__defaults__", (0.05, None))
    import os

    held = take(".ralph/exitgate")
    try:
        ran = project.run("echo started > started")
    finally:
        os.close(held)
    assert ran.code == 75
    assert not (project.folder / "started").exists()


def test_a_policy_that_is_broken_meanwhile_ends_the_loop_and_the_next_one_decides(project: Project) -> None:
    good = project.read("small.yaml")
    ran = project.run("echo rules: >> small.yaml; echo '<promise>DONE</promise>'")
    assert ran.code == 65
    assert "error[" in ran.err
    assert project.decisions() == [(0, None, "otherwise")]
    project.write("small.yaml", good)
    again = project.run("echo never > never")
    assert (again.code, again.out) == (0, "")
    assert project.decisions() == [(0, None, "otherwise"), (1, "complete", "promised")]
    assert not (project.folder / "never").exists()


def test_a_run_that_is_reset_meanwhile_counts_from_the_start(project: Project) -> None:

    script = f"test -e was || {{ {sys.executable} -m exitgate reset > was; }}; {DONE_IN.format(2)}"
    ran = project.run(f"test $EXITGATE_ITERATION = 1 || true; {script}")
    assert ran.code == 0, ran.err
    assert project.decisions() == [(0, None, "otherwise")]
    assert project.decisions("default#2") == [(1, None, "otherwise"), (2, "complete", "promised")]
    assert [one["iteration"] for one in project.iterations("default.2")] == [1, 2]


def test_an_agent_that_checks_by_itself_does_not_decide_in_our_place(project: Project) -> None:
    check = f"echo '<promise>DONE</promise>' | {sys.executable} -m exitgate check - -p small.yaml"
    ran = project.run(f"test -e own || {check} --fact promise.emitted=false > own; {DONE_IN.format(3)}")
    assert ran.code == 0, ran.err
    assert project.decisions() == [
        (0, None, "otherwise"), (1, None, "otherwise"), (2, None, "third"), (3, "complete", "promised"),
    ]  # fmt: skip
    assert len(project.iterations()) == 2


def test_bytes_are_passed_on_as_they_are_and_kept_as_text(project: Project) -> None:
    loop = project.start(r"printf '\377\000\033[31mabc\r\n\360\237'", "--max-iterations", "1", "--quiet")
    out, err = loop.communicate(timeout=PATIENCE)
    assert (loop.returncode, out, err) == (14, b"\xff\x00\x1b[31mabc\r\n\xf0\x9f", b"")
    (line,) = project.iterations()
    assert line["text"] == "\ufffd\x00\x1b[31mabc\r\n\ufffd"
    assert line["remarks"] == ["3 bytes were not UTF-8", "holds 1 NUL character"]
    listed = project.main("dry-run", ".ralph/exitgate/runs", "--policy", "small.yaml")
    assert (listed.code, listed.err) == (0, "")


def test_ten_times_ten_cents_are_a_dollar(project: Project) -> None:
    """A session that goes on reports sums of floats: 0.1, 0.2, 0.30000000000000004, …"""
    project.write(
        "dollar.yaml",
        "policy: dollar\nformat: 1\nversion: 1.0.0\ntitle: A dollar ends the run\n"
        "facts:\n  promise: {extract: promise, from: output, text: DONE}\n"
        "rules:\n  - {id: over, when: run.cost > 1 USD, exit: failed, because: over}\n"
        "  - {id: dollar, when: run.cost >= 1 USD, exit: exhausted, because: a dollar}\n"
        "otherwise: continue\n",
    )
    sums = [sum([0.1] * number) for number in range(1, 12)]
    assert 1.0 not in sums
    script = (
        f"set -- {' '.join(map(str, sums))}; shift $((EXITGATE_ITERATION - 1)); "
        'printf \'{"type":"result","result":"%s","session_id":"a","total_cost_usd":%s}\' "$1" "$1"'
    )
    ran = project.main("run", "--policy", "dollar.yaml", "--grace", "0.2", "--", "sh", "-c", script)
    assert ran.code == 14, ran.err
    assert project.decisions()[-1] == (10, "exhausted", "dollar")
    assert [number for number, _, _ in project.decisions()] == list(range(11))


def test_given_facts_hold_for_every_check_of_a_loop(project: Project) -> None:
    text = project.read("small.yaml").replace("facts:\n", "given: {ready: {type: bool}}\nfacts:\n", 1)
    project.write("small.yaml", text.replace("when: promise.emitted", "when: promise.emitted and ready"))
    assert project.run(DONE_IN.format(1), "--fact", "ready=true").code == 0
    assert project.run(DONE_IN.format(1), "--fact", "ready=soon").code == 64
    assert project.run(DONE_IN.format(1), "--max-iterations", "2").code == 14
