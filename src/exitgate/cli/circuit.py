"""`exitgate circuit`: the breaker looked at and moved by hand."""

from __future__ import annotations

from exitgate.cli import circuit_track
from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, NUMBER, REPEAT, SUCCESS, TROUBLE, Command, Option
from exitgate.cli.options import STATE_DIR, request_of
from exitgate.cli.usage import usage_error
from exitgate.model.diagnostic import ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.policy.compiled import CompiledPolicy

    Plain = dict[str, object]

SHOWN = 20


def run_status(given: Given, terminal: Terminal) -> Answer:
    """Return the state of the breaker now; the text begins with its state."""
    from exitgate.gate.circuit import FILE, status

    policy, remark = _policy(given)
    request, directory = request_of(given, record=False), _directory(given)
    found = status(directory, policy)
    if policy is not None and found["kept_by"] == FILE and not found["by_hand"]:
        from exitgate.cli.outside import outside

        found = outside(request, policy)
    warning = _warning(str(found["warning"])) + remark
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(found), warning)
    if given.word("format") == "word":
        return Answer(f"{found['state']}\n", warning)
    from exitgate.report.circuit import status_text

    name = "" if policy is None else f"{policy.name} {policy.version}"
    return Answer(status_text(found, name, terminal.out), warning)


def run_reset(given: Given, _: Terminal) -> Answer:
    """Close the breaker, no matter what opened it."""
    from exitgate.gate.circuit import reset

    return _moved(given, reset(_directory(given), given.text("reason") or "reset by hand"))


def run_trip(given: Given, _: Terminal) -> Answer:
    """Open the breaker by hand, with a reason."""
    from exitgate.gate.circuit import trip

    reason = given.text("reason")
    if reason is None:
        raise usage_error("no reason is given", "write `exitgate circuit trip --reason TEXT`")
    return _moved(given, trip(_directory(given), reason))


def run_history(given: Given, terminal: Terminal) -> Answer:
    """Return the newest moves, oldest first."""
    from exitgate.gate.circuit import history

    count = given.number("number")
    if count is not None and count < 1:
        raise usage_error(f"`-n {count}` is less than 1", "write a number of at least 1")
    moves = history(_directory(given), count or SHOWN)
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(list(moves)))
    from exitgate.report.circuit import moves_text

    return Answer(moves_text(moves, terminal.out), "" if moves else "the breaker never moved\n")


def _moved(given: Given, line: Plain) -> Answer:
    """Return what a move by hand did, with a warning where no decision will follow from it."""
    from exitgate.cli.events import recorded
    from exitgate.gate.circuit import FILE, status

    if given.word("format") == "json":
        from exitgate.report.json import json_text

        out = json_text(line)
    else:
        from exitgate.report.ledger import said_by

        out = f"{said_by(line)}\n"
    policy, remark = _policy(given)
    if policy is not None and status(_directory(given), policy)["kept_by"] == FILE:
        name = f"{policy.name} {policy.version}"
        remark = _warning(
            f"the breaker in the file that {name} reads is unchanged; see `exitgate circuit status`"
        )
    return Answer(out, remark, events=(recorded(line),))


def _policy(given: Given) -> tuple[CompiledPolicy | None, str]:
    """
    Return the policy that would decide, or None and a warning.

    A breaker must be seen and moved even while the policy is broken; `check` says what is wrong with it.
    """
    from exitgate.gate.settings import policy_of

    try:
        return policy_of(request_of(given, record=False)), ""
    except ExitgateError as error:
        told = error.diagnostics[0].message
        return None, _warning(f"cannot tell whether a policy uses this breaker: {told}")


def _warning(text: str) -> str:
    from exitgate.report.safe import safe

    return f"warning: {safe(text)}\n" if text else ""


def _directory(given: Given) -> str:
    from exitgate.gate.discover import state_dir

    return state_dir(request_of(given, record=False))


ASKED = (
    Option("--policy", "-p", metavar="NAME|PATH", doc="the policy that decides"),
    Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter of the policy"),
    STATE_DIR,
)
FORMAT = Option("--format", choices=("text", "json"), default="text", doc="output format")
CODES = (SUCCESS, *TROUBLE)
WRITES = (*CODES, ("75", "another check holds the ledger"))
COMMAND = Command(
    "circuit",
    "show, track, reset and trip the circuit breaker",
    examples=(
        ("exitgate circuit status", "may the loop continue?"),
        ('exitgate circuit trip --reason "the test machine is down"', "stop every loop here"),
    ),
    codes=WRITES,
    children=(
        Command(
            "status",
            "show the state of the breaker: CLOSED, HALF_OPEN or OPEN",
            about="If another program keeps the breaker in a file, shows what that file says.",
            options=(
                *ASKED,
                Option(
                    "--format",
                    choices=("text", "word", "json"),
                    default="text",
                    doc="output format; `word` is the state alone",
                ),
                COLOR,
            ),
            examples=(
                ("exitgate circuit status", "state, reason, since when, what moves it"),
                ('test "$(exitgate circuit status --format word)" != OPEN', "in a script"),
            ),
            codes=CODES,
            run=run_status,
        ),
        circuit_track.COMMAND,
        Command(
            "reset",
            "close the breaker",
            about="Closes it regardless of what opened it. The run's past iterations no longer count for the "
            "breaker's conditions; otherwise the run stays as it is until `exitgate reset`.",
            options=(Option("--reason", metavar="TEXT", doc="why, for the ledger"), *ASKED, FORMAT, COLOR),
            examples=(('exitgate circuit reset --reason "disk replaced"', "let loops continue"),),
            codes=WRITES,
            run=run_reset,
        ),
        Command(
            "trip",
            "open the breaker by hand",
            about="Every loop with this state directory stops at its next check. Neither time nor progress "
            "closes a breaker that a person opened: only `exitgate circuit reset` does.",
            options=(
                Option("--reason", metavar="TEXT", doc="why, for the person who finds the loop stopped"),
                *ASKED,
                FORMAT,
                COLOR,
            ),
            examples=(('exitgate circuit trip --reason "deploy under way"', "stop every loop here"),),
            codes=WRITES,
            run=run_trip,
        ),
        Command(
            "history",
            "list the moves of the breaker",
            about="The newest come last. Times are UTC.",
            options=(
                Option("--number", "-n", kind=NUMBER, metavar="N", doc=f"the last N; {SHOWN} by default"),
                STATE_DIR,
                FORMAT,
                COLOR,
            ),
            examples=(("exitgate circuit history -n 5", "the last five moves"),),
            codes=CODES,
            run=run_history,
        ),
    ),
)
