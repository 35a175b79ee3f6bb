"""`exitgate completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, ParsedArguments
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal

SHELLS = ("bash", "zsh", "fish")


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Return the script for one shell; it asks the program itself, so it never grows old."""
    shell = given.word("shell")
    if shell not in SHELLS:
        raise usage_error(f"no completion for `{shell}`", f"shells are {', '.join(SHELLS)}")
    from exitgate.cli.parsing.clicked import completion_script

    return Answer(completion_script(shell))


COMMAND = Command(
    "completion",
    "print the script that completes commands in bash, zsh or fish",
    about="Load it when your shell starts. The script asks `exitgate` for completions, "
    "so it always fits the installed version.",
    arguments=(Argument("SHELL", "bash, zsh or fish", suggests=SHELLS),),
    examples=(
        ('eval "$(exitgate completion bash)"', "in ~/.bashrc; for zsh in ~/.zshrc"),
        ("exitgate completion fish > ~/.config/fish/completions/exitgate.fish", "for fish"),
    ),
    codes={"65": ""},
    run=run,
)
