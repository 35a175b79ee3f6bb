"""`exitgate probe`: probes run now, and shown."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import STATE_DIR, request_of
from exitgate.cli.parsing.usage import failure, not_in_probe
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.state.request import Request

#: Code -> what it means.
CODES = {"EP598": "no such probe", "EP599": "a command that decides or asks is called by a probe"}


def run_probe(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Run probes, those that have to pass by default, and show what they say; nothing is recorded."""
    from exitgate.cli.probe_line import ProbeLine

    not_in_probe("probe")
    with ProbeLine() as shown:
        answers = _asked(request_of(given, record=True).but(watch=shown.watch), given.texts("name"))
    passed = all(answer.flag("passed") is True for answer in answers.values())
    code = 0 if passed else FINDINGS
    if given.word("format") == "json":
        from exitgate.report.formats.output import output_text
        from exitgate.report.probes import probes_output

        return Answer(output_text(probes_output(answers)), code=code)
    from exitgate.report.probes import probes_text

    return Answer(probes_text(answers, terminal.out), code=code)


def _asked(request: Request, names: tuple[str, ...]) -> dict[str, JsonObject]:
    """Return what probes say. Raises `ExitgateError` (66) for a name that is not defined, and without any."""
    from exitgate.core.gate.asking import answers_now
    from exitgate.core.gate.settings import policy_of
    from exitgate.core.model.json_object import texts_of
    from exitgate.core.model.spelling import suggestion
    from exitgate.core.probes.definition import definitions
    from exitgate.core.probes.trust import covered

    policy = policy_of(request)
    probes = definitions(policy)
    for name in names:
        if name not in probes:
            help = (
                suggestion(name, probes, "probes") if probes else "define it under `probes:` of the settings"
            )
            raise failure("EP598", f"there is no probe `{name}`", help, NOTHING_TO_DECIDE)
    verified = [name for some in covered(policy).object("verify").values() for name in texts_of(some)]
    wanted = names or tuple(dict.fromkeys(verified)) or tuple(probes)
    if not wanted:
        help = "define them under `probes:` of the settings; `exitgate init` proposes some"
        raise failure("EP598", "there are no probes", help, NOTHING_TO_DECIDE)
    return answers_now(request, policy, wanted)


COMMAND = Command(
    "probe",
    "run the probes of this project and show what they say",
    about="Runs the named probes, or those of `verify`, or all that are defined, as a check would: only if "
    "`exitgate trust` allowed them, within their limits, in their own environment. Nothing is recorded, and "
    "no run takes the answers for its own.",
    arguments=(Argument("[NAME...]", "a probe of the settings"),),
    options=(
        Option("--policy, -p NAME|PATH", "the policy that decides"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
        Option("--run NAME", "name of the run that a judge looks at"),
        STATE_DIR,
        formats("text", "json"),
    ),
    examples=(
        ("exitgate probe", "does everything pass that has to?"),
        ("exitgate probe tests", "one of them"),
    ),
    codes={
        "0": "all of them passed",
        "64": "called by a probe",
        "66": "no such probe, or none at all",
        "69": "one of them failed, or gave no answer",
    },
    run=run_probe,
)
