"""How a loop's command line is read, and what is said of a wrong one before anything is begun."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from loop_project import DONE_IN, Project

from exitgate.cli.commands.run import COMMAND
from exitgate.cli.parsing.arguments import own_words, read
from exitgate.cli.parsing.clicked import read as read_by_click
from exitgate.hosts.loop import child

BEGIN = ("run", "-p", "small.yaml", "--max-iterations", "1")


@pytest.mark.parametrize(
    ("words", "agent", "own"),
    [
        (["--", "agent", "-p", "x"], ("agent", "-p", "x"), 0),
        (["agent", "-p", "x"], ("agent", "-p", "x"), 0),
        (["-q", "--run", "a", "agent", "--", "-q"], ("agent", "--", "-q"), 3),
        (["--run=a", "--", "--", "-h"], ("--", "-h"), 1),
        (["--run", "-h", "-", "-h"], ("-", "-h"), 2),
    ],
)
def test_options_of_the_agent_are_the_agents(words: list[str], agent: tuple[str, ...], own: int) -> None:
    quick, slow = read(COMMAND, words), read_by_click(COMMAND, words, "exitgate run")
    assert quick is not None
    assert quick.texts("command") == slow.texts("command") == agent
    assert list(own_words(COMMAND, words)) == words[:own]


def test_help_of_the_agent_is_the_agents(project: Project) -> None:
    ran = project.main(*BEGIN, "sh", "-c", "echo $0", "--help")
    assert (ran.code, ran.out) == (14, "--help\n")
    assert "Usage  exitgate run [OPTIONS] -- COMMAND...\n" in project.main("run", "-q", "-h").out


@pytest.mark.parametrize(
    ("words", "said", "help"),
    [
        ([], "missing argument `COMMAND`", "write it after `--`, as in `exitgate run -- claude -p`"),
        (["claude -p"], "`claude -p` cannot be started: command not found", "`-- agent --option`"),
        (["./file"], "`./file` cannot be started: it is not executable", "`chmod +x ./file`"),
        (["./folder"], "`./folder` cannot be started: it is a folder", "as the shell would find it"),
        ([""], "`` cannot be started: command not found", "as the shell would find it"),
    ],
)
def test_a_wrong_command_begins_nothing(project: Project, words: list[str], said: str, help: str) -> None:
    project.write("file", "")
    Path("folder").mkdir()
    ran = project.main("run", "--", *words)
    assert ran.code == 64
    assert said in ran.err and help in ran.err
    assert not Path(".ralph").exists()


def test_a_prompt_that_is_wrong_begins_nothing(project: Project) -> None:
    project.write("empty.md", " \n")
    for name, said in (("none.md", "does not exist"), ("empty.md", "is empty")):
        ran = project.main(*BEGIN, "--prompt", name, "--", "sh", "-c", "echo never")
        assert (ran.code, ran.out) == (66, "")
        assert f"prompt at `{name}` {said}" in ran.err
    assert project.main(*BEGIN, "--", "sh", "-c", "echo never", "{prompt}").code == 66
    assert not (project.folder / ".ralph/exitgate/ledger.jsonl").exists()


def test_a_command_that_is_no_program_is_told(project: Project) -> None:
    project.write("agent", "no first line that names an interpreter\n").chmod(0o755)
    ran = project.main(*BEGIN, "--", "./agent")
    assert "note          ./agent: Exec format error\n" in ran.err
    assert project.iterations()[0]["exit_status"] == 126


def test_processes_of_an_agent_that_was_ended_are_no_news(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Leaping:
        """Lets an hour pass once the first agent is at work."""

        @staticmethod
        def monotonic() -> float:
            return time.monotonic() + 3600 * os.path.exists("began")

    monkeypatch.setattr(child, "time", Leaping)
    # it reads: its time has begun by then
    project.write("prompt.md", "go\n")
    waits = "read go; sleep 600 & echo > began; echo began; sleep 600"
    script = f'{DONE_IN.format(2)}; test "$EXITGATE_ITERATION" = 2 || {{ {waits}; }}'
    ran = project.run(script, "--timeout", "30m", "--prompt", "prompt.md")
    assert (ran.code, "left running" in ran.err) == (0, False)
