"""`exitgate trust`: played on a terminal, and refused everywhere else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cases import each
from cli_program import Ran, run
from cli_terminal import run_on_terminal

from exitgate.core.probes import trust

SETTINGS = """\
exit_decision:
  policy: ../ours.yaml
  verify: [tests]
  probes:
    tests: {command: [make, "a b", test], timeout: 10m, reads: {junit: build/j.xml}, environment: [DB]}
"""
#: A small policy: it is compiled in each process.
POLICY = """\
policy: ours
format: 1
version: 1.0.0
extends: verified@^1
facts:
  promise: {extract: promise, from: output, text: DONE}
rules:
  - {id: promised, when: promise.emitted, exit: complete, because: The agent said so}
"""
DIGEST_LENGTH = 32


@pytest.fixture(autouse=True)
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*trust.AGENTS, trust.VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return written(tmp_path / "project")


def written(folder: Path) -> Path:
    (folder / ".bb3").mkdir(parents=True)
    (folder / ".bb3" / "config.yaml").write_text(SETTINGS)
    (folder / "ours.yaml").write_text(POLICY)
    return folder


def typed(project: Path, text: str, *words: str, **environment: str) -> Ran:
    state = str(project.parent / "state")
    return run_on_terminal("trust", *words, cwd=project, typed=text, XDG_STATE_HOME=state, **environment)


def piped(project: Path, *words: str, **environment: str) -> Ran:
    state = str(project.parent / "state")
    return run("trust", *words, cwd=project, stdin="allow\n", XDG_STATE_HOME=state, **environment)


def records(project: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_bytes()) for path in (project.parent / "state").glob("exitgate/trust/*")]


def test_a_person_is_shown_all_and_types(project: Path) -> None:
    said = typed(project, "allow\n")
    assert said.code == 0
    for part in (
        "tests: make 'a b' test", "at most 600 s", "reads junit of build/j.xml", "gets DB",
        "`verified` has to pass: tests", "not allowed", "Type `allow`", "allowed, recorded in",
    ):  # fmt: skip
        assert part in said.out
    (record,) = records(project)
    assert record["root"] == str(project)
    assert record["digest"] == piped(project, "--digest").out.strip()
    shown = piped(project, "--show")
    assert shown.out.endswith("\nallowed\n")
    assert piped(project).code == 0  # there is nothing to ask any more


@each(
    ("definition", "shown"),
    [
        ("command: [sh, -c, '\"$@\"', make, test, 'a b']", "tests: sh -c '\"$@\"' make test 'a b'\n"),
        ("command: [sh, -c]", "tests: sh -c\n"),
        ("command: [sh, -c, make]", "tests: sh -c make\n"),
        ("shell: make test | tail -3", "tests: make test | tail -3\n"),
        ('command: [make, "a\\e[2Jb"]', "tests: make 'a\\x1b[2Jb'\n"),
        ("command: [make], writes: [out, .bb3x]", "writes out, .bb3x, which no comparison of the tree sees"),
        ("command: [make], reads: {junit: out/j.xml}", "junit of out/j.xml; an old one is removed"),
        ('command: [make], reads: {junit: "-"}', "at most 300 s; reads junit of -\n"),
    ],
)
def test_every_word_of_a_command_is_shown(definition: str, shown: str, project: Path) -> None:
    head = SETTINGS[: SETTINGS.index("    tests:")]
    (project / ".bb3" / "config.yaml").write_text(f"{head}    tests: {{{definition}}}\n")
    assert shown in piped(project, "--show").out


def test_tracked_files_that_a_probe_says_it_writes_are_counted(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("")
    for words in (("init", "-q"), ("add", "src")):
        subprocess.run(["git", "-C", str(project), *words], check=True)
    (project / ".bb3" / "config.yaml").write_text(
        SETTINGS.replace("environment:", "writes: [src], environment:")
    )
    shown = " ".join(piped(project, "--show").out.split())
    assert "git tracks 1 file in there: changes of them go unseen" in shown


@pytest.mark.parametrize("answer", ["yes\n", "\x04"])
def test_any_other_answer_allows_nothing(answer: str, project: Path) -> None:
    said = typed(project, answer)
    assert said.code == 66
    assert "nothing was allowed" in said.out
    assert records(project) == []


def test_yes_asks_nothing_on_a_terminal(project: Path) -> None:
    said = typed(project, "", "--yes")
    assert said.code == 0
    assert "tests: make 'a b' test" in said.out
    assert len(records(project)) == 1


@each("words", [(), ("--yes",)])
def test_without_a_terminal_it_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    said = piped(project := written(tmp_path / "project"), *words)
    assert said.code == 64
    assert "EP590" in said.err
    assert records(project) == []


def test_an_agent_is_refused_even_on_a_terminal(project: Path) -> None:
    said = typed(project, "", "--yes", CLAUDECODE="1")
    assert said.code == 64
    assert "CLAUDECODE" in said.out
    assert records(project) == []


def test_an_agent_takes_no_consent_back(project: Path) -> None:
    """Without the record, an emptied `verify` would be missed by no run that begins later."""
    typed(project, "", "--yes")
    said = piped(project, "--revoke", CLAUDECODE="1")
    assert said.code == 64
    assert "take it back" in said.err
    assert len(records(project)) == 1


def test_the_digest_in_the_environment_needs_no_consent(project: Path) -> None:
    digest = piped(project, "--digest").out.strip()
    assert len(digest) == DIGEST_LENGTH
    assert piped(project, EXITGATE_TRUST=digest).out.endswith("\nallowed\n")
    assert piped(project, EXITGATE_TRUST=digest[::-1]).code == 64


def test_what_changed_is_named_and_can_be_allowed_or_taken_back(project: Path) -> None:
    typed(project, "", "--yes")
    path = project / ".bb3" / "config.yaml"
    assert "was:" not in piped(project, "--show").out
    path.write_text(SETTINGS.replace("[make, ", "[gmake, ").replace("verify: [tests]", "verify: []"))
    shown = piped(project, "--show").out
    assert "changed since a person allowed it:" in shown
    assert "what has to pass for `verified` was `tests`, now nothing" in shown
    assert "the probe `tests` has another `command`" in shown
    assert "  tests: gmake 'a b' test\n      was: make 'a b' test\n" in shown
    assert typed(project, "allow\n").code == 0
    assert piped(project, "--show").out.endswith("\nallowed\n")
    assert piped(project, "--revoke").out == "no longer allowed\n"
    assert piped(project, "--revoke").err == "nothing was allowed here\n"
    assert records(project) == []


def test_what_it_shows_cannot_hide_a_command(project: Path) -> None:
    """Escape sequences, line ends and marks of direction of a definition are written out."""
    hidden = "\\e[2K\\r\\u202e\\nallowed\\n"
    probe = f'{{shell: "rm -r . #{hidden}", judge: "x{hidden}"}}'
    text = f"exit_decision: {{policy: ../ours.yaml, verify: [a], probes: {{a: {probe}}}}}"
    (project / ".bb3" / "config.yaml").write_text(text)
    said = piped(project, "--show").out
    assert "rm -r ." in said
    assert not {"\x1b", "\r", "\u202e"} & set(said)
    assert [line for line in said.splitlines() if line.startswith("allowed")] == []


def test_a_folder_that_cannot_be_used_is_said(project: Path) -> None:
    (project.parent / "state" / "exitgate").mkdir(parents=True)
    (project.parent / "state" / "exitgate" / "trust").write_text("")
    said = typed(project, "", "--yes")
    assert said.code == 73
    assert "EP591" in said.out
