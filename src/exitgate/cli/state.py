"""`exitgate state`: where the current run stands."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, SUCCESS, TROUBLE, Command, Option
from exitgate.cli.history import past
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

    lines, remarks = past(given, COUNTED)
    directory = state_dir(request_of(given, record=False))
    shown = standing(lines, directory)
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(shown), remarks)
    from exitgate.report.past import state_text

    return Answer(state_text(shown, terminal.out), remarks)


def standing(lines: Sequence[Mapping[str, object]], directory: str) -> dict[str, object]:
    """Return what `state` shows, by name, from the decisions on record, oldest first."""
    from exitgate.report.past import decision_of

    verdicts = [decision_of(line).get("verdict") for line in lines]
    found: dict[str, object] = {"state_directory": directory, "run": None, "iteration": None}
    if lines:
        last = lines[-1]
        decision = decision_of(last)
        policy = last.get("policy")
        words = [decision.get("verdict"), decision.get("class")]
        found |= {
            "run": last.get("run"),
            "iteration": last.get("iteration"),
            "last_decision": " ".join(str(word) for word in words if word),
            "decision_reason": decision.get("outcome"),
            "message": decision.get("message"),
            "decided_at": last.get("at"),
            "policy": f"{policy.get('name')} {policy.get('version')}" if isinstance(policy, dict) else None,
        }
    breaker = lines[-1].get("breaker") if lines else None
    return found | {
        "total_decisions": len(lines),
        "continue_count": verdicts.count("CONTINUE"),
        "exit_count": verdicts.count("EXIT"),
        "breaker": breaker.get("state") if isinstance(breaker, dict) else None,
    }


COMMAND = Command(
    "state",
    "show where the current run stands",
    about="The run of the last decision, or the one named with --run: its iteration, the last decision and "
    "why, how many decisions there are on record, and the breaker.",
    options=(
        RUN,
        STATE_DIR,
        Option("--format", choices=("text", "json"), default="text", doc="form of the result"),
        COLOR,
    ),
    examples=(
        ("exitgate state", "where things are"),
        ("exitgate state --format json | jq -r .decision_reason", "in a script"),
    ),
    codes=(SUCCESS, *TROUBLE),
    run=run,
)
