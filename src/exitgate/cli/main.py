"""The command `exitgate`: finds the command, runs it, writes its answer, turns trouble into exit codes."""

from __future__ import annotations

import errno
import os
import sys

from exitgate.cli import arguments
from exitgate.cli.answer import Answer
from exitgate.cli.process import begin, leave
from exitgate.cli.terminal import look
from exitgate.cli.usage import usage_error
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ, CANNOT_WRITE, FINDINGS, INTERNAL, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.cli.declared import Command
    from exitgate.cli.terminal import Terminal

PROGRAM = "exitgate"
#: Every command; the module of the same name (`_` for `-`) in this room declares it as `COMMAND`.
COMMANDS = (
    "check", "hook", "explain", "facts", "policies", "validate", "fmt", "schema", "history", "state",
    "ledger", "replay", "reset", "new-run", "prompt", "circuit", "config", "init", "doctor", "completion",
    "report", "transcripts", "dry-run", "score", "compare", "tune", "label", "calibrate", "test", "diff",
    "migrate", "mutate", "lint", "new", "lsp", "repl", "prove", "release-check", "ci", "import", "watch",
    "shim", "install", "uninstall", "run", "plugins",
)  # fmt: skip
#: What needs processes, signals and terminals as POSIX has them, or sets up what does.
NEED_WSL = frozenset(("run", "hook", "watch", "shim", "install"))
#: Commands whose module cannot have their name.
MODULES = {"import": "import_"}
INTERRUPTED = 130
#: Numbers of the errors that say that no more files can be opened: by this process, on this machine.
_OUT_OF_FILES = (errno.EMFILE, errno.ENFILE)
HELP = ("--help", "-h")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line `words` (by default the process's own) and return the exit code. Never raises."""
    if words is None:
        begin()
        return leave(_run(sys.argv[1:]))
    return _run(list(words))


def _run(given: list[str]) -> int:
    try:
        answer = answer_to(given)
    except (Exception, KeyboardInterrupt) as error:
        answer = _answer_to_trouble(error, given)
    try:
        return write(answer)
    except KeyboardInterrupt:
        return INTERRUPTED


def _answer_to_trouble(error: BaseException, given: list[str]) -> Answer:
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
    return ExitgateError([Diagnostic("EP811", message, help=help)], CANNOT_READ)


def answer_to(words: list[str]) -> Answer:
    """
    Return the answer to a command line.

    Raises `ExitgateError` for everything the user can fix.
    """
    if "_EXITGATE_COMPLETE" in os.environ:
        from exitgate.cli.clicked import complete, wanted

        complete([load(name) for name in wanted(COMMANDS)])
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0].startswith("-"):
        return _program(words)
    command, path, rest = find(words)
    if (
        sys.platform == "win32"
        and words[0] in NEED_WSL
        and not set(HELP) & set(arguments.ours(command, rest))
    ):
        from exitgate.cli.usage import needs_wsl

        raise needs_wsl(words[0])
    given = None if command.run is None else arguments.read(command, rest)
    if given is None:
        if any(word in HELP for word in arguments.ours(command, rest)):
            from exitgate.cli.help import command_help

            return Answer(command_help(command, path, look(_color(rest)).out))
        if command.run is None:
            names = ", ".join(child.name for child in command.children)
            raise usage_error(f"`{path}` needs a command: {names}", f"see `{path} --help`")
        from exitgate.cli import clicked

        given = clicked.read(command, rest, path)
    assert command.run is not None
    _stand_somewhere()
    terminal = look(given.text("color") or "auto")
    level = given.text("log_level")
    if level is not None:
        from exitgate.cli.log import logged

        return logged(level, path, command.run, given, terminal)
    return command.run(given, terminal)


def _stand_somewhere() -> None:
    """Raise `ExitgateError` (74) when the current folder is gone: an agent may have removed its own."""
    try:
        os.getcwd()
    except OSError:
        from exitgate.cli.usage import folder_gone

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
    module = __import__(f"exitgate.cli.{file}", fromlist=["COMMAND"])
    command: Command = module.COMMAND
    return command


def write(answer: Answer) -> int:
    """
    Write an answer to stderr and stdout and return its code.

    A reader that went away, or a stream that was closed from the start, is not trouble; a stream that
    cannot take the result (a full disk) is: 73, unless the answer was trouble already; findings that
    were not delivered are not an answer.
    """
    code = answer.code
    for stream, text in ((sys.stderr, answer.err), (sys.stdout, answer.out)):
        if not text or stream is None:
            continue
        try:
            stream.write(_encodable(text, stream.encoding))
            stream.flush()
        except OSError as error:
            # Python flushes the streams once more when it ends; let that go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError) and (code < USAGE or code == FINDINGS):
                code = CANNOT_WRITE
                write(Answer(err=f"error[EP805]: cannot write the result: {error.strerror}\n"))
    return code


def _program(words: list[str]) -> Answer:
    if words and words[0] in ("--version", "-V"):
        from exitgate.cli.version import version

        return version(words[1:])
    if words and words[0] not in HELP:
        raise usage_error(
            f"unknown option `{words[0]}`", f"options come after the command; see `{PROGRAM} --help`"
        )
    from exitgate.cli.help import program_help

    terminal: Terminal = look(_color(words))
    commands = [load(name) for name in COMMANDS]
    if not words:
        # 0 would tell a loop to go on.
        return Answer(err=program_help(commands, terminal.err), code=USAGE)
    return Answer(program_help(commands, terminal.out))


def _unknown(name: str, names: object, help_line: str) -> ExitgateError:
    from exitgate.model.spelling import nearest

    near = nearest(name, names)  # type: ignore[arg-type]
    advice = f"did you mean `{near}`?" if near else f"see `{help_line}`"
    return usage_error(f"no command `{name}`", advice, "EP801")


def _diagnostics(error: ExitgateError, words: Sequence[str]) -> str:
    from exitgate.report.diagnostics import diagnostics_text

    return diagnostics_text(error.diagnostics, look(_color(words)).err)


def _color(words: Sequence[str]) -> str:
    """Return the wish of `--color` in a command line that may be wrong in other ways."""
    for at, word in enumerate(words):
        wish = word.partition("=")[2] if word.startswith("--color=") else ""
        wish = words[at + 1] if word == "--color" and at + 1 < len(words) else wish
        if wish in {"always", "never"}:
            return wish
    return "auto"


def _encodable(text: str, encoding: str | None) -> str:
    """Return `text` with what the stream's encoding cannot hold written as escapes."""
    encoding = encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
