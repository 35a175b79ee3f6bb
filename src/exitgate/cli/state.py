"""`exitgate state`: where the current run is."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, SUCCESS, TROUBLE, Command, Option
from exitgate.cli.options import RUN, STATE_DIR, request_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

#: Decisions counted at most.
COUNTED = 100_000


def run(given: Given, terminal: Terminal) -> Answer:
    """Return run, iteration, last decision, counts and breaker."""
    from exitgate.gate.discover import state_dir

    directory = state_dir(request_of(given, record=False))
    lines, remarks = since_reset(directory, given.text("run"))
    shown = standing(lines, directory)
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(shown), remarks)
    from exitgate.report.past import state_text

    return Answer(state_text(shown, terminal.out), remarks)


def since_reset(directory: str, wanted: str | None) -> tuple[list[dict[str, object]], str]:
    """
    Return the decisions since the last reset, oldest first, and remarks on damaged lines.

    Args:
        directory: The state directory.
        wanted: Name of runs; or the id of one run, then all of its decisions; None for the name that
            the ledger was last written under.
    """
    from exitgate.ledger.line import DECISION, RESET
    from exitgate.ledger.names import name_of
    from exitgate.ledger.read import Damage, lines
    from exitgate.report.safe import safe

    damages: list[Damage] = []
    found: dict[str, list[dict[str, object]]] = {}
    newest = ""
    for line in lines(directory, damages):
        run_id = str(line.get("run"))
        name = run_id if run_id == wanted else name_of(run_id)
        if line.get("kind") == DECISION:
            newest = name
            found.setdefault(name, []).append(line)
            del found[name][:-COUNTED]
        elif line.get("kind") == RESET and name != run_id:
            newest = name
            found[name] = []
    remarks = [f"warning: line {d.number} of the ledger is skipped: {safe(d.reason)}\n" for d in damages]
    return found.get(newest if wanted is None else wanted, []), "".join(remarks)


def standing(lines: Sequence[Mapping[str, object]], directory: str) -> dict[str, object]:
    """Return what `state` shows, by name, from decisions, oldest first; as in the view `exit_state`."""
    from exitgate.gate.breaker import stored
    from exitgate.report.past import decision_of

    verdicts = [decision_of(line).get("verdict") for line in lines]
    found: dict[str, object] = {
        "state_directory": directory, "run": None, "iteration": None, "last_decision": None,
        "decision_reason": None,
    }  # fmt: skip
    if lines:
        last = lines[-1]
        decision = decision_of(last)
        policy = last.get("policy")
        found |= {
            "run": last.get("run"),
            "iteration": last.get("iteration"),
            "last_decision": decision.get("verdict"),
            "decision_reason": decision.get("message") or decision.get("outcome"),
            "exit_class": decision.get("class"),
            "outcome": decision.get("outcome"),
            "decided_at": last.get("at"),
            "policy": f"{policy.get('name')} {policy.get('version')}" if isinstance(policy, dict) else None,
        }
    breaker = stored(directory).plain
    return found | {
        "total_decisions": len(lines),
        "continue_count": verdicts.count("CONTINUE"),
        "exit_count": verdicts.count("EXIT"),
        "breaker": breaker.get("state") if isinstance(breaker, dict) else None,
    }


COMMAND = Command(
    "state",
    "show the state of the current run",
    about="The run of the last decision, or the one named with --run: its iteration, the last decision and "
    "why, how many decisions there were since the last reset, and the breaker. The keys and values are those "
    "of `.ralph/exit-state.json`, if the policy keeps that file.",
    options=(
        RUN,
        STATE_DIR,
        Option("--format", choices=("text", "json"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate state", "the current state"),
        ("exitgate state --format json | jq -r .decision_reason", "in a script"),
    ),
    codes=(SUCCESS, *TROUBLE),
    run=run,
)
