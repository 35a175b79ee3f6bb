"""`exitgate replay`: every recorded decision made again from what it was made from."""

from __future__ import annotations

from exitgate.cli.command import NUMBER, Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.ledger import directory_of
from exitgate.cli.options import RUN, STATE_DIR, request_of
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, OK
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.read import Damage
    from exitgate.recordings.ledger.replay import Replayed
    from exitgate.report.replay import DifferenceOutput, ReplayOutput


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Make the decisions again; 69 when one differs or a damaged line was passed over."""
    from exitgate.report.formats.output import output_text
    from exitgate.report.replay import replay_text

    counted = _counted(given)
    code = FINDINGS if counted.differences or counted.warnings else OK
    remarks = "".join(f"warning: {safe(text)}\n" for text in counted.warnings)
    if given.word("format") == "json":
        return Answer(output_text(counted), remarks, code)
    return Answer(replay_text(counted, terminal.out), remarks, code)


def _counted(given: ParsedArguments) -> ReplayOutput:
    from exitgate.core.gate.settings import policy_of
    from exitgate.recordings.ledger.replay import replay
    from exitgate.report.replay import difference_of, replayed

    if given.texts("set") and given.text("policy") is None:
        raise usage_error("`--set` belongs to another policy", "name it: `--policy NAME|PATH`")
    directory = directory_of(given)
    policy = None if given.text("policy") is None else policy_of(request_of(given, record=False))
    same = 0
    different: list[DifferenceOutput] = []
    damages: list[Damage] = []
    for one in replay(directory, policy, given.text("run"), damages, _newest(given)):
        if one.same or (policy is not None and _answers_alike(one)):
            same += 1
        else:
            different.append(difference_of(one.line, one.decision, one.difference))
    told = [f"line {damage.number} of the ledger is skipped: {damage.reason}" for damage in damages]
    return replayed(same, different, told)


def _newest(given: ParsedArguments) -> int | None:
    """Return how many of the newest decisions to repeat, None for all; 64 below 1."""
    count = given.number("number")
    if count is not None and count < 1:
        raise usage_error(f"`-n {count}` is less than 1", "write a number of at least 1")
    return count


def _answers_alike(one: Replayed) -> bool:
    """Return whether verdict, class and outcome are the recorded ones."""
    from exitgate.report.replay import ANSWER

    now = one.decision
    return now is not None and all(one.line.found("decision", key) == now.get(key) for key in ANSWER)


COMMAND = Command(
    "replay",
    "repeat every recorded decision and compare",
    about="Decides again on the facts, history and policy kept with the ledger; the result must equal "
    "the recorded decision, byte for byte. Only the state directory is read, and nothing is written.\n\n"
    "With --policy the recorded facts are decided by another policy, with the settings in force: then "
    "verdict, class and outcome are compared. Facts that only the other policy extracts are unknown.",
    options=(
        Option("--policy, -p NAME|PATH", "decide with this policy instead"),
        Option("--set NAME=VALUE...", "set a parameter of that policy"),
        Option("--number, -n N", "only the newest N decisions", kind=NUMBER),
        RUN,
        STATE_DIR,
        formats("text", "json"),
    ),
    examples=(
        ("exitgate replay", "are all decisions reproducible?"),
        ("exitgate replay -n 1", "the last decision: the rest of a long ledger is not read"),
        ("exitgate replay --policy bb3 --set min_completion=95", "what another threshold would have done"),
    ),
    codes={
        "0": "every decision matches the record",
        "66": "there is no ledger",
        "69": "a decision differs, or a line is damaged",
    },
    run=run,
)
