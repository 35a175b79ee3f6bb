"""`--log-level`: what a command did, on stderr, by structlog, and only when asked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_golden import same
from cli_policy import write
from cli_program import Ran, run
from cli_terminal import run_on_terminal

from exitgate.cli.main import COMMANDS, load

CHECK = ("check", "response.md", "plan.md", "-p", "policy.yaml", "-q")
STAGES = ["policy_loaded", "sources_observed", "decided", "recorded"]
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "response.md").write_text("Working on two.\n", encoding="utf-8")
    return tmp_path


def check(folder: Path, *words: str, **environment: str) -> Ran:
    return run(*CHECK, *words, cwd=folder, EXITGATE_CACHE_DIR=str(folder / "cache"), **environment)


def events(ran: Ran) -> list[dict[str, object]]:
    return [json.loads(line) for line in ran.err.splitlines()]


def names(ran: Ran) -> list[object]:
    return [event["event"] for event in events(ran)]


def test_the_stages_of_a_check_are_told_as_json(folder: Path) -> None:
    ran = check(folder, "--log-level", "info")
    assert (ran.code, ran.out) == (0, "")
    assert names(ran) == ["cache_missed", *STAGES]
    assert names(check(folder, "--log-level", "info"))[:4] == STAGES, "the cache has it now"
    decided = events(ran)[3]
    assert (decided["verdict"], decided["outcome"], decided["firm"]) == ("CONTINUE", "otherwise", True)
    assert events(ran)[4]["sequence"] == 2
    assert events(ran)[2]["sources"] == {
        "plan": {"path": "plan.md", "length": 28},
        "response": {"path": "response.md", "length": 16},
        "task": "no task at `.ralph/PROMPT.md` or `PROMPT.md`",
    }


def test_levels_are_least_levels(folder: Path) -> None:
    debug = names(check(folder, "--log-level", "debug"))
    assert debug[0] == "command_started"
    assert debug[-1] == "command_ended"
    assert "facts_extracted" in debug
    check(folder)
    told = check(folder, "--log-level", "warning")
    assert [event["level"] for event in events(told)] == ["warning"]
    assert "is unchanged since" in str(events(told)[0]["message"])


def test_looking_records_nothing(folder: Path) -> None:
    assert "recorded" not in names(check(folder, "--no-record", "--log-level", "info"))


def test_keys_are_snake_case_and_names_past_tense(folder: Path) -> None:
    for event in events(check(folder, "--log-level", "debug")):
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", key) for key in event)
        assert re.fullmatch(r"([a-z]+_)*[a-z]+ed|cache_hit", str(event["event"]))


def test_a_failure_is_told_and_stays_what_it_was(folder: Path) -> None:
    ran = check(folder, "--set", "nothing=1", "--log-level", "warning")
    assert (ran.code, ran.out) == (65, "")
    first, *rest = ran.err.splitlines()
    assert json.loads(first)["event"] == "command_failed"
    assert json.loads(first)["exit_code"] == 65
    assert "there is no parameter `nothing`" in "\n".join(rest)


def test_moves_by_hand_are_told(folder: Path) -> None:
    check(folder)
    assert names(run("reset", "--log-level", "info", cwd=folder)) == ["recorded"]
    tripped = run("circuit", "trip", "--reason", "x", "-p", "policy.yaml", "--log-level", "info", cwd=folder)
    assert '"kind": "breaker"' in tripped.err


def test_a_terminal_gets_the_console_form_without_anything_raw(folder: Path) -> None:
    hostile = folder / "a\x1b[2Jb.md"
    hostile.write_text("Working.\n", encoding="utf-8")
    words = ("check", hostile.name, "plan.md", "-p", "policy.yaml", "-q", "--log-level", "info")
    cache = str(folder / "cache")
    plain = run_on_terminal(*words, cwd=folder, NO_COLOR="1", EXITGATE_CACHE_DIR=cache)
    assert "\x1b" not in plain.out
    assert r"\x1b[2Jb.md" in plain.out
    painted = run_on_terminal(*words, cwd=folder, EXITGATE_CACHE_DIR=cache)
    assert "\x1b[" in painted.out
    assert "\x1b[2J" not in painted.out


def test_the_console_form(folder: Path) -> None:
    cache = str(folder / "cache")
    run(*CHECK, cwd=folder, EXITGATE_CACHE_DIR=cache)
    run("reset", cwd=folder)
    ran = run_on_terminal(*CHECK, "--log-level", "info", cwd=folder, NO_COLOR="1", EXITGATE_CACHE_DIR=cache)
    shown = re.sub(r"digest=\w+", "digest=DIGEST", TIME.sub("TIME", ran.out))
    same("log-console.txt", "\n".join(line.rstrip() for line in shown.splitlines()) + "\n")


def test_a_full_stderr_stops_the_loop(folder: Path) -> None:
    line = f"{sys.executable} -m exitgate {' '.join(CHECK)} --log-level info 2>/dev/full"
    ran = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)
    assert ran.returncode == 73


def test_a_closed_stderr_is_no_trouble(folder: Path) -> None:
    line = f"{sys.executable} -m exitgate {' '.join(CHECK)} --log-level info 2>&-"
    ran = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"")


@pytest.mark.parametrize("words", [(), ("--log-level", "warning")])
def test_structlog_is_loaded_only_when_asked(words: tuple[str, ...], folder: Path) -> None:
    code = (
        f"import sys; from exitgate.cli.main import main; code = main({[*CHECK, *words]!r});"
        "print(code, 'structlog' in sys.modules, 'logging' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    asked = bool(words)
    assert ran.stdout.split()[0] == "0"
    assert ran.stdout.split()[1] == str(asked)
    if asked:
        assert ran.stdout.split()[2] == "True"


def test_every_command_takes_the_option() -> None:
    for name in COMMANDS:
        command = load(name)
        for one in (command, *command.children):
            flags = [flag for option in one.options for flag in option.flags]
            assert ("--log-level" in flags) == (one.run is not None)


def test_an_answer_of_a_probe_is_reported_without_its_texts(folder: Path) -> None:
    (folder / "verified.yaml").write_text(
        "policy: verified_here\nformat: 1\nversion: 1.0.0\nextends: verified@^1\nfacts:\n"
        "  tasks: {extract: checklist, from: plan}\nrules:\n"
        "  - {id: done, when: tasks.total > 0, exit: complete, because: done}\n",
        encoding="utf-8",
    )
    (folder / ".bb3").mkdir()
    probe = "{command: [sh, -c, 'echo opensesame; exit 3']}"
    (folder / ".bb3" / "config.yaml").write_text(
        f"exit_decision:\n  policy: ../verified.yaml\n  verify: [tests]\n  probes: {{tests: {probe}}}\n",
        encoding="utf-8",
    )
    words = ("check", "response.md", "plan.md", "-q", "--log-level", "info")
    own = {"EXITGATE_CACHE_DIR": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "own")}
    refused = run(*words, cwd=folder, **own)
    (event,) = [one for one in events(refused) if one["event"] == "probe_answered"]
    assert (event["probe"], event["status"], "passed" in event) == ("tests", "refused", False)
    assert "exitgate trust" in str(event["reason"])
    digest = run("trust", "--digest", cwd=folder, **own).out.strip()
    asked = run(*words, cwd=folder, EXITGATE_TRUST=digest, **own)
    assert names(asked).index("probe_answered") < names(asked).index("decided")
    (event,) = [one for one in events(asked) if one["event"] == "probe_answered"]
    assert (event["passed"], event["exit_status"], event["level"]) == (False, 3, "info")
    assert event["why"] == {"rule": "weakened", "facts": ["verified.fewer_results", "verified.passed"]}
    assert "reason" not in event
    assert "opensesame" not in asked.err
