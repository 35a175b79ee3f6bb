"""The quick reader of command lines agrees with click on everything it reads."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.cli.command import (
    FLAG,
    MANY,
    NUMBER,
    ONE,
    REPEAT,
    REST,
    Argument,
    Command,
    Option,
    ParsedArguments,
    formats,
)
from exitgate.cli.main import COMMANDS, load
from exitgate.cli.parsing import arguments, clicked
from exitgate.cli.parsing.usage import exit_status, pairs
from exitgate.core.model.diagnostic import ExitgateError

SOME = Command(
    "some",
    "a command",
    arguments=(Argument("FIRST"), Argument("[SECOND]")),
    options=(
        Option("--policy, -p NAME"),
        Option("--set NAME=VALUE..."),
        Option("--agent-exit N", kind=NUMBER),
        Option("--no-record"),
        formats("text", "json"),
    ),
)
LIST = Command("list", "a command", arguments=(Argument("PATH..."),), options=(Option("--check"),))
WORDS = [
    "a", "b.md", "-", "--", "--policy", "-p", "-pbb3", "--policy=bb3", "--set", "x=1", "--set=y=2",
    "--agent-exit",
    "3", "-3", "+3", "--agent-exit=1_0", "--no-record", "--no-record=1", "--format", "json", "yaml",
    "--format=text",
    "--wrong", "-x", "", "空", "--pol", "--set=",
]  # fmt: skip


def every(command: Command) -> list[Command]:
    """Return a command, or those below it."""
    return (
        [command] if command.run is not None else [one for child in command.children for one in every(child)]
    )


def by_click(command: Command, words: list[str]) -> ParsedArguments | None:
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
        (["a", "--policy", "x", "-p", "y"], "`--policy` is given twice: `x` and `y`", "keep one of them"),
        (["a", "--format=json", "--format=text"], "`json` and `text`", "keep one of them"),
        (["a", "--agent-exit", "0", "--agent-exit", "1"], "`0` and `1`", "keep one of them"),
        (["a", "-p", "", "-p", "y"], "`` and `y`", "keep one of them"),
        (["a", "--policy="], "`--policy` is empty", "write a value, or omit the option"),
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


@each("command", [command for name in COMMANDS for command in every(load(name))])
def test_an_option_with_one_value_takes_no_second(command: Command) -> None:
    """Each option of each command: the same value again is fine, another one is refused, by either reader."""
    places = [argument.name for argument in command.arguments if argument.arity in (ONE, MANY, REST)]
    for option in command.options:
        one, other = option.choices[:2] or (("1", "2") if option.kind == NUMBER else ("a", "b"))
        words = [*([option.flags[-1]] if option.kind == FLAG else [option.flags[-1], one])] * 2
        expected = {FLAG: True, NUMBER: 1, REPEAT: (one, one)}.get(option.kind, one)
        for read in (
            arguments.read(command, [*words, *places]),
            clicked.read(command, [*words, *places], "x"),
        ):
            assert read is not None
            assert read.values[option.key] == expected
        if option.kind not in (FLAG, REPEAT):
            words = [option.flags[-1], one, option.flags[0], other, *places]
            assert arguments.read(command, words) is None
            with pytest.raises(ExitgateError, match=f"`{one}` and `{other}`"):
                clicked.read(command, words, "x")
            words = [option.flags[0], "", *places]
            assert arguments.read(command, words) is None
            with pytest.raises(ExitgateError, match=r"is empty|is not one of|is not a valid"):
                clicked.read(command, words, "x")


@each("option", ["--set", "--fact", "--parameter"])
def test_a_name_has_one_value(option: str) -> None:
    assert pairs(option, ["a=1", "b=2", " a =1", "c="]) == {"a": "1", "b": "2", "c": ""}
    with pytest.raises(ExitgateError) as caught:
        pairs(option, ["a=1", "b=1", "a=2", "x"])
    assert [one.message for one in caught.value.diagnostics] == [
        f"`{option}` gives `a` twice: `1` and `2`", "`x` is not a NAME=VALUE",
    ]  # fmt: skip
    assert caught.value.exit_code == 64


@each(
    ("number", "help"),
    [
        (999, "write the exit status as the shell has it, 0 to 255"),
        (256, "write the exit status as the shell has it, 0 to 255"),
        (-9, "a process that signal 9 ended has the exit status 137 in a shell"),
        (-(10**9), "write the exit status as the shell has it, 0 to 255"),
    ],
)
def test_a_number_that_is_no_exit_status_is_refused(number: int, help: str) -> None:
    assert [exit_status("--agent-exit", one) for one in (0, 130, 255, None)] == [0, 130, 255, None]
    with pytest.raises(ExitgateError) as caught:
        exit_status("--agent-exit", number)
    assert caught.value.exit_code == 64
    (found,) = caught.value.diagnostics
    assert (found.message, found.help) == (f"`--agent-exit {number}` is not an exit status", help)
