"""Every diagnostic code of every package, for the reference page."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from collections.abc import Iterator

from exitgate.cli.help import PROGRAM, command_help, program_help
from exitgate.cli.main import COMMANDS, load, main
from exitgate.cli.parsing import usage
from exitgate.core.language import codes as language
from exitgate.core.policy import codes as policy
from exitgate.core.settings import provenance as layers
from exitgate.core.system import python
from exitgate.core.system.child import run
from exitgate.hosts.loop import codes as loop
from exitgate.recordings.replay import policies
from exitgate.report.terminal import Style


def codes() -> dict[str, str]:
    """Return code -> meaning; where two packages use one code, both meanings."""
    from exitgate.analysis import second_opinion
    from exitgate.analysis.coverage import excuses
    from exitgate.analysis.diff import revisions
    from exitgate.analysis.prove import backend
    from exitgate.cli.commands import explain, goal, lint, lsp, new, plugins, probe, studio, test, trust
    from exitgate.core.gate import breaker_control, overrides
    from exitgate.core.ledger import file
    from exitgate.core.observe import envelope, files, sources
    from exitgate.core.state import discover, policy_snapshots, tracked
    from exitgate.fleet.cluster import connection as cluster
    from exitgate.fleet.dataset import store as dataset
    from exitgate.fleet.packages import locking
    from exitgate.fleet.questions import engine
    from exitgate.hosts.hook import protocol as hosts
    from exitgate.hosts.imported import reading as imported
    from exitgate.hosts.install import files as install
    from exitgate.hosts.shim import files as shim
    from exitgate.recordings import recorded_probes, unread
    from exitgate.recordings.ledger import recall
    from exitgate.recordings.scoring import labels
    from exitgate.surfaces.in_process import iteration
    from exitgate.surfaces.repl import interpreter as repl
    from exitgate.surfaces.watch import watcher as watch
    from exitgate.testing import as_test
    from exitgate.testing.cases import case
    from exitgate.testing.mutants import runner

    found: dict[str, str] = {"EP999": "a bug in exitgate"}
    packages = (
        second_opinion, excuses, backend, language, policy, layers, runner,
        case, breaker_control, discover, overrides, policy_snapshots, recall, revisions, sources, tracked,
        envelope, files, file, unread, watch, usage, explain, lsp, test, lint, new,
        labels, policies, iteration, imported, hosts, install, loop, shim, as_test,
        repl, plugins, probe, trust, recorded_probes, goal, studio, dataset, locking, cluster,
        engine,
    )  # fmt: skip
    for package in packages:
        for code, meaning in package.CODES.items():
            before = found.get(code, meaning)
            found[code] = meaning if before == meaning else f"{before}; or {meaning}"
    return found


# The reference page of commands: their help pages, and the table of exit codes.

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


# A command line performed in this process, in a folder of its own: for the examples of reference pages.

#: Variables that an example sees; anything else about the machine would show in a page.
_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
_FROM = ("PATH", "LANG", "SYSTEMROOT", "TMPDIR")
_NOBODY = {
    "GIT_AUTHOR_NAME": "somebody",
    "GIT_AUTHOR_EMAIL": "somebody@example.com",
    "GIT_COMMITTER_NAME": "somebody",
    "GIT_COMMITTER_EMAIL": "somebody@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "NO_COLOR": "1",
}
_HOME = ".home"
#: `exitgate` within a line of the shell is the one that runs.
_SHELL = 'exitgate() { "$PYTHON" -P -m exitgate "$@"; }; '


def rehearse(line: str, folder: str) -> tuple[str, int]:
    """
    Run a command line in `folder` and return what it prints, stderr and stdout as they come, and its code.

    `exitgate` runs here, other commands by `sh`; the home of both is a folder below `folder`. Streams,
    environment and current folder of this process are put back.
    """
    home = os.path.join(folder, _HOME)
    environment = {name: os.environ[name] for name in _FROM if name in os.environ}
    environment |= dict.fromkeys(_HOMES, home) | _NOBODY
    words = shlex.split(line)
    while words and "=" in words[0]:  # set for this command alone
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if words[:1] != ["exitgate"] or "|" in words:
        environment["PYTHON"] = python.interpreter()
        done = run(["/bin/sh", "-c", _SHELL + line], environment, folder=folder)
        return done.err + done.out, done.code

    printed = io.StringIO()
    with _in(folder, environment), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = main(words[1:])
    return printed.getvalue(), code


@contextlib.contextmanager
def _in(folder: str, environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    here = os.getcwd()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(here)
