"""`exitgate circuit track`: the breaker after this iteration, which is counted once however often asked."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, TROUBLE, Command, Option
from exitgate.cli.options import ASKING, ITERATION, PLAN, RESPONSE, request_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request

    Plain = dict[str, object]


def run(given: Given, terminal: Terminal) -> Answer:
    """
    Return the state of the breaker after this iteration.

    With a number or a turn the iteration is recorded, and a check on the same one answers from the ledger.
    Without, it is only looked at: the check that follows could not tell that it was counted already.
    """
    from exitgate.gate.check import check

    numbered = given.number("iteration") is not None or given.text("turn") is not None
    request = request_of(given, record=numbered)
    checked = check(request)
    found = _found(request, checked)
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(found))
    if given.word("format") == "word":
        return Answer(f"{found['state']}\n")
    from exitgate.report.circuit import status_text, tracked_text

    name = f"{checked.policy.name} {checked.policy.version}"
    return Answer(status_text(found, name, terminal.out) + tracked_text(found, terminal.out))


def _found(request: Request, checked: Checked) -> Plain:
    """Return the status as the check left it, or would leave it, and what was counted."""
    from exitgate.gate.circuit import FILE, POLICY, status
    from exitgate.gate.discover import state_dir
    from exitgate.model.value import Unknown

    recorded = checked.line is not None
    found = status(state_dir(request), checked.policy, checked.iteration.time)
    if found["kept_by"] == FILE:
        from exitgate.cli.outside import outside

        found = outside(request, checked.policy)
    elif found["kept_by"] == POLICY and not recorded:
        seen = {name: checked.facts[f"circuit.{name}"].value for name in ("state", "reason", "opened_for")}
        known = {name: None if isinstance(value, Unknown) else value for name, value in seen.items()}
        moved = found["state"] != known["state"]
        # What a look cannot keep is not reported: a state that is only foreseen has no cooldown yet.
        found |= {**known, "cooldown_left": None, "probe": False} if moved else {}
    run, iteration = checked.iteration.run, checked.iteration.number
    return found | {"recorded": recorded, "run": run, "iteration": iteration}


COMMAND = Command(
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
        Option(
            "--format",
            choices=("text", "word", "json"),
            default="text",
            doc="output format; `word` is the state alone",
        ),
        COLOR,
    ),
    examples=(
        ("exitgate circuit track", "the state that the next check will find"),
        ("exitgate circuit track --iteration 3; exitgate check --iteration 3", "counted once"),
    ),
    codes=(
        ("0", "for every state"),
        TROUBLE[0],
        TROUBLE[1],
        ("66", "no input: a named response is missing"),
        *TROUBLE[2:],
        ("75", "another check holds the ledger"),
    ),
    run=run,
)
