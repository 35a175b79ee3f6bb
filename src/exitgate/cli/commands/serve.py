"""`exitgate serve`: the resident process, which makes decisions for the commands that decide."""

from __future__ import annotations

import os

from exitgate.cli.command import NUMBER, Answer, Command, Option
from exitgate.cli.parsing.usage import at_least, failure, seconds, usage_error
from exitgate.core.model.decision import CANNOT_WRITE, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.command import ParsedArguments
    from exitgate.cli.terminal import Terminal


#: Exit code where no process listens.
NONE = 1


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Listen until something ends it; or ask the process that listens."""
    from exitgate.core.system.folders import Refused
    from exitgate.surfaces.resident import protocol
    from exitgate.surfaces.resident.place import folder_of

    if given.flag("status") and given.flag("stop"):
        raise usage_error("`--status` and `--stop` are both given", "omit one of them")
    try:
        folder = folder_of(os.environ)
    except Refused as refused:
        help = "set XDG_RUNTIME_DIR to a folder that only you can use"
        raise failure("EP807", f"it cannot listen for requests: {refused}", help, CANNOT_WRITE) from refused
    if given.flag("status") or given.flag("stop"):
        return _told(folder, protocol.STOP if given.flag("stop") else protocol.STATUS)
    return _listen(folder, given)


def _told(folder: str, kind: bytes) -> Answer:
    from exitgate.surfaces.resident.protocol import BrokenError
    from exitgate.surfaces.resident.server import told

    try:
        return Answer(f"{told(folder, kind)}\n")
    except BrokenError as error:
        return Answer(err=f"no resident process: {error}\n", code=NONE)


def _listen(folder: str, given: ParsedArguments) -> Answer:
    from exitgate.cli.main import run_words
    from exitgate.core.system.folders import Refused
    from exitgate.core.system.safe_files import trouble
    from exitgate.surfaces.resident.server import IDLE, MOST, BusyError, Server, quiet

    most = at_least("--most", given.number("most"), 1)
    text = given.text("idle_timeout")
    idle = IDLE if text is None else seconds("--idle-timeout", text)
    try:
        server = Server(folder, run_words, most or MOST, idle)
    except BusyError as error:
        help = "`exitgate serve --status` says which, `exitgate serve --stop` ends it"
        raise failure("EP803", f"another process listens in `{folder}`", help, LOCKED) from error
    except (OSError, Refused) as error:
        why = trouble(error) if isinstance(error, OSError) else str(error)
        help = "set XDG_RUNTIME_DIR to a short path of a folder that only you can use"
        raise failure("EP803", f"cannot listen in `{folder}`: {why}", help, CANNOT_WRITE) from error
    print(f"process {os.getpid()} listens in {folder}", flush=True)
    quiet()
    why = server.serve()
    return Answer(err=f"the resident process {os.getpid()} has ended: {why}\n")


COMMAND = Command(
    "serve",
    "stay in memory and make decisions for check, hook and shim",
    about="One process for each user. `exitgate check`, `exitgate hook` and the steps of the shim find its "
    "socket in `$XDG_RUNTIME_DIR/exitgate`, or else in `serve` of the user's cache, and have it decide: "
    "decision, ledger and files are the same, and the process that asks loads a fraction of the program. "
    "What the resident process cannot do, the process that asks does itself; `-v` says why. It never starts "
    "by itself, and it starts no programs.\n\n"
    "With `EXITGATE_SERVE=off` a command does not ask; with `EXITGATE_SERVE=NUMBER` it asks that process or "
    "none.",
    options=(
        Option("--idle-timeout TIME", "end after so long without a request, such as `2h`; 30m"),
        Option("--most N", "decide for at most so many processes at once; 16", kind=NUMBER),
        Option("--status", "print what the process that listens has done, and do nothing else"),
        Option("--stop", "have the process that listens end; requests under way are finished"),
    ),
    examples=(
        (
            "exitgate serve & export EXITGATE_SERVE=$!",
            "a resident process for this shell's loops, and no other",
        ),
        ("exitgate serve --status", "whether one listens"),
    ),
    codes={"1": "`--status` or `--stop`, and no process listens", "75": "another process listens"},
    run=run,
)
