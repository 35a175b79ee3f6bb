"""The command `exitgate`: finds the command, runs it, writes its answer, turns trouble into exit codes."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys

from exitgate import __version__
from exitgate.cli.command import Answer
from exitgate.cli.parsing import arguments
from exitgate.cli.parsing.usage import did_you_mean, failure, usage_error
from exitgate.cli.terminal import detect_terminal, write
from exitgate.core.model.decision import CANNOT_READ, INTERNAL, USAGE
from exitgate.core.model.diagnostic import ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.cli.command import Command
    from exitgate.cli.terminal import Terminal


PROGRAM = "exitgate"
#: Every command; the module of the same name (`_` for `-`) in `cli.commands` declares it as `COMMAND`.
COMMANDS = (
    "check", "hook", "explain", "facts", "policies", "validate", "fmt", "schema", "history", "state",
    "ledger", "replay", "reset", "new-run", "prompt", "circuit", "config", "init", "doctor", "completion",
    "report", "transcripts", "dry-run", "score", "compare", "tune", "label", "calibrate", "test", "diff",
    "mutate", "lint", "new", "lsp", "repl", "prove", "release-check", "ci", "import", "watch",
    "shim", "install", "uninstall", "run", "goal", "plugins", "probe", "trust", "serve",
    "studio", "fleet",
)  # fmt: skip
#: What needs processes, signals and terminals as POSIX has them, or sets up what does.
NEED_WSL = frozenset(("run", "goal", "hook", "watch", "shim", "install", "serve"))
#: Commands whose module has another name.
MODULES = {
    "import": "import_",
    "report": "recorded.report",
    "transcripts": "recorded.transcripts",
    "dry-run": "recorded.dry_run",
    "score": "recorded.score",
    "compare": "recorded.compare",
    "tune": "recorded.tune",
    "label": "recorded.label",
    "calibrate": "recorded.calibrate",
}
INTERRUPTED = 130
#: Numbers of the errors that say that no more files can be opened: by this process, on this machine.
_OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)
HELP = ("--help", "-h")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line `words` (by default the process's own) and return the exit code. Never raises."""
    if words is None:
        begin()
        return leave(run_words(sys.argv[1:]))
    return run_words(list(words))


def run_words(given: list[str]) -> int:
    """Do what a command line says, and return the exit code. Errors and interrupts are answered."""
    try:
        answer = answer_to(given)
    except (Exception, KeyboardInterrupt) as error:
        answer = answer_to_trouble(error, given)
    try:
        return write(answer)
    except KeyboardInterrupt:
        return INTERRUPTED


def answer_to_trouble(error: BaseException, given: list[str]) -> Answer:
    """Return the command's own answer to trouble, where it has one, or the usual."""
    if given and given[0] in COMMANDS:
        try:
            trouble = load(given[0]).trouble
            if trouble is not None:
                return trouble(error, given[1:])
        except Exception as second:
            error = second
    if isinstance(error, ExitgateError):
        return Answer(err=_diagnostics(error, given), code=error.exit_code)
    if isinstance(error, OSError) and error.errno in _OUT_OF_FILES:
        return Answer(err=_diagnostics(_too_many_files(error), given), code=CANNOT_READ)
    if isinstance(error, Exception):
        from exitgate.cli.crash import crash_note, keep_crash

        keep_crash(error, given)
        return Answer(err=crash_note(error), code=INTERNAL)
    return Answer(err="interrupted\n", code=INTERRUPTED)


def _too_many_files(error: OSError) -> ExitgateError:
    help = "raise the limit (`ulimit -n 256`), or close programs that hold files open, and try again"
    message = f"no more files can be opened: {(error.strerror or str(error)).lower()}"
    return failure("EP811", message, help, CANNOT_READ)


def answer_to(words: list[str]) -> Answer:
    """
    Return the answer to a command line.

    Raises `ExitgateError` for everything the user can fix.
    """
    if "_EXITGATE_COMPLETE" in os.environ:
        from exitgate.cli.parsing.clicked import commands_typed, complete

        complete([load(name) for name in commands_typed(COMMANDS)])
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0].startswith("-"):
        return _program(words)
    command, path, rest = find(words)
    if (
        sys.platform == "win32"
        and words[0] in NEED_WSL
        and not set(HELP) & set(arguments.own_words(command, rest))
    ):
        from exitgate.cli.parsing.usage import needs_wsl

        raise needs_wsl(words[0])
    given = None if command.run is None else arguments.read(command, rest)
    if given is None:
        if any(word in HELP for word in arguments.own_words(command, rest)):
            from exitgate.cli.help import command_help

            return Answer(command_help(command, path, detect_terminal(_color(rest)).out))
        if command.run is None:
            names = ", ".join(child.name for child in command.children)
            raise usage_error(f"`{path}` needs a command: {names}", f"see `{path} --help`")
        from exitgate.cli.parsing import clicked

        given = clicked.read(command, rest, path)
    assert command.run is not None
    _stand_somewhere()
    terminal = detect_terminal(given.text("color") or "auto")
    level = given.text("log_level")
    if level is not None:
        from exitgate.cli.log import run_logged

        return run_logged(level, path, command.run, given, terminal)
    return command.run(given, terminal)


def _stand_somewhere() -> None:
    """Raise `ExitgateError` (74) when the current folder is gone: an agent may have removed its own."""
    try:
        os.getcwd()
    except OSError:
        from exitgate.cli.parsing.usage import folder_gone

        raise folder_gone() from None


def find(words: Sequence[str]) -> tuple[Command, str, list[str]]:
    """Return the command that `words` name, its path as typed, and the words left for it."""
    command = load(words[0])
    path, rest = f"{PROGRAM} {words[0]}", list(words[1:])
    if command.children and rest and not rest[0].startswith("-"):
        children = {child.name: child for child in command.children}
        if rest[0] not in children:
            raise _unknown(rest[0], children, f"{path} --help")
        return children[rest[0]], f"{path} {rest[0]}", rest[1:]
    return command, path, rest


def load(name: str) -> Command:
    """
    Return a declared command; only its own module is imported.

    Raises `ExitgateError` for an unknown name.
    """
    if name not in COMMANDS:
        raise _unknown(name, COMMANDS, f"{PROGRAM} --help")
    file = MODULES.get(name, name.replace("-", "_"))
    module = __import__(f"exitgate.cli.commands.{file}", fromlist=["COMMAND"])
    command: Command = module.COMMAND
    return command


def _program(words: list[str]) -> Answer:
    if words and words[0] in ("--version", "-V"):
        return version(words[1:])
    if words and words[0] not in HELP:
        raise usage_error(
            f"unknown option `{words[0]}`", f"options come after the command; see `{PROGRAM} --help`"
        )
    from exitgate.cli.help import program_help

    terminal: Terminal = detect_terminal(_color(words))
    commands = [load(name) for name in COMMANDS]
    if not words:
        # 0 would tell a loop to go on.
        return Answer(err=program_help(commands, terminal.err), code=USAGE)
    return Answer(program_help(commands, terminal.out))


def _unknown(name: str, names: Iterable[str], help_line: str) -> ExitgateError:
    return usage_error(f"no command `{name}`", did_you_mean(name, names, f"see `{help_line}`"), "EP801")


def _diagnostics(error: ExitgateError, words: Sequence[str]) -> str:
    from exitgate.report.diagnostics import diagnostics_text

    return diagnostics_text(error.diagnostics, detect_terminal(_color(words)).err)


def _color(words: Sequence[str]) -> str:
    """Return the wish of `--color` in a command line that may be wrong in other ways."""
    for at, word in enumerate(words):
        wish = word.partition("=")[2] if word.startswith("--color=") else ""
        wish = words[at + 1] if word == "--color" and at + 1 < len(words) else wish
        if wish in {"always", "never"}:
            return wish
    return "auto"


# Begin and end of the process that one command is (`docs/decisions/0302-start-of-a-check.md`).

#: New objects before Python looks for circles among them; a check makes fewer, and then ends.
_OBJECTS = 100_000


def begin() -> None:
    """
    Look for circles of unused objects seldom: loading modules makes thousands of objects that stay.

    Streams that the caller closed are occupied first: else the lock or the ledger would be opened instead
    of one, be read as standard input, or take what a library writes to standard error.
    """
    gc.set_threshold(_OBJECTS, 10, 10)
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_WRONLY)  # the lowest that is free; reading from it fails


def leave(code: int) -> int:
    """
    End the process with `code` at once, or return it where somebody waits for a regular end.

    Everything is written and flushed, nothing is left to run; taking every module apart again costs
    a check as much as reading its policy. Exit functions, a tracer, a profiler, other threads,
    ``python -i`` and Python's development mode get the regular end.
    """
    threads = sys.modules.get("threading")
    waiting = (
        atexit._ncallbacks()
        or (threads is not None and threads.active_count() > 1)
        or "concurrent.futures.thread" in sys.modules
        or sys.gettrace() is not None
        or sys.getprofile() is not None
        or sys.flags.inspect
        or sys.flags.dev_mode
    )
    if waiting:
        return code
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return code
    os._exit(code)


# `exitgate --version`.


def version(words: Sequence[str]) -> Answer:
    """Return the version on one line, or as JSON for ``--version json`` and ``--version --json``."""
    if not words:
        return Answer(f"exitgate {__version__}\n")
    if list(words) not in (["json"], ["--json"], ["--format", "json"], ["--format=json"]):
        raise usage_error(f"unknown word `{words[0]}` after `--version`", "write `exitgate --version json`")
    import json
    import platform

    shown = {"exitgate": __version__, "python": platform.python_version(), "policy_format": 1}
    return Answer(json.dumps(shown) + "\n")
