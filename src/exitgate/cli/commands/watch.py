"""`exitgate watch`: a running loop as its ledger tells it, live."""

from __future__ import annotations

import os
import sys
import time

from exitgate.cli.command import Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import STATE_DIR, request_of
from exitgate.cli.parsing.usage import failure, number_of, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_READ, CANNOT_WRITE, NOTHING_TO_DECIDE, OK
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system.output import write_out
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from exitgate.surfaces.watch.watcher import Watcher, WatchOptions


#: Seconds between two looks: by default, at least, at most.
INTERVAL, SHORTEST, LONGEST = 0.5, 0.05, 60.0
_SIGNALLED = 128


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show a run until it ends: live on a terminal, else a line for each decision; or once."""
    from exitgate.surfaces.watch.wakeups import EndedBySignalError

    asked = asked_of(given)
    try:
        if given.flag("once"):
            return _once(asked, given, terminal)
        if _live(given):
            return _on_screen(asked, terminal)
        return Answer(code=_in_lines(asked))
    except KeyboardInterrupt:
        return Answer(code=OK)
    except EndedBySignalError as ended:
        return Answer(code=_SIGNALLED + ended.number)


def asked_of(given: ParsedArguments) -> WatchOptions:
    """Return how to watch. Raises `ExitgateError` (64) for what the command line has wrong."""
    from exitgate.cli.notified import notified
    from exitgate.core.state.discover import run_name, state_dir
    from exitgate.surfaces.watch.watcher import WatchOptions

    request = request_of(given, record=False)
    named = request.run is not None or os.environ.get("EXITGATE_RUN")
    command, sinks = notified(given.texts("notify"))
    return WatchOptions(
        state_dir(request),
        run_name(request) if named else None,
        given.flag("follow"),
        _interval(given.text("interval")),
        given.word("format") == "json",
        command,
        sinks,
    )


def _interval(text: str | None) -> float:
    found = INTERVAL if text is None else number_of(text)
    if not SHORTEST <= found <= LONGEST:
        raise usage_error(
            f"`--interval {text}` is not an interval", f"write {SHORTEST:g} to {LONGEST:g} seconds"
        )
    return found


def _live(given: ParsedArguments) -> bool:
    """Return whether to draw: on a terminal that can, where no lines are asked for."""
    drawn = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return drawn and not given.flag("lines") and given.word("format") != "json"


def _once(asked: WatchOptions, given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the present view, or the newest decision as a line; the command gets its EXIT."""
    from exitgate.surfaces.watch.render import plain, plain_line, screen, text_line
    from exitgate.surfaces.watch.watcher import Watcher, notifier_of

    watcher = Watcher(asked.directory, asked.wanted)
    watcher.look()
    sight = watcher.sight
    if sight.last is None:
        raise _nothing(asked, watcher)
    notices = notifier_of(asked)
    failed = (*(notices.tell(sight.now) if sight.now is not None else ()), *notices.wait())
    remarks = "".join(_remark(text) for text in failed)
    if given.flag("lines") or asked.json:
        form = plain_line if asked.json else text_line
        remarks = "".join(_remark(text) for text in watcher.shown_troubles()) + remarks
        return Answer("" if sight.now is None else form(sight.now), remarks)
    return Answer(plain(screen(watcher.view(time.time()), terminal.out)), remarks)


def _nothing(asked: WatchOptions, watcher: Watcher) -> ExitgateError:
    """Return the error (66) for a run that has not begun, or (74) for a ledger that cannot be read."""
    if watcher.missing and not watcher.absent:
        help = "fix the permissions, or name another folder with `--state-dir`"
        return failure("EP832", watcher.missing, help, CANNOT_READ)
    which = f"no run `{asked.wanted}`" if asked.wanted is not None else "no run"
    why = "".join(f"; {text}" for text in watcher.shown_troubles())
    help = "a run begins with its first `exitgate check`; without `--once`, watch waits for it"
    return failure("EP583", f"there is {which} in `{asked.directory}`{why}", help, NOTHING_TO_DECIDE)


def _on_screen(asked: WatchOptions, terminal: Terminal) -> Answer:
    from exitgate.surfaces.watch.screen import on_screen
    from exitgate.surfaces.watch.watcher import Watcher

    watcher = Watcher(asked.directory, asked.wanted)
    text, code = on_screen(asked, watcher, color=terminal.out.color)
    return Answer(text, _before(watcher, asked), code=OK if code is None else code)


def _before(watcher: Watcher, asked: WatchOptions) -> str:
    """Return a remark where the run was over before anybody watched: another may be meant that comes."""
    if not watcher.over_before or asked.follow:
        return ""
    return _remark(f"{watcher.sight.run} was over before; `--follow` waits for the next run")


def _in_lines(asked: WatchOptions) -> int:
    from exitgate.surfaces.watch.watcher import Watcher, in_lines

    def write(text: str) -> bool:
        return _written(sys.stdout, text)

    def remark(text: str) -> bool:
        return _written(sys.stderr, _remark(text))

    watcher = Watcher(asked.directory, asked.wanted)
    code = in_lines(asked, watcher, _descriptor(), write, remark)
    if text := _before(watcher, asked):
        _written(sys.stderr, text)
    return OK if code is None else code


def _remark(text: str) -> str:
    return f"{safe(text)}\n"


def _descriptor() -> int:
    """Return the descriptor of stdout, -1 where it has none."""
    try:
        return -1 if sys.stdout is None else sys.stdout.fileno()
    except OSError:
        return -1


def _written(stream: TextIO | None, text: str) -> bool:
    """Write and flush; False when the reader went away. Raises `ExitgateError` (73) for a full disk."""
    if stream is None:
        return True

    try:
        write_out(stream, text)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return False
        raise failure(
            "EP805", f"cannot write the result: {error.strerror}", "make room for it", CANNOT_WRITE
        ) from error
    return True


COMMAND = Command(
    "watch",
    "watch a running loop, live",
    about="Shows a run from the ledger: a symbol for each iteration, the facts that changed, the "
    "progress of history forms and thresholds, and the share of budgets used. It only reads, takes no lock "
    "and changes nothing. When the run ends, the last view stays and the exit code is that of its EXIT; q, "
    "Ctrl-C and a closed pipe exit with 0.\n\nIf stdout is not a terminal, each new decision is a line: "
    "time, run, iteration, verdict, class, outcome, firm or tentative, number of warnings, message, "
    "separated by tabs; with `--format json`, the line of the ledger itself.\n\nThe command of `--notify` "
    "is started once for each EXIT while watching, `wait` and `interrupted` included, without a shell; it "
    "has 30 s. EXITGATE_VERDICT, _CLASS, _OUTCOME, _RULE, _MESSAGE, _FIRM, _RUN, _RUN_ID, _ITERATION, _AT "
    "and _POLICY describe the decision; the whole line of the ledger is its standard input.\n\n"
    "Services are notified over https, and over http on this machine alone; redirects are not followed. "
    "Addresses come from here or from `notify:` in your own settings, never from a project's. What went "
    "before this watch began is not sent.",
    options=(
        Option("--run NAME", "name or id of the run; EXITGATE_RUN, or the newest"),
        STATE_DIR,
        Option("--once", "show the current state once, and exit with 0"),
        Option("--follow", "when the run has ended, wait for the next"),
        Option("--lines", "a line for each new decision, on a terminal too"),
        Option(
            "--notify COMMAND|SERVICE...",
            "what to start or tell on EXIT; with `--once` of the last one. A service is `slack=URL`, "
            "`ntfy=URL` or `webhook=URL`, or the word alone for the address in your own settings",
        ),
        Option("--interval SECONDS", f"time between updates; {INTERVAL:g} by default"),
        formats("text", "json", doc="format of the lines"),
    ),
    examples=(
        ("exitgate watch", "in a second terminal, beside the loop"),
        (
            "exitgate watch --run nightly --notify 'notify-send \"loop ended\"'",
            "get a notification when it ends",
        ),
        ("exitgate watch --notify ntfy=https://ntfy.sh/my-topic", "on a phone"),
        ("exitgate watch --once", "the current state"),
        ("exitgate watch --lines | cut -f 4-6", "verdicts as they are made"),
    ),
    codes={
        "0": "ended by the user, or shown once",
        "2, 10 to 18": "the class of the EXIT that ended the run, as of `check`",
        "66": "there is no such run to show once",
    },
    run=run,
)
