"""`exitgate doctor`: what is found, from where, what `check` would do now, and what is missing."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, TROUBLE, Command, Option
from exitgate.cli.options import ASKING, PLAN, RESPONSE, request_of
from exitgate.model.verdict import FINDINGS, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run(given: Given, terminal: Terminal) -> Answer:
    """Look at everything a check needs; 69 when something would keep it from deciding."""
    from exitgate.cli.found_hosts import host_findings
    from exitgate.cli.found_incidents import incident_findings
    from exitgate.cli.found_program import program_findings
    from exitgate.cli.found_project import project_findings
    from exitgate.cli.found_state import check_finding, state_findings
    from exitgate.report.findings import FAILS, findings_json, findings_text

    request = request_of(given, record=False)
    project, policy = project_findings(request)
    findings = [*program_findings(), *project, *state_findings(request)]
    findings += [*host_findings(request), *incident_findings(request)]
    piped = "-" in (request.response, request.plan, request.task)
    if policy is not None and not piped:
        findings.append(check_finding(request))
    code = FINDINGS if any(one.state == FAILS for one in findings) else OK
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(findings_json(findings)), code=code)
    return Answer(findings_text(findings, terminal.out), code=code)


COMMAND = Command(
    "doctor",
    "show what exitgate finds, where, and what is missing",
    about="Looks at the program, the policy and every layer of settings, the sources, the breaker, the state "
    "directory and the ledger, agent hosts with or without the hook, recent incidents, and says what "
    "`check` with the same arguments would do now. Nothing is written. "
    "● found, ○ absent but not needed, ! warning, ✗ prevents check from deciding.",
    arguments=(RESPONSE, PLAN),
    options=(
        *ASKING,
        Option("--format", choices=("text", "json"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate doctor", "before the first loop, or when something is wrong"),
        ("exitgate doctor response.md plan.md --policy bb3", "with the arguments of your check"),
    ),
    codes=(
        ("0", "check can decide"),
        TROUBLE[0],
        ("69", "something would prevent check from deciding"),
        *TROUBLE[2:],
    ),
    run=run,
)
