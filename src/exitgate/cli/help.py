"""Help pages, written from the declarations."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.cli.command import FLAG, REPEAT, Command, Option
from exitgate.cli.parsing.arguments import ends_in_rest
from exitgate.report.terminal import Style, columns, wrap

PROGRAM = "exitgate"
#: Commands by what a person comes for.
CHAPTERS = (
    ("Decide", ("check", "explain", "facts", "probe")),
    ("In the loop", ("run", "goal", "hook", "watch", "shim", "serve")),
    ("Policies", ("policies", "new", "validate", "fmt", "lint", "schema", "lsp", "repl")),
    ("Testing a policy", ("test", "mutate", "prove", "diff", "release-check", "ci")),
    ("Decisions", ("history", "state", "ledger", "replay")),
    (
        "Recorded runs",
        ("transcripts", "dry-run", "compare", "label", "score", "tune", "calibrate", "report", "studio"),
    ),
    ("Many loops", ("fleet",)),
    ("Runs and the breaker", ("reset", "new-run", "circuit")),
    (
        "Setup",
        (
            "init",
            "import",
            "install",
            "uninstall",
            "prompt",
            "config",
            "doctor",
            "completion",
            "plugins",
            "trust",
        ),
    ),
)
INTRODUCTION = "Decides after each iteration of an agent loop whether to continue or stop: CONTINUE or EXIT."


def program_help(commands: Sequence[Command], style: Style) -> str:
    """Return the page of the program: every command with its summary, and how a loop uses it."""
    by_name = {command.name: command for command in commands}
    lines = [INTRODUCTION, "", f"{style.paint('strong', 'Usage')}  {PROGRAM} COMMAND ...", ""]
    for title, names in CHAPTERS:
        lines.append(style.paint("strong", title))
        lines += table([(name, by_name[name].summary) for name in names], style)
        lines.append("")
    lines.append(style.paint("strong", "In a loop"))
    lines += ["  s=0; while exitgate check --agent-exit $s; do agent; s=$?; done", ""]
    lines.append(style.paint("strong", "Options"))
    options = [
        ("-h, --help", "this page; `exitgate COMMAND --help` for a command"),
        ("--version", "the version"),
    ]
    lines += table(options, style)
    return "\n".join(lines) + "\n"


def command_help(command: Command, path: str, style: Style) -> str:
    """
    Return the page of one command.

    `path` is the command as typed, ``exitgate policies show``. The text ends with a line end.
    """
    lines = [command.summary[:1].upper() + command.summary[1:] + ".", ""]
    lines.append(f"{style.paint('strong', 'Usage')}  {path}{_usage(command)}")
    for paragraph in command.about.split("\n\n") if command.about else ():
        lines += ["", *wrap(" ".join(paragraph.split()), style.width)]
    options = [] if command.children else [*map(_option, command.options), ("-h, --help", "this page")]
    sections = (
        ("Commands", [(child.name, child.summary) for child in command.children]),
        ("Arguments", [(argument.name, argument.doc) for argument in command.arguments]),
        ("Options", options),
        ("Exit codes", list(command.codes)),
    )
    for title, rows in sections:
        if rows:
            lines += ["", style.paint("strong", title), *table(rows, style)]
    if command.examples:
        lines += ["", style.paint("strong", "Examples")]
        for line, what in command.examples:
            lines += [f"  {style.paint('quiet', '# ' + what)}", f"  {line}"]
    return "\n".join(lines) + "\n"


def table(rows: Sequence[tuple[str, str]], style: Style) -> list[str]:
    """Return two columns, the second wrapped; a long first cell takes a line of its own."""
    widest = min(26, max((columns(name) for name, _ in rows), default=0))
    lines = []
    for name, text in rows:
        indent = "  " + name.ljust(widest) + "  "
        if columns(name) > widest:
            lines.append("  " + style.paint("name", name))
            lines += wrap(text, style.width, " " * (widest + 4))
            continue
        first, *rest = wrap(text, style.width, indent)
        lines += ["  " + style.paint("name", name) + first[2 + len(name) :], *rest]
    return [line.rstrip() for line in lines]


def _usage(command: Command) -> str:
    if command.children:
        return " COMMAND ..."
    places = "".join(f" {argument}" for argument in command.arguments)
    return f" [OPTIONS]{places}" if ends_in_rest(command) else f"{places} [OPTIONS]"


def _option(option: Option) -> tuple[str, str]:
    short = sorted(option.flags, key=len)
    name = ", ".join(short)
    if option.kind != FLAG:
        name += f" {option.metavar or option.key.upper()}"
    doc = option.doc
    if option.choices:
        doc += f": {', '.join(option.choices)}"
    if option.default is not None:
        doc += f" (default: {option.default})"
    if option.kind == REPEAT:
        doc += "; may be repeated"
    return name, doc
