"""`exitgate check`: one decision now."""

from __future__ import annotations

from exitgate.cli.command import TROUBLE, Answer, Command, Option, formats
from exitgate.cli.options import ASKING, ITERATION, PLAN, RESPONSE, request_of
from exitgate.core.model.decision import CLASS_CODES, CONTINUE, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.command import Event, ParsedArguments
    from exitgate.cli.terminal import Terminal
    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.model.decision import Decision


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Decide, record, and answer in the form asked for."""
    from exitgate.cli.parsing.usage import not_in_probe
    from exitgate.cli.probe_line import ProbeLine
    from exitgate.surfaces.decide import decide

    not_in_probe("check")
    request = request_of(given, record=not given.flag("no_record"))
    events: tuple[Event, ...] = ()
    if given.text("log_level") is not None:
        from exitgate.cli.log import cache_event

        events = cache_event(request)
    took = ""
    if given.flag("timings"):
        from exitgate.cli.options import timings_form
        from exitgate.core.gate.timed import Timings, timed_check

        timings = Timings()
        with ProbeLine() as shown:
            checked = decide(request.but(watch=shown.watch), lambda one: timed_check(one, timings))
        took = timings_form(timings, given, terminal)
    else:
        with ProbeLine() as shown:
            checked = decide(request if shown.watch is None else request.but(watch=shown.watch))
    code = exit_code(checked.decision, given.word("exit_codes"))
    if given.text("log_level") is not None:
        from exitgate.cli.log import events_of

        events += events_of(checked)
    if given.flag("verbose") or given.flag("very_verbose"):
        from exitgate.surfaces.resident import place

        took = f"{place.note}\n{took}" if place.note else took
    if given.flag("quiet"):
        return Answer(err=took, code=code, events=events)
    form = given.word("format")
    text = _text(checked, given, terminal) if form == "text" else _form(checked, form, code)
    return Answer(text, took, code, events)


def _form(checked: CheckResult, form: str, code: int) -> str:
    if form == "json":
        from exitgate.report.decision.plain import printed
        from exitgate.report.formats.json import json_text

        return json_text(printed(checked, code))
    if form == "github":
        from exitgate.report.formats.github import decision_github

        return decision_github(checked.decision)
    if form == "ralph":
        from exitgate.core.views.session import analysis
        from exitgate.report.formats.json import json_text

        now, number = checked.iteration.time, checked.iteration.number
        return json_text(analysis(checked.decision, checked.facts, number, now))
    assert form == "response-analyzer"
    from exitgate.report.decision.response_analyzer import analysis_result
    from exitgate.report.formats.json import json_text

    said = checked.iteration.source("response").text
    return json_text(analysis_result(checked.policy, checked.decision, checked.facts, checked.records, said))


def _text(checked: CheckResult, given: ParsedArguments, terminal: Terminal) -> str:
    """Return the form for people, as much of it as was asked for."""
    if given.flag("very_verbose"):
        from exitgate.report.decision.verbose import decision_text

        policy = f"{checked.policy.name} {checked.policy.version}"
        run, number, now = checked.iteration.run, checked.iteration.number, checked.iteration.time
        return decision_text(checked.decision, terminal.out, policy=policy, run=run, number=number, now=now)
    from exitgate.cli.options import setting_of, unread_response

    iteration = checked.iteration
    setting = setting_of(
        checked.policy,
        checked.decision,
        checked.facts,
        checked.records,
        number=iteration.number,
        unread=unread_response(checked),
        changed=checked.changed,
        now=iteration.time,
    )
    if given.flag("verbose"):
        from exitgate.report.decision.verbose import verbose_text

        return verbose_text(checked.decision, setting, terminal.out)
    from exitgate.report.decision.summary import short_text

    return short_text(checked.decision, setting, terminal.out)


COMMAND = Command(
    "check",
    "decide whether the loop continues: CONTINUE or EXIT",
    about="Reads the agent's last response, the task list and every other source that the policy uses, "
    "decides, and records the decision in the ledger. The exit code is the decision: 0 continues; "
    "everything else, errors included, ends a shell loop.",
    arguments=(RESPONSE, PLAN),
    options=(
        *ASKING,
        *ITERATION,
        Option("--no-record", "decide without recording anything"),
        Option(
            "--exit-codes KIND",
            "a code for each class of EXIT, or 1 for all of them",
            choices=("full", "simple"),
            default="full",
        ),
        formats(
            "text",
            "json",
            "github",
            "ralph",
            "response-analyzer",
            doc="output format; `ralph` is the analysis that Ralph's executor reads, "
            "`response-analyzer` the result object of that interface; both of any policy",
        ),
        Option("--quiet, -q", "print nothing, only exit"),
        Option("--verbose, -v", "add warnings, and what could not be checked, grouped by cause"),
        Option("--very-verbose, -vv", "every warning, pending count and unknown fact, rule by rule"),
        Option(
            "--timings",
            "add on stderr what each stage, extractor and rule took, as JSON with `--format json`",
        ),
    ),
    examples=(
        (
            "s=0; while exitgate check --agent-exit $s; do agent; s=$?; done",
            "a loop that ends when the work is done",
        ),
        ("exitgate check response.md plan.md --policy bb3", "decide on these files"),
        ("agent | exitgate check - --set min_completion=95", "a response from stdin, another threshold"),
        ("exitgate check --no-record --format json", "decide without recording, for a program"),
    ),
    codes=(
        ("0", "CONTINUE"),
        ("2", "EXIT blocked: a person or a permission is needed"),
        ("10", "EXIT complete: the work is done"),
        ("11", "EXIT review"),
        ("12", "EXIT stuck"),
        ("13", "EXIT halted: the breaker is open"),
        ("14", "EXIT exhausted: a budget is used up"),
        ("15", "EXIT undetermined"),
        ("16", "EXIT idle: the agent says that nothing is left"),
        ("17", "EXIT wait: resume later"),
        ("18", "EXIT failed"),
        ("130", "EXIT interrupted"),
        TROUBLE[0],
        TROUBLE[1],
        ("66", "no input: a named response is missing"),
        *TROUBLE[2:],
        ("75", "another check holds the ledger"),
    ),
    run=run,
)


# From a decision to the exit code of the process.

SIMPLE_EXIT = 1


def exit_code(decision: Decision, codes: str = "full") -> int:
    """
    Return 0 for CONTINUE and the code of the class for EXIT.

    With `codes` ``simple`` every EXIT is 1. Trouble is not a decision and keeps its codes from 64 on either
    way.
    """
    if decision.verdict == CONTINUE:
        return OK
    if codes == "simple":
        return SIMPLE_EXIT
    assert decision.exit_class is not None
    return CLASS_CODES[decision.exit_class]
