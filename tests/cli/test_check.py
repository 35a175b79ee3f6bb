"""`exitgate check`: verdicts, exit codes, forms, where it reads and what it does with trouble."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from cases import each
from cli_policy import POLICY, write
from cli_program import Ran, run, run_apart

from exitgate.cli.commands.check import exit_code
from exitgate.core.model.decision import CLASS_CODES, Decision
from exitgate.core.policy import shipped

CHECK = ("check", "-", "plan.md", "-p", "./policy.yaml")


def check(folder: Path, *words: str, stdin: str = "said\n", **environment: str) -> Ran:
    return run(*CHECK, *words, cwd=folder, stdin=stdin, **environment)


def classed(folder: Path, name: str) -> None:
    """Write a policy whose first rule exits with a class."""
    text = POLICY.replace("exit: complete", f"exit: {name}")
    (folder / "policy.yaml").write_text(text, encoding="utf-8")


def test_continue_is_0(tmp_path: Path) -> None:
    ran = check(write(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "CONTINUE · otherwise\nContinuing: no rule fired; 1 of 2 tasks done\n"
        "Next: complete when the last open task is done\n"
    )


@each(("name", "code"), CLASS_CODES.items())
def test_every_class_has_its_code(name: str, code: int, tmp_path: Path) -> None:
    classed(write(tmp_path), name)
    ran = check(tmp_path, "--set", "goal=50")
    assert ran.code == code
    assert ran.out.startswith(f"EXIT {name} · done\n1 of 2 tasks done\n")
    assert check(tmp_path, "--set", "goal=50", "--exit-codes", "simple").code == 1


@each("name", CLASS_CODES)
def test_codes_of_decisions(name: str) -> None:
    decision = Decision("EXIT", name, name, name, "")
    assert exit_code(decision) == CLASS_CODES[name]
    assert exit_code(decision, "simple") == 1
    assert exit_code(Decision("CONTINUE", None, "otherwise", None, ""), "simple") == 0


def test_history_forms_reach_from_process_to_process(tmp_path: Path) -> None:
    write(tmp_path)
    said = [run_apart(*CHECK, cwd=tmp_path, stdin=f"turn {n}\n") for n in range(4)]
    assert [ran.code for ran in said] == [0, 0, 0, 12]
    assert "Next: EXIT stuck after one more iteration like this one (nothing ticked)\n" in said[2].out
    assert said[3].out.startswith("EXIT stuck · still\nnothing ticked; 1 of 2 tasks done\n")


def test_no_record_keeps_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    for _ in range(5):
        assert check(tmp_path, "--no-record").code == 0
    assert not (tmp_path / ".ralph").exists()


def test_default_paths(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph" / "last-response.md").write_text("said", encoding="utf-8")
    (tmp_path / ".ralph" / "@fix_plan.md").write_text("- [x] a\n", encoding="utf-8")
    assert run("check", "-p", "./policy.yaml", cwd=tmp_path).code == 10


def test_quiet_says_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    assert check(tmp_path, "-q") == (0, "", "")
    assert check(tmp_path, "--quiet", "--set", "goal=50") == (10, "", "")


def test_json_fits_its_schema(tmp_path: Path) -> None:
    write(tmp_path)
    for words, code in (
        ((), 0),
        (("--set", "goal=50"), 10),
        (("--set", "goal=50", "--exit-codes", "simple"), 1),
    ):
        ran = check(tmp_path, "--format", "json", *words)
        shown = json.loads(ran.out)
        jsonschema.validate(shown, shipped.schema("decision"))
        assert (ran.code, shown["exit_code"], ran.err) == (code, code, "")


def test_github(tmp_path: Path) -> None:
    ran = check(write(tmp_path), "--format", "github", "--set", "goal=50")
    assert ran.out == "::notice title=EXIT complete · done::1 of 2 tasks done\n"


def test_given_facts_take_the_place_of_what_is_read(tmp_path: Path) -> None:
    write(tmp_path)
    assert check(tmp_path, "--fact", "tasks.percent=100").code == 10
    wrong = check(tmp_path, "--fact", "tasks.percnt=100")
    assert (wrong.code, wrong.out) == (64, "")
    assert "tasks.percent" in wrong.err


def test_colour_only_where_it_is_wanted(tmp_path: Path) -> None:
    write(tmp_path)
    assert "\x1b" not in check(tmp_path).out
    assert "\x1b[" in check(tmp_path, "--color", "always").out
    assert "\x1b[" in check(tmp_path, FORCE_COLOR="1").out
    assert "\x1b" not in check(tmp_path, FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b[" in check(tmp_path, "--color=always", NO_COLOR="1").out


@pytest.mark.parametrize("columns", ["20", "200"])
def test_a_pipe_has_80_columns(columns: str, tmp_path: Path) -> None:
    policy = POLICY.replace('because: "nothing ticked"', f'because: "{"word " * 40}"')
    write(tmp_path)
    (tmp_path / "policy.yaml").write_text(policy.replace("for 3 iterations", "for 1 iterations"))
    check(tmp_path, stdin="a")
    out = run_apart(*CHECK, "-v", cwd=tmp_path, stdin="b", COLUMNS=columns).out
    assert out.startswith("EXIT stuck")
    assert 70 < max(map(len, out.splitlines())) <= 80


def test_missing_response_is_66(tmp_path: Path) -> None:
    ran = run("check", "nowhere.md", "plan.md", "-p", "./policy.yaml", cwd=write(tmp_path))
    assert (ran.code, ran.out) == (66, "")
    assert "nowhere.md" in ran.err
    assert run("history", cwd=tmp_path).out == ""


def test_a_broken_policy_is_65_and_nothing_is_recorded(tmp_path: Path) -> None:
    ran = run("check", "-", "plan.md", "-p", "./wrong.yaml", cwd=write(tmp_path))
    assert (ran.code, ran.out) == (65, "")
    assert "2 errors" in ran.err
    assert not (tmp_path / ".ralph").exists()


def test_a_directory_and_a_pipe_are_74(tmp_path: Path) -> None:
    write(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for name in (".", "pipe"):
        ran = run("check", name, "plan.md", "-p", "./policy.yaml", cwd=tmp_path)
        assert (ran.code, ran.out) == (74, "")


def test_a_state_directory_that_cannot_be_made_is_73(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = check(tmp_path, "--state-dir", "file")
    assert (ran.code, ran.out) == (73, "")


def test_a_held_ledger_is_75(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from exitgate.core.ledger.append import Ledger

    write(tmp_path)
    leaps = itertools.count(step=5.0)
    with Ledger(str(tmp_path / "state")):
        monkeypatch.setattr("time.monotonic", lambda: next(leaps))
        ran = check(tmp_path, "--state-dir", "state")
    assert (ran.code, ran.out) == (75, "")


def test_hostile_words_reach_no_terminal_raw(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "plan.md").write_text("- [x] \x1b[2J\x1b]0;x\x07 \u202e\n- [ ] \x9b\n", encoding="utf-8")
    for form in ("text", "json", "github"):
        ran = check(tmp_path, "--format", form, "--run", "r")
        assert not set("\x1b\x07\x9b\u202e") & set(ran.out + ran.err)
    for form in ("text", "json", "markdown"):
        ran = run("explain", "--format", form, cwd=tmp_path)
        assert ran.code == 0
        assert not set("\x1b\x07\x9b\u202e") & set(ran.out + ran.err)


def test_a_full_disk_behind_stdout_is_73(tmp_path: Path) -> None:
    import subprocess
    import sys

    write(tmp_path)
    line = f"{sys.executable} -m exitgate check - plan.md -p ./policy.yaml </dev/null >/dev/full"
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 73
    assert ran.stderr == "error[EP805]: cannot write the result: No space left on device\n"


@pytest.mark.parametrize("option", ["--cost", "--tokens", "--iteration"])
def test_numbers_whose_sum_could_not_be_written_are_64(option: str, tmp_path: Path) -> None:
    write(tmp_path)
    for number in ("1000000000001", "9" * 400):
        ran = check(tmp_path, option, number)
        assert (ran.code, ran.out) == (64, "")
        assert option in ran.err
    assert [check(tmp_path, option, "1000000000000", "--turn", turn).code for turn in "ab"] == [0, 0]


@pytest.mark.parametrize("words", [["check"], ["state"], ["config"], ["doctor"], ["circuit", "status"]])
def test_a_current_folder_that_was_removed_is_74(words: list[str], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir ../gone && exec "$0" -m exitgate "$@"'
    ran = subprocess.run(
        ["sh", "-c", script, sys.executable, *words], cwd=gone, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (74, "")
    assert "the current folder is gone" in ran.stderr


def test_a_standard_input_that_is_closed_is_74_and_never_another_file(tmp_path: Path) -> None:
    write(tmp_path)
    words = ["check", "-", "plan.md", "-p", "./policy.yaml"]
    script = 'exec "$0" -m exitgate "$@" <&-'
    for _ in range(2):
        ran = subprocess.run(
            ["sh", "-c", script, sys.executable, *words],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ran.returncode, ran.stdout) == (74, "")
        assert "response at `-` cannot be read" in ran.stderr
