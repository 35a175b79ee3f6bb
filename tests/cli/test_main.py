"""The shell around the commands: help, versions, usage errors, crashes, pipes and interrupts."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from cli_program import run, run_apart

from exitgate import __version__
from exitgate.cli import main as program
from exitgate.cli.command import Answer, Command
from exitgate.cli.commands import check, schema
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.state.incidents import incidents


def test_version() -> None:
    assert run("--version") == (0, f"exitgate {__version__}\n", "")


@pytest.mark.parametrize("words", [["json"], ["--json"]])
def test_version_as_json(words: list[str]) -> None:
    ran = run("--version", *words)
    assert ran.code == 0
    assert json.loads(ran.out)["exitgate"] == __version__


def test_bare_call_is_a_usage_error_so_that_no_loop_goes_on() -> None:
    ran = run()
    assert (ran.code, ran.out) == (64, "")
    assert "s=0; while exitgate check --agent-exit $s; do agent; s=$?; done" in ran.err


def test_help_lists_every_command() -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    for name in program.COMMANDS:
        assert f"\n  {name} " in ran.out


@each("name", program.COMMANDS)
@each("flag", ["--help", "-h"])
def test_every_command_has_help_with_examples_and_exit_codes(name: str, flag: str) -> None:
    assert program.main([name, flag]) == 0


@pytest.mark.parametrize("name", program.COMMANDS)
def test_help_page_is_complete(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program.main([name, "--help"])
    out = capsys.readouterr().out
    assert "Examples\n" in out
    assert "Exit codes\n" in out
    assert max(map(len, out.splitlines())) <= 80
    command = program.load(name)
    options = [option for one in (command, *command.children) for option in one.options]
    assert [option.doc for option in options if "may be repeated" in option.doc] == []  # the page adds it


@each(
    ("words", "message", "help"),
    [
        (["chek"], "error[EP801]: no command `chek`", "did you mean `check`?"),
        (["--polcy"], "error[EP800]: unknown option `--polcy`", "options come after the command"),
        (["check", "--polcy", "x"], "no option `--polcy`", "did you mean `--policy`?"),
        (
            ["check", "--source", "output=a.log", "--source", "output=b.log"],
            "error[EP800]: `--source` names two files for source `output`",
            "join them in order: `cat FIRST SECOND | exitgate check -`",
        ),
        (["check", "--set", "x"], "error[EP802]: `x` is not a NAME=VALUE", "write `--set NAME=VALUE`"),
        (["check", "--agent-exit", "x"], "`--agent-exit`", "see `exitgate check --help`"),
        (["check", "a", "b", "c"], "got unexpected extra argument (c)", "see `exitgate check --help`"),
        (["policies"], "`exitgate policies` needs a command", "see `exitgate policies --help`"),
        (["policies", "lst"], "no command `lst`", "did you mean `list`?"),
        (["schema", "x\x1b[2J"], "no schema `x\\x1b[2J`", "schemas are"),
    ],
)
def test_usage_errors_are_64(words: list[str], message: str, help: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (64, "")
    assert message in ran.err
    assert help in ran.err


def acting(monkeypatch: pytest.MonkeyPatch, act: Callable[..., Answer]) -> None:
    monkeypatch.setattr(schema, "COMMAND", Command("schema", "a command", run=act))


def test_a_crash_is_70_and_short(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("EXITGATE_DEBUG", raising=False)

    def act(*_: object) -> Answer:
        raise ZeroDivisionError("by \x1b[2Jzero")

    acting(monkeypatch, act)
    assert program.main(["schema"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "error[EP999]: internal error, not a decision: ZeroDivisionError: by \\x1b[2Jzero\n"
    )
    assert "Traceback" not in err
    assert "test_main.py" in err


@pytest.mark.parametrize("words", [["--state-dir", "kept"], ["--state-dir=kept"]])
def test_a_crash_of_a_command_that_decides_is_kept_for_doctor(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(*_: object) -> Answer:
        raise IndexError("last of an empty list")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    (tmp_path / ".ralph" / "exitgate").mkdir(parents=True)
    options = check.COMMAND.options
    monkeypatch.setattr(check, "COMMAND", Command("check", "a command", options=options, run=act))
    assert program.main(["check", *words]) == 70
    assert program.main(["check"]) == 70
    capsys.readouterr()
    for place in ("kept", ".ralph/exitgate"):
        (one,) = incidents(place)
        assert (one["kind"], one["command"]) == ("crashed", "check")
        assert one["message"] == "IndexError: last of an empty list"
        assert "test_main.py" in str(one["at"])
    acting(monkeypatch, act)
    assert program.main(["schema"]) == 70
    assert len(incidents(".ralph/exitgate")) == 1, "a command that decides nothing leaves none"


def test_a_crash_shows_all_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EXITGATE_DEBUG", "1")

    def act(*_: object) -> Answer:
        raise RecursionError

    acting(monkeypatch, act)
    assert program.main(["schema"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def act(*_: object) -> Answer:
        raise KeyboardInterrupt

    acting(monkeypatch, act)
    assert program.main(["schema"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


@pytest.mark.parametrize("code", [64, 65, 66, 69, 73, 74, 75])
def test_trouble_keeps_its_code(
    code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act(*_: object) -> Answer:
        raise ExitgateError([Diagnostic("EP805", "cannot", help="do")], code)

    acting(monkeypatch, act)
    assert program.main(["schema"]) == code
    assert capsys.readouterr() == ("", "error[EP805]: cannot\nhelp: do\n")


def test_a_reader_that_goes_away_is_no_trouble() -> None:
    line = f"{sys.executable} -m exitgate schema policy 2>err | head -c 1 >/dev/null; cat err; rm err"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout == ""


def test_a_closed_stdout_is_no_crash() -> None:
    line = f"{sys.executable} -m exitgate --version >&-"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr


def test_an_encoding_that_cannot_hold_the_text() -> None:
    ran = run("schema", "--help", PYTHONIOENCODING="ascii")
    assert ran.code == 0
    assert "Traceback" not in ran.err


def test_completion_answers_the_shell() -> None:
    ran = run_apart(_EXITGATE_COMPLETE="bash_complete", COMP_WORDS="exitgate sch", COMP_CWORD="1")
    assert "schema" in ran.out


def test_a_plain_command_needs_no_click() -> None:
    code = (
        "import sys; from exitgate.cli.main import main; main(['--version']); print('click' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(("given", "code"), [(0, 73), (10, 73), (69, 73), (65, 65), (74, 74)])
def test_a_result_that_nobody_got(
    given: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert program.write(Answer("findings\n", "", given)) == code
    assert capsys.readouterr().err.startswith("error[EP805]: cannot write the result: ") == (code == 73)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_no_more_files_is_no_fault_of_exitgate(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(name: str) -> Command:
        raise OSError(number, os.strerror(number), name)

    monkeypatch.setattr(program, "load", load)
    assert program.main(["check"]) == 74
    assert capsys.readouterr().err.startswith("error[EP811]: no more files can be opened: ")


@pytest.mark.parametrize(
    ("words", "same"), [(("help",), ("--help",)), (("help", "check"), ("check", "--help"))]
)
def test_help_is_a_command_too(words: tuple[str, ...], same: tuple[str, ...]) -> None:
    assert run(*words) == run(*same)
    assert run("help", "chek").code == 64


def test_the_short_option_for_the_version() -> None:
    assert run("-V") == run("--version")


def test_commands_that_need_no_path(tmp_path: Path) -> None:
    assert run("validate", cwd=tmp_path).code == 66
    assert run("transcripts", cwd=tmp_path, HOME=str(tmp_path)).code == 66
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3" / "config.yaml").write_text("exit_decision: {policy: bb3}\n")
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "own.yaml").write_text("policy: [\n")
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    ran = run("validate", cwd=tmp_path)
    assert ran.code == 65
    assert "policies/own.yaml" in ran.out
    assert "compose.yaml" not in ran.out
    (tmp_path / "ralph.log").write_text("=== Iteration 1 ===\nx\n=== Iteration 2 ===\ny\n")
    assert "ralph" in run("transcripts", ".", cwd=tmp_path).out
