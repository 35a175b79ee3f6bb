"""`exitgate studio`: recorded runs and policies in the browser."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.commands.recorded.selection import POLICIES, READER, SETTINGS, load_policies
from exitgate.cli.parsing.usage import failure, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import USAGE
from exitgate.core.system.output import write_out
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.studio.workspace.policies import Origin
    from exitgate.surfaces.watch.sinks import Sink

#: Codes of this command, one line each; `docs` reads them.
CODES = {"EP557": "the studio cannot do what is asked for"}
PORTS = range(65536)
#: Packages of the extra.
_NEEDED = ("starlette", "uvicorn", "anyio", "h11")


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Serve the studio until somebody presses Ctrl-C, or write it as files."""
    port = given.number("port") or 0
    if port not in PORTS:
        raise usage_error(f"`--port {port}` is not a port", f"write a number of at most {PORTS[-1]}")
    try:
        from exitgate.surfaces.studio import start
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        message = f"the studio needs `{error.name}`"
        raise failure("EP555", message, "install it: `pip install 'exitgate[studio]'`", USAGE) from None
    from exitgate.core.state.discover import state_dir
    from exitgate.core.state.request import Request
    from exitgate.recordings.scoring.labels import load
    from exitgate.surfaces.studio.inputs import Inputs

    folder = given.text("export")
    asked = start.Asked(
        Inputs(given.texts("path"), os.curdir, _may_read_sessions(given), os.environ),
        _origins(given),
        [load(path) for path in given.texts("labels")],
        given.text("reader"),
        given.flag("read_only"),
        port,
        not given.flag("no_open"),
        _services(given),
        state_dir(Request()),
    )
    if folder is not None:
        from exitgate.recordings.page.cells import counted

        runs, files = start.write(asked, folder)
        return Answer(f"wrote {folder}: {counted(runs, 'run')}, {counted(files, 'file')}\n")
    start.serve(asked, _tell, _crashed, _warn)
    return Answer()


def _may_read_sessions(given: ParsedArguments) -> bool:
    """Return whether sessions of agents may be opened; asks where nothing says so and somebody can answer."""
    from exitgate.cli.files import can_ask, confirmed
    from exitgate.recordings.agent_homes import sessions_here
    from exitgate.recordings.page.cells import counted

    wanted, refused = given.flag("sessions"), given.flag("no_sessions")
    if wanted and refused:
        raise usage_error("`--sessions` and `--no-sessions` contradict each other", "give one of them")
    if wanted or refused or given.texts("path"):
        return wanted
    found = [f"{one.agent.title} ({len(one.found)})" for one in sessions_here(os.environ) if one.found]
    if not found:
        return False
    if can_ask():
        return confirmed(
            f"agents keep sessions on this machine: {', '.join(found)}\n"
            "read those of this project? nothing leaves this machine [y/N] "
        )
    if sys.stderr is not None:
        kinds = counted(len(found), "agent")
        write_out(sys.stderr, f"sessions of {kinds} are not read: `--sessions` reads those of this project\n")
    return False


def _origins(given: ParsedArguments) -> tuple[Origin, ...]:
    """Return the policies that the command line names. Raises `ExitgateError` as `load_policies` does."""
    from exitgate.cli.parsing.usage import pairs
    from exitgate.recordings.replay.policies import name_and_settings
    from exitgate.surfaces.studio.workspace.policies import Origin

    settings = pairs("--set", given.texts("set"))
    found = []
    for name, policy in load_policies(given).items():
        reference, own = name_and_settings(name) if given.texts("policy") else (None, {})
        fitting = {one: text for one, text in settings.items() if one in policy.parameters}
        found.append(Origin(name, reference, {**fitting, **own}, os.curdir))
    return tuple(found)


def _tell(address: str) -> None:
    if sys.stdout is not None:
        write_out(sys.stdout, f"{address}\n")
    if sys.stderr is not None:
        write_out(sys.stderr, "the address is for you alone; Ctrl-C ends the studio\n")


def _services(given: ParsedArguments) -> tuple[Sink, ...]:
    """Return what hears of EXITs. Raises `ExitgateError` as `notified` does, and (64) for a command."""
    from exitgate.cli.notified import notified

    command, services = notified(given.texts("notify"))
    if command:
        help = "`exitgate watch --notify` starts commands"
        raise usage_error(f"`--notify {command[0]}` of the studio is not a service", help)
    return services


def _warn(text: str) -> None:
    if sys.stderr is not None:
        write_out(sys.stderr, f"warning: {safe(text)}\n")


def _crashed(error: Exception) -> None:
    from exitgate.cli.crash import crash_note

    if sys.stderr is not None:
        write_out(sys.stderr, crash_note(error))


COMMAND = Command(
    "studio",
    "look at recorded runs and policies in the browser",
    about="Serves one page on this machine alone and opens the browser: a table of all runs with what each "
    "policy would have done, each run on its timeline with the evidence marked, and the policies. The "
    "address has a secret in it; requests without it are refused. The page loads nothing from elsewhere, "
    "runs no probe and grants no trust. Secrets that a policy's mask matches are hidden. It needs the extra "
    "`studio`: `pip install 'exitgate[studio]'`.\n\n"
    "Without PATH it shows what is in this folder, and asks whether to read the sessions of this project "
    "that agents keep on this machine (`exitgate transcripts` lists where). Without a terminal they are "
    "read with `--sessions` alone. Nothing is uploaded.\n\n"
    "With `--export` the same page is written as files, for a web server to show.",
    arguments=(
        Argument(
            "[PATH...]",
            "transcripts: files, folders, globs; by default what is in this folder",
        ),
    ),
    options=(
        POLICIES,
        SETTINGS,
        Option(
            "--labels, -l FILE...",
            "labels: where the runs should have stopped; the first file is yours, by which runs are judged",
        ),
        READER,
        Option("--sessions", "read the sessions of agents that were held in this project, too"),
        Option("--no-sessions", "do not ask for them"),
        Option("--read-only", "refuse every change of a file"),
        Option(
            "--notify SERVICE...",
            "what to notify of EXITs in this project's ledger: `slack=URL`, `ntfy=URL`, `webhook=URL`, or "
            "the word alone for the address in your own settings, as for `watch`",
        ),
        Option("--port N", "listen on this local port; by default on one that is free", kind=NUMBER),
        Option("--no-open", "only print the address"),
        Option("--export FOLDER", "write the page and its answers as files, and do not serve"),
    ),
    examples=(
        ("exitgate studio --sessions", "the runs of this project and the sessions of agents in it"),
        ("exitgate studio runs/ -p bb3 -p recommended", "two policies on your runs, in the browser"),
        ("exitgate studio runs/ -l labels.yaml --no-open --port 8123", "on a machine without a screen"),
        ("exitgate studio runs/ --export build/studio", "as files"),
    ),
    codes={"0": "ended by the user, or written"},
    run=run,
    color=False,
)
