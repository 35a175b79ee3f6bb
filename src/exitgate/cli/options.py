"""Options that `check` and `explain` share, and the request they make."""

from __future__ import annotations

from exitgate.cli.command import NUMBER, Argument, Option
from exitgate.cli.parsing.usage import amount, at_least, exit_status, files, pairs
from exitgate.report.decision.summary import Setting
from exitgate.report.wording import working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.cli.command import ParsedArguments
    from exitgate.cli.terminal import Terminal
    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.gate.timed import Timings
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.settings.provenance import Settled
    from exitgate.core.state.request import Request


RESPONSE = Argument("[RESPONSE]", "the agent's last response; `-` for stdin; .ralph/last-response.md")
PLAN = Argument(
    "[PLAN]", "the task list; .ralph/@fix_plan.md, fix_plan.md, IMPLEMENTATION_PLAN.md, PLAN.md …"
)
STATE_DIR = Option("--state-dir FOLDER", "where the ledger is; .ralph/exitgate by default")
RUN = Option("--run NAME", "name of the run; EXITGATE_RUN, or a default")

#: What only a recorded check needs to know of an iteration.
ITERATION = (
    Option("--cost USD", "what this iteration cost, rounded to a millionth"),
    Option("--tokens N", "tokens this iteration used", kind=NUMBER),
    Option(
        "--iteration N", "the iteration's number; if repeated, the recorded decision is returned", kind=NUMBER
    ),
    Option("--turn ID", "the host's id of the turn; if repeated, the recorded decision is returned"),
)

FACT = Option("--fact NAME=VALUE...", "give a fact instead of reading it")

ASKING = (
    Option("--policy, -p NAME|PATH", "the policy that decides"),
    Option("--set NAME=VALUE...", "set a parameter of the policy"),
    Option("--task PATH", "the agent's task; text copied from it does not count"),
    Option("--agent-exit N", "the agent's exit status, 0 to 255", kind=NUMBER),
    Option(
        "--input-format",
        "format of the response; detected from its content by default",
        choices=("auto", "text", "json", "jsonl"),
        default="auto",
    ),
    Option("--source NAME=PATH...", "an additional source"),
    FACT,
    Option(
        "--stage",
        "evaluate the rules of this stage only",
        choices=("before_iteration", "after_iteration", "after_failure"),
    ),
    RUN,
    STATE_DIR,
)


def request_of(given: ParsedArguments, *, record: bool) -> Request:
    """Return what the command line asks of the gate. Raises `ExitgateError` (64) for a broken NAME=VALUE."""
    from exitgate.core.state.request import Request

    return Request(
        response=given.text("response"),
        plan=given.text("plan"),
        task=given.text("task"),
        policy=given.text("policy"),
        settings=pairs("--set", given.texts("set")),
        agent_exit=exit_status("--agent-exit", given.number("agent_exit")),
        sources=files("--source", given.texts("source")),
        facts=pairs("--fact", given.texts("fact")),
        stage=given.text("stage"),
        run=given.text("run"),
        state_dir=given.text("state_dir"),
        record=record,
        cost=amount("--cost", given.text("cost")),
        tokens=at_least("--tokens", given.number("tokens"), 0),
        iteration=at_least("--iteration", given.number("iteration"), 1),
        turn=given.text("turn"),
        input_format=given.text("input_format") or "auto",
    )


def settled_of(given: ParsedArguments) -> Settled:
    """Return what is settled for the policy and the settings of a command line."""
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.settings.load import load_settled
    from exitgate.core.state.discover import DEFAULT_POLICY

    settings = pairs("--set", given.texts("set"))
    return load_settled(SettingsRequest(DEFAULT_POLICY, given.text("policy"), settings))


# What the short forms of `check` and `explain` need beside the decision: why, and what comes next.


def setting_of(
    policy: CompiledPolicy,
    decision: Decision,
    facts: Mapping[str, Fact],
    records: Sequence[Mapping[str, object]],
    *,
    number: int,
    unread: str = "",
    changed: str = "",
    now: float | None = None,
) -> Setting:
    """Return the setting of a decision; `number` is that of the iteration, the rest as in `Setting`."""
    from exitgate.report.forecast import coming, iterations_left, ticks_left

    soon, left = coming(policy, decision, records), iterations_left(policy, number)
    ticks = ticks_left(policy, decision, records) if soon is None else None
    return Setting(policy, facts, number, unread, changed, soon, left, now, working_folder(), ticks)


def unread_response(checked: CheckResult) -> str:
    """Return why an iteration has no response; the empty text if it has one or needs none."""
    decision, response = checked.decision, checked.iteration.sources.get("response")
    if response is None or response.text is not None or checked.iteration.number < 1:
        return ""
    if decision.stage == "before_iteration" and not decision.blind:
        return ""
    return response.reason or "no response"


# `--timings` of `check` and `dry-run`: what each part took, on stderr, so that stdout stays as it is.


def timings_form(timings: Timings, given: ParsedArguments, terminal: Terminal) -> str:
    """Return the table, or one JSON object where the command's own format is JSON."""
    if given.word("format") in ("json", "jsonl"):
        from exitgate.report.timings import timings_json

        return timings_json(timings)
    from exitgate.report.timings import timings_text

    return timings_text(timings, terminal.err)
