"""`exitgate doctor`: what is there, where from, what a check would do, and what keeps it from deciding."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cli_breaker import write
from cli_golden import same
from cli_program import Ran, run
from compiled import COMPILED

from exitgate.report.doctor import ABSENT, FAILS, FOUND, WARNING, Finding, findings_text
from exitgate.report.terminal import Style

SUBJECTS = [
    "exitgate", "python", "re2", "git", "cache", "telemetry", "policy", "preset settings", "user settings",
    "project settings", "plan", "response", "task", "breaker", "state", "ledger", "incidents", "check",
]  # fmt: skip


def doctor(folder: Path, *words: str, **environment: str) -> Ran:
    own = {"HOME": str(folder / "home"), "EXITGATE_CACHE_DIR": str(folder / "cache"), "XDG_CONFIG_HOME": ""}
    return run("doctor", *words, cwd=folder, **{**own, **environment})


def findings(ran: Ran) -> dict[str, dict[str, str]]:
    return {one["subject"]: one for one in json.loads(ran.out)["findings"]}


def as_json(folder: Path, *words: str, **environment: str) -> dict[str, dict[str, str]]:
    return findings(doctor(folder, *words, "--format", "json", **environment))


def test_findings_read_well() -> None:
    made = [
        Finding("policy", FOUND, "bb3 2.0.1", "shipped:bb3, chosen by project, .bb3/config.yaml:2:11"),
        Finding("user settings", ABSENT, "none", "looked for at ~/.config/exitgate/config.yaml"),
        Finding(
            "ledger\x1b[2J",
            WARNING,
            "3 lines good, 1 finding" + " and more" * 9,
            "x",
            "see `exitgate ledger verify`",
        ),
        Finding("state", FAILS, "`a\nb` is not a folder", "", "remove it" + ", or name another folder" * 3),
    ]
    text = findings_text(made, Style(False, 80))
    assert max(map(len, text.splitlines())) <= 80
    same("doctor.txt", text + "\n" + findings_text(made[:3], Style(False, 80)))
    painted = findings_text(made, Style(True, 80))
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == text


def test_everything_is_found_and_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path)
    before = set(tmp_path.rglob("*"))
    ran = doctor(tmp_path, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["decides"] is True
    found = findings(ran)
    assert list(found) == SUBJECTS
    assert found["policy"]["text"] == "guarded 2.0.0"
    assert found["policy"]["origin"].startswith("guarded.yaml, chosen by project, .bb3/config.yaml:1:")
    assert (found["plan"]["origin"], found["plan"]["text"]) == (".ralph/fix_plan.md", "20 characters")
    assert found["ledger"]["state"] == found["state"]["state"] == "absent"
    assert found["cache"]["state"] in ("absent", "found")  # lexicons that are resolved now are kept there
    assert found["check"]["text"] == "would say CONTINUE · otherwise"
    made = set(tmp_path.rglob("*")) - before
    assert {p.relative_to(tmp_path).parts[0] for p in made} <= {"cache"}, "only the user's cache is filled"


def test_after_checks_ledger_and_cache_are_there(tmp_path: Path) -> None:
    write(tmp_path)
    run("check", "-q", cwd=tmp_path, EXITGATE_CACHE_DIR=str(tmp_path / "cache"))
    found = as_json(tmp_path)
    assert found["ledger"]["text"] == "sound, 2 lines"
    assert found["state"]["text"] == "writable, private"
    assert found["cache"]["text"].startswith("private, ")
    assert found["breaker"] == {
        "subject": "breaker", "state": "found", "text": "CLOSED", "origin": "kept by exitgate", "help": None,
    }  # fmt: skip
    assert found["check"]["origin"] == "after_iteration of guarded, default#1 iteration 2"


def test_an_empty_folder_can_be_decided_on(tmp_path: Path) -> None:
    ran = doctor(tmp_path, EXITGATE_CACHE_DIR=COMPILED)
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "● check can decide"
    assert "○ response" in ran.out
    assert "`exitgate init` writes one" in ran.out


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_hostile_names_stay_names(width: str, tmp_path: Path) -> None:
    name = "r\x1b[2J\u202e.md"
    (tmp_path / name).write_text("Working.\n", encoding="utf-8")
    ran = doctor(tmp_path, name, NO_COLOR="1", COLUMNS=width, EXITGATE_CACHE_DIR=COMPILED)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert r"r\x1b[2J\u202e.md" in ran.out


def broken_policy(folder: Path) -> None:
    (folder / "guarded.yaml").write_text("policy: guarded\nrules: [{id: x, when: tsks.done > 1}]\n", "utf-8")


def state_is_a_file(folder: Path) -> None:
    (folder / ".ralph" / "exitgate").write_text("", encoding="utf-8")


def newer_ledger(folder: Path) -> None:
    (folder / ".ralph" / "exitgate").mkdir(mode=0o700)
    line = '{"format": 99, "sequence": 1, "run": "x#1"}\n'
    (folder / ".ralph" / "exitgate" / "ledger.jsonl").write_text(line, encoding="utf-8")


def broken_settings(folder: Path) -> None:
    (folder / ".bb3" / "config.yaml").write_text("exit_decision: {no_such: 1}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("break_it", "subject"),
    [
        (broken_policy, "policy"),
        (broken_settings, "policy"),
        (state_is_a_file, "state"),
        (newer_ledger, "ledger"),
    ],
)
def test_what_keeps_a_check_from_deciding_is_69(break_it: object, subject: str, tmp_path: Path) -> None:
    write(tmp_path)
    assert callable(break_it)
    break_it(tmp_path)
    ran = doctor(tmp_path, "--format", "json")
    assert ran.code == 69
    assert json.loads(ran.out)["decides"] is False
    one = findings(ran)[subject]
    assert one["state"] == "fails"
    assert one["help"]
    text = doctor(tmp_path)
    assert "✗ check cannot decide" in text.out
    assert run("check", cwd=tmp_path).code >= 64, "the check agrees"


def test_a_named_response_that_is_missing_fails(tmp_path: Path) -> None:
    ran = doctor(tmp_path, "none.md", "--format", "json", EXITGATE_CACHE_DIR=COMPILED)
    assert ran.code == 69
    assert findings(ran)["check"]["text"].startswith("would stop with 66: ")


def test_damage_warns_and_does_not_fail(tmp_path: Path) -> None:
    write(tmp_path)
    run("check", "-q", cwd=tmp_path)
    with (tmp_path / ".ralph" / "exitgate" / "ledger.jsonl").open("a", encoding="utf-8") as file:
        file.write("nonsense\n")
    ran = doctor(tmp_path, "--format", "json")
    assert ran.code == 0
    assert findings(ran)["ledger"]["state"] == "warning"
    assert "ledger verify" in findings(ran)["ledger"]["help"]


def test_modes_that_let_others_in_are_told(tmp_path: Path) -> None:
    write(tmp_path)
    run("check", "-q", cwd=tmp_path)
    (tmp_path / ".ralph" / "exitgate").chmod(0o777)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    found = as_json(tmp_path)
    assert (found["state"]["state"], found["state"]["text"]) == ("warning", "mode 777")
    assert found["cache"]["state"] == "warning"
    assert "other users can write" in found["cache"]["text"]


def test_variables_are_named_and_git_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path)
    empty = tmp_path / "bin"
    empty.mkdir()
    found = as_json(tmp_path, "-p", "bb3", EXITGATE_SET_MIN_COMPLETION="91", PATH=str(empty))
    assert found["environment"]["text"] == "EXITGATE_SET_MIN_COMPLETION"
    assert (found["git"]["state"], found["git"]["text"]) == ("absent", "no git on PATH")


def test_stdin_is_left_alone(tmp_path: Path) -> None:
    ran = doctor(tmp_path, "-", "--format", "json")
    assert ran.code == 0
    assert findings(ran)["sources"]["state"] == "warning"
    assert "check" not in findings(ran)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / ".ralph").mkdir(mode=0o500)
    assert doctor(tmp_path).code == 69
