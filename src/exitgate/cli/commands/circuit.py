"""`exitgate circuit`: the breaker looked at and moved by hand."""

from __future__ import annotations

import time

from exitgate.cli.command import NUMBER, Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import ASKING, ITERATION, PLAN, RESPONSE, STATE_DIR, request_of
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.request import Request
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.decision import CheckResult

    Plain = dict[str, object]


# `exitgate circuit track`: the breaker after this iteration, which is counted once however often asked.


def run_track(given: ParsedArguments, terminal: Terminal) -> Answer:
    """
    Return the state of the breaker after this iteration.

    With a number or a turn the iteration is recorded, and a check on the same one answers from the ledger.
    Without, it is only looked at: the check that follows could not tell that it was counted already.
    """
    from exitgate.core.gate.check import check

    numbered = given.number("iteration") is not None or given.text("turn") is not None
    request = request_of(given, record=numbered)
    checked = check(request)
    found = _found(request, checked)
    if given.word("format") == "word":
        return Answer(f"{found['state']}\n")
    from exitgate.report.breaker import breaker_output, status_text, tracked_text
    from exitgate.report.formats.output import output_text

    told = breaker_output(found)
    if given.word("format") == "json":
        return Answer(output_text(told))
    name = f"{checked.policy.name} {checked.policy.version}"
    return Answer(status_text(told, name, terminal.out) + tracked_text(told, terminal.out))


def _found(request: Request, checked: CheckResult) -> Plain:
    """Return the status as the check left it, or would leave it, and what was counted."""
    from exitgate.core.gate.breaker_control import FILE, POLICY, status
    from exitgate.core.state.discover import state_dir

    recorded = checked.line is not None
    found = status(state_dir(request), checked.policy, checked.iteration.time)
    if found["kept_by"] == FILE:
        found = breaker_of_file(request, checked.policy)
    elif found["kept_by"] == POLICY and not recorded:
        seen = {name: checked.facts[f"circuit.{name}"].value for name in ("state", "reason", "opened_for")}
        known = {name: None if isinstance(value, Unknown) else value for name, value in seen.items()}
        moved = found["state"] != known["state"]
        # What a look cannot keep is not reported: a state that is only foreseen has no cooldown yet.
        found |= {**known, "cooldown_left": None, "probe": False} if moved else {}
    run, iteration = checked.iteration.run, checked.iteration.number
    return found | {"recorded": recorded, "run": run, "iteration": iteration}


TRACK = Command(
    "track",
    "show the state of the breaker after this iteration",
    about="For loops that track the breaker before they call `exitgate check`. The check also tracks the "
    "breaker; an iteration is counted once. With --iteration or --turn the iteration is recorded here, and "
    "a check with the same number answers from the ledger. Without them, nothing is recorded until the "
    "check.",
    arguments=(RESPONSE, PLAN),
    options=(
        *ASKING,
        *ITERATION,
        formats("text", "word", "json", doc="output format; `word` is the state alone"),
    ),
    examples=(
        ("exitgate circuit track", "the state that the next check will find"),
        ("exitgate circuit track --iteration 3; exitgate check --iteration 3", "counted once"),
    ),
    codes={
        "0": "for every state",
        "66": "no input: a named response is missing",
        "75": "another check holds the ledger",
    },
    run=run_track,
)

SHOWN = 20


def run_status(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the state of the breaker now; the text begins with its state."""
    from exitgate.core.gate.breaker_control import FILE, status

    policy, remark = _policy(given)
    request, directory = request_of(given, record=False), _directory(given)
    found = status(directory, policy)
    if policy is not None and found["kept_by"] == FILE and not found["by_hand"]:
        found = breaker_of_file(request, policy)
    warning = _warning(str(found["warning"])) + remark
    if given.word("format") == "word":
        return Answer(f"{found['state']}\n", warning)
    from exitgate.report.breaker import breaker_output, status_text
    from exitgate.report.formats.output import output_text

    told = breaker_output(found)
    if given.word("format") == "json":
        return Answer(output_text(told), warning)
    name = "" if policy is None else f"{policy.name} {policy.version}"
    return Answer(status_text(told, name, terminal.out), warning)


def run_reset(given: ParsedArguments, _: Terminal) -> Answer:
    """Close the breaker, no matter what opened it."""
    from exitgate.core.gate.breaker_control import reset

    return _moved(given, reset(_directory(given), given.text("reason") or "reset by hand"))


def run_trip(given: ParsedArguments, _: Terminal) -> Answer:
    """Open the breaker by hand, with a reason."""
    from exitgate.core.gate.breaker_control import trip

    reason = given.text("reason")
    if reason is None:
        raise usage_error("no reason is given", "write `exitgate circuit trip --reason TEXT`")
    return _moved(given, trip(_directory(given), reason))


def run_history(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the newest moves, oldest first."""
    from exitgate.core.gate.breaker_control import history

    count = given.number("number")
    if count is not None and count < 1:
        raise usage_error(f"`-n {count}` is less than 1", "write a number of at least 1")
    from exitgate.report.breaker import move_outputs, moves_text
    from exitgate.report.formats.output import output_text

    moves = move_outputs(history(_directory(given), count or SHOWN))
    if given.word("format") == "json":
        return Answer(output_text(moves))
    return Answer(moves_text(moves, terminal.out), "" if moves else "the breaker never moved\n")


def _moved(given: ParsedArguments, line: Plain) -> Answer:
    """Return what a move by hand did, with a warning where no decision will follow from it."""
    from exitgate.cli.log import ledger_event
    from exitgate.core.gate.breaker_control import FILE, status

    if given.word("format") == "json":
        from exitgate.report.formats.json import json_text

        out = json_text(line)
    else:
        from exitgate.core.ledger.typed import typed
        from exitgate.report.ledger import source_of

        out = f"{source_of(typed(line))}\n"
    policy, remark = _policy(given)
    if policy is not None and status(_directory(given), policy)["kept_by"] == FILE:
        name = f"{policy.name} {policy.version}"
        remark = _warning(
            f"the breaker in the file that {name} reads is unchanged; see `exitgate circuit status`"
        )
    return Answer(out, remark, events=(ledger_event(line),))


def _policy(given: ParsedArguments) -> tuple[CompiledPolicy | None, str]:
    """
    Return the policy that would decide, or None and a warning.

    A breaker must be seen and moved even while the policy is broken; `check` says what is wrong with it.
    """
    from exitgate.core.gate.settings import policy_of

    try:
        return policy_of(request_of(given, record=False)), ""
    except ExitgateError as error:
        told = error.diagnostics[0].message
        return None, _warning(f"cannot tell whether a policy uses this breaker: {told}")


def _warning(text: str) -> str:
    return f"warning: {safe(text)}\n" if text else ""


def _directory(given: ParsedArguments) -> str:
    from exitgate.core.state.discover import state_dir

    return state_dir(request_of(given, record=False))


ASKED = (
    Option("--policy, -p NAME|PATH", "the policy that decides"),
    Option("--set NAME=VALUE...", "set a parameter of the policy"),
    STATE_DIR,
)
FORMAT = formats("text", "json")
WRITES = {"75": "another check holds the ledger"}
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
            options=(*ASKED, formats("text", "word", "json", doc="output format; `word` is the state alone")),
            examples=(
                ("exitgate circuit status", "state, reason, since when, what moves it"),
                ('test "$(exitgate circuit status --format word)" != OPEN', "in a script"),
            ),
            run=run_status,
        ),
        TRACK,
        Command(
            "reset",
            "close the breaker",
            about="Closes it regardless of what opened it. The run's past iterations no longer count for the "
            "breaker's conditions; otherwise the run stays as it is until `exitgate reset`.",
            options=(Option("--reason TEXT", "why, for the ledger"), *ASKED, FORMAT),
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
                Option("--reason TEXT", "why, for the person who finds the loop stopped"),
                *ASKED,
                FORMAT,
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
                Option("--number, -n N", f"the last N; {SHOWN} by default", kind=NUMBER),
                STATE_DIR,
                FORMAT,
            ),
            examples=(("exitgate circuit history -n 5", "the last five moves"),),
            run=run_history,
        ),
    ),
)


# The breaker that another program keeps in a file, in the words of our own.


def breaker_of_file(request: Request, policy: CompiledPolicy) -> dict[str, object]:
    """
    Return the status of the breaker whose file `policy` reads, keys as in
    `exitgate.core.gate.breaker_control.status`.

    `state` is ``UNKNOWN``, with the reason, where the file does not exist or says none.
    """
    from exitgate.core.facts.extractors import circuit
    from exitgate.core.gate.breaker_control import FILE
    from exitgate.core.observe.breaker_file import read
    from exitgate.core.state.discover import circuit_place

    (entry,) = (entry for entry in policy.extractions if entry.prefix == "circuit")
    place = circuit_place(request, policy, entry.source)
    source = read(place.path, named=place.named)
    iteration = Iteration(0, "", time.time(), {entry.source: source})
    facts = {
        fact.name: fact.value
        for fact in circuit.extract(entry.prefix, entry.source, entry.options, iteration)
    }

    def known(name: str) -> object:
        value = facts[f"circuit.{name}"]
        return None if isinstance(value, Unknown) else value

    state = facts["circuit.state"]
    # A policy may say what a missing file means; that it is missing is worth telling all the same.
    said = known("reason") or ("" if source.record is not None else source.reason)
    return {
        "state": "UNKNOWN" if isinstance(state, Unknown) else state,
        "reason": state.reason if isinstance(state, Unknown) else said,
        "opened_at": known("opened_at"),
        "opened_for": known("opened_for"),
        "cooldown_left": None,
        "by_hand": False,
        "probe": False,
        "kept_by": FILE,
        "path": place.path,
        "warning": "; ".join(source.warnings),
    }
