"""The reference page of commands: their help pages, and the table of exit codes."""

from __future__ import annotations

from exitgate.cli.help import PROGRAM, command_help, program_help
from exitgate.cli.main import COMMANDS, load
from exitgate.report.style import Style

PLAIN = Style(False, 80)


def commands_page() -> str:
    """Return the page: what `--help` prints, for the program and each command."""
    commands = [load(name) for name in COMMANDS]
    parts = ["# Commands\n", _block(program_help(commands, PLAIN))]
    for command in commands:
        path = f"{PROGRAM} {command.name}"
        parts += [f"## {path}\n", _block(command_help(command, path, PLAIN))]
        for child in command.children:
            below = f"{path} {child.name}"
            parts += [f"### {below}\n", _block(command_help(child, below, PLAIN))]
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text}```\n"
