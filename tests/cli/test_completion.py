"""`exitgate completion`: scripts that shells take, and what they offer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from cli_ledger import write_ledger
from cli_policy import POLICY
from cli_program import run

from exitgate.cli.parsing import completions


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"_EXITGATE_COMPLETE={shell}_complete" in ran.out


def offered(place: Path, typed: str, shell: str = "zsh", **environment: str) -> list[str]:
    """Return what is offered at the end of a command line, in the order of the answer."""
    words = typed.split(" ")
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1), **environment}
    ran = run(cwd=place, HOME=str(place), **asked, _EXITGATE_COMPLETE=f"{shell}_complete")
    assert (ran.code, ran.err) == (0, "")
    kinds = ran.out.rstrip("\n").split("\n") if ran.out.strip() else []
    if shell == "bash":
        return [line.partition(",")[2] for line in kinds if line.startswith("plain,")]
    rows = zip(kinds[::3], kinds[1::3], strict=False)
    return [name if kind == "plain" else f"<{kind}>" for kind, name in rows]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    write_ledger(folder / ".ralph" / "exitgate")
    return folder


@each(
    "typed, first",
    [
        ("exitgate check -p re", ["<file>", "recommended", "response-analyzer"]),
        ("exitgate check -p ./p", ["<file>"]),
        ("exitgate validate bb", ["<file>", "bb3", "bb3-faithful"]),
        ("exitgate check --set stag", ["stagnation_loops="]),
        ("exitgate check -p ./policy.yaml --set ", ["goal="]),
        ("exitgate policies show ./policy.yaml --set g", ["goal="]),
        ("exitgate check --policy=ralph-f", ["<file>", "ralph-faithful"]),
        ("exitgate explain --rule stagn", ["stagnation"]),
        ("exitgate prove ./policy.yaml --rule ", ["done", "still"]),
        ("exitgate explain --why-not comp", ["complete"]),
        ("exitgate dry-run --reader claude-se", ["claude-session"]),
        ("exitgate hook c", ["claude-code", "codex", "copilot", "cursor"]),
        ("exitgate install ge", ["gemini"]),
        ("exitgate history --run ", ["night", "day", "night#1", "day#1"]),
        ("exitgate new-run n", ["night", "night#1"]),
        ("exitgate explain EP81", ["<file>", "EP810"]),
        ("exitgate explain ep810", ["<file>", "ep810"]),
        ("exitgate explain checkl", ["<file>", "checklist"]),
        ("exitgate config stagnation_", ["stagnation_loops"]),
        ("exitgate ci --skip r", ["release-check"]),
        ("exitgate lint --select missing-t", ["missing-tests"]),
        ("exitgate completion z", ["zsh"]),
        ("exitgate schema conf", ["config"]),
        ("exitgate policies ej", ["eject"]),
        ("exitgate transcripts x", ["<file>"]),
        ("exitgate check --state-dir x", ["<dir>"]),
        ("exitgate check --fact tasks.perc", ["tasks.percent="]),
    ],
)
def test_names_are_offered(typed: str, first: list[str], place: Path) -> None:
    found = offered(place, typed)
    assert found[: len(first)] == first
    assert first or not found


@each(
    "typed, wanted",
    [
        ("exitgate check --policy = ralph-f", ["ralph-faithful"]),
        ("exitgate check --set goa", []),
        ("exitgate check -p ./policy.yaml --set go", ["goal="]),
        ("exitgate import ralphrc --policy = rec", ["recommended"]),
    ],
)
def test_bash_breaks_words_at_equals_signs(typed: str, wanted: list[str], place: Path) -> None:
    assert offered(place, typed, "bash") == wanted


def test_values_of_a_parameter(tmp_path: Path) -> None:
    more = "parameters:\n  strict: {type: bool, default: false, doc: Whether.}\n"
    (tmp_path / "policy.yaml").write_text(POLICY.replace("parameters:\n", more), "utf-8")
    assert offered(tmp_path, "exitgate check -p ./policy.yaml --set strict=") == [
        "strict=true",
        "strict=false",
    ]
    assert offered(tmp_path, "exitgate check -p ./policy.yaml --set strict = t", "bash") == ["true"]


def test_what_fails_offers_nothing_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text("exit_decision: [", "utf-8")
    (tmp_path / "broken.yaml").write_text("policy: [", "utf-8")
    (tmp_path / ".ralph/exitgate").mkdir(parents=True)
    (tmp_path / ".ralph/exitgate/ledger.jsonl").write_bytes(b"\xff\x00{\n" * 10)
    for typed in (
        "check --set ",
        "check -p ./broken.yaml --set ",
        "explain --rule ",
        "history --run ",
        "config ",
    ):
        assert offered(tmp_path, f"exitgate {typed}") == [], typed
    assert offered(tmp_path, 'exitgate check --set "') == []


def test_a_name_that_a_shell_would_run_is_never_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [
        "$(id)",
        "`id`",
        "a;b",
        "a b",
        "a\nplain,b",
        "-x",
        "#a",
        "a|b",
        "a*",
        "~a",
        "a,b",
        "\x1b[2J",
        "",
        "a&",
    ]
    monkeypatch.setitem(
        completions._OF_KEY, "run", lambda _typed, _begun: [(name, "") for name in (*bad, "a.b#1")]
    )
    assert completions.completions_for("history", "run", "NAME", {}, "") == ([("a.b#1", "")], "")


def test_another_shell_is_64() -> None:
    ran = run("completion", "tcsh")
    assert (ran.code, ran.out) == (64, "")
    assert "shells are bash, zsh, fish" in ran.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("exitgate che", "check"),
        ("exitgate ledger ve", "verify"),
        ("exitgate check --exit", "--exit-codes"),
        ("exitgate check --set stag", "stagnation_loops="),
    ],
)
def test_bash_completes_with_the_script(typed: str, offered: str, tmp_path: Path) -> None:
    program = tmp_path / "exitgate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m exitgate "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = typed.split()
    script = (
        'eval "$(exitgate completion bash)"\n'
        f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}\n"
        '_exitgate_completion exitgate; echo "${COMPREPLY[@]}"; complete -p exitgate'
    )
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    first, second = ran.stdout.splitlines()
    assert first == offered
    assert "_exitgate_completion" in second
