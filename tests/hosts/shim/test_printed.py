"""The file that is printed: read by bash without a word, the policy in it, and what it starts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from shim_rows import bash

from exitgate.cli.main import main
from exitgate.core.state.incidents import incidents
from exitgate.hosts.shim.bash import FILE, shim

OWN = (
    "analyze_response", "update_exit_signals", "log_analysis_summary", "detect_output_format",
    "parse_json_response", "detect_questions", "detect_stuck_loop", "should_exit_gracefully",
    "init_circuit_breaker", "get_circuit_state", "can_execute", "record_loop_result", "show_circuit_status",
    "reset_circuit_breaker", "should_halt_execution",
)  # fmt: skip


def test_every_function_is_there_and_reading_says_nothing(tmp_path: Path) -> None:
    script = f"set -euo pipefail\n{shim(None)}\nfor f in {' '.join(OWN)}; do declare -F $f; done"
    assert bash(tmp_path, script).split() == list(OWN)


def test_the_agent_is_not_given_functions_that_lack_what_they_call(tmp_path: Path) -> None:
    libraries = "\n".join(f"{name}() {{ :; }}; export -f {name}" for name in OWN)
    script = f"{libraries}\n{shim(None)}\nunset -f should_exit_gracefully; env"
    assert "BASH_FUNC_" not in bash(tmp_path, script)


def test_what_it_starts(tmp_path: Path) -> None:
    text = shim("it's a policy.yaml")
    show = 'printf "<%s>" "$@"; echo'
    script = (
        f"{text}\nsay() {{ {show}; }}\nEXITGATE=say\n_exitgate_step ask 1\n_exitgate_step stuck 'a  b' ''\n"
    )
    # Without EXITGATE the interpreter that printed it, and once that is gone the command.
    script += (
        f"EXITGATE=''\n_exitgate_program=(/nowhere -S)\nexitgate() {{ {show}; }}\n_exitgate_step ask 2\n"
    )
    assert bash(tmp_path, script).splitlines() == [
        "<shim><ralph-step><--policy><it's a policy.yaml><--><ask><1>",
        "<shim><ralph-step><--policy><it's a policy.yaml><--><stuck><a  b><>",
        "<shim><ralph-step><--policy><it's a policy.yaml><--><ask><2>",
    ]


def test_the_interpreter_that_printed_it_answers(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("plain")
    assert bash(tmp_path, f"{shim(None)}\nunset EXITGATE PYTHONPATH\ndetect_output_format text") == "text\n"


def test_nothing_newer_than_bash_3(tmp_path: Path) -> None:
    text = Path(FILE).read_text()
    newer = (
        "declare -A",
        "local -n",
        "mapfile",
        "readarray",
        ",,}",
        "^^}",
        "&>>",
        "|&",
        "${!1@",
        "coproc",
        "[[ -v",
    )
    assert [word for word in newer if word in text] == []
    assert subprocess.run(["bash", "-n", FILE], check=False, capture_output=True).stderr == b""


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shim", "ralph", "--policy", "recommended"]) == 0
    assert capsys.readouterr().out == shim("recommended")
    assert main(["shim"]) == 64
    assert main(["shim", "ralph-step", "--", "analyse", "x", "1"]) == 64
    assert main(["shim", "ralph-step", "--", "ask"]) == 64
    assert main(["shim", "ralph-step", "--", "ask", "one"]) == 64
    assert capsys.readouterr().err.count("EP578") == 3


def test_a_state_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXIT_SIGNALS_FILE", str(tmp_path / "none" / "signals"))
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "out.log").write_text("Working")
    words = ["shim", "ralph-step", "--policy", "bb3-faithful", "--", "analyze", "out.log", "1"]
    assert main(words) == 73
    assert "EP577" in capsys.readouterr().err
    (kept,) = incidents(".ralph/exitgate")
    assert (kept["kind"], kept["step"], kept["code"]) == ("shim", "analyze", 73)
    assert not (tmp_path / ".ralph" / ".exitgate_answer").exists()
    # The decision stands: asked again where it can be written, it is not made twice.
    monkeypatch.delenv("EXIT_SIGNALS_FILE")
    assert main(words) == 0
    ledger = (tmp_path / ".ralph" / "exitgate" / "ledger.jsonl").read_text()
    assert ledger.count('"kind":"decision"') == 1
