"""The quick reader of command lines agrees with click on everything it reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.cli import arguments, clicked
from exitgate.cli.declared import FLAG, MANY, NUMBER, OPTIONAL, REPEAT, Argument, Command, Option
from exitgate.cli.given import Given
from exitgate.model.diagnostic import ExitgateError

SOME = Command(
    "some",
    "a command",
    arguments=(Argument("FIRST"), Argument("SECOND", OPTIONAL)),
    options=(
        Option("--policy", "-p"),
        Option("--set", kind=REPEAT),
        Option("--agent-exit", kind=NUMBER),
        Option("--no-record", kind=FLAG),
        Option("--format", choices=("text", "json"), default="text"),
    ),
)
LIST = Command(
    "list", "a command", arguments=(Argument("PATH", MANY),), options=(Option("--check", kind=FLAG),)
)
WORDS = [
    "a", "b.md", "-", "--", "--policy", "-p", "-pbb3", "--policy=bb3", "--set", "x=1", "--set=y=2",
    "--agent-exit",
    "3", "-3", "+3", "--agent-exit=1_0", "--no-record", "--no-record=1", "--format", "json", "yaml",
    "--format=text",
    "--wrong", "-x", "", "空", "--pol", "--set=",
]  # fmt: skip


def by_click(command: Command, words: list[str]) -> Given | None:
    try:
        return clicked.read(command, words, "exitgate some")
    except ExitgateError:
        return None


@pytest.mark.parametrize("command", [SOME, LIST], ids=["places", "many"])
@given(words=st.lists(st.sampled_from(WORDS), max_size=7))
@settings(max_examples=400, deadline=None)
def test_the_quick_reader_reads_what_click_reads(command: Command, words: list[str]) -> None:
    quick = arguments.read(command, words)
    if quick is not None:
        assert quick == by_click(command, words)


def test_the_quick_reader_is_quick_about_plain_lines() -> None:
    words = [
        "r.md",
        "plan.md",
        "--set",
        "a=1",
        "--set",
        "b=2",
        "--agent-exit",
        "0",
        "--no-record",
        "--format=json",
    ]
    given = arguments.read(SOME, words)
    assert given is not None
    assert given.values == {
        "first": "r.md", "second": "plan.md", "set": ("a=1", "b=2"), "agent_exit": 0, "no_record": True,
        "format": "json",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message", "help"),
    [
        (["a", "--polcy", "x"], "no option `--polcy`", "did you mean `--policy`?"),
        (["a", "--policy"], "option `--policy` requires an argument", "see `exitgate some --help`"),
        ([], "missing argument `FIRST`", "see `exitgate some --help`"),
        (["a", "b", "c"], "got unexpected extra argument (c)", "see `exitgate some --help`"),
        (["a", "--format", "yaml"], "`--format`", "see `exitgate some --help`"),
        (["a", "--agent-exit", "x"], "`--agent-exit`", "see `exitgate some --help`"),
    ],
)
def test_click_says_what_is_wrong(words: list[str], message: str, help: str) -> None:
    assert arguments.read(SOME, words) is None
    with pytest.raises(ExitgateError) as caught:
        clicked.read(SOME, words, "exitgate some")
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message
    assert diagnostic.help == help
    assert caught.value.exit_code == 64
