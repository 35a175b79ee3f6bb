"""What the commands that judge policies by recorded runs share: options, policies, what could not be read."""

from __future__ import annotations

from exitgate.cli.declared import REPEAT, Option
from exitgate.cli.usage import pairs
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ, NOTHING_TO_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.cli.given import Given
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.run import Problem

READER = Option(
    "--reader", metavar="ID", doc="the format of the transcripts; told by their content by default"
)
SETTINGS = Option(
    "--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter, in every policy that has it"
)
NOTHING_THERE = ("66", "there is nothing to judge by")
#: Stands for every shipped policy.
EVERY = "all"
DEFAULT = ("recommended",)


def loaded(given: Given, names: Sequence[str] = ()) -> dict[str, CompiledPolicy]:
    """
    Return the policies that a command line names, compiled, in order, each once.

    A setting is for every policy that has the parameter. Raises `ExitgateError`: 65 with all that is wrong,
    also for a setting that no policy takes.
    """
    from exitgate.policy import shipped
    from exitgate.policy.compile import load_policy

    names = names or given.texts("policy") or DEFAULT
    wanted = dict.fromkeys(n for name in names for n in (shipped.policies() if name == EVERY else (name,)))
    settings = pairs("--set", given.texts("set"))
    policies: dict[str, CompiledPolicy] = {}
    problems: list[Diagnostic] = []
    taken: set[str] = set()
    for name in wanted:
        try:
            plain = load_policy(name)
            fitting = {key: text for key, text in settings.items() if key in plain.parameters}
            policies[name] = load_policy(name, settings=fitting) if fitting else plain
            taken |= set(fitting)
        except ExitgateError as error:
            problems += error.diagnostics
    if not problems and set(settings) - taken:
        # Some policy has to complain, with the names it has.
        load_policy(next(iter(wanted)), settings=settings)
    if problems:
        raise ExitgateError(problems)
    return policies


def remarks(problems: Iterable[Problem], unread: Iterable[Problem]) -> tuple[str, int]:
    """Return what to say of what could not be read, and the exit code: 74 where a whole file could not be."""
    from exitgate.report.safe import safe

    unread = list(unread)
    lines = [f"warning: {safe(str(one))}\n" for one in problems]
    lines += [f"error[EP811]: {safe(one.file)}: {safe(one.message)}\n" for one in unread]
    return "".join(lines), CANNOT_READ if unread else 0


def nothing(message: str, said: str, help: str) -> ExitgateError:
    """Return the error for nothing to judge by: 66, or 74 with `said` where files could not be read."""
    problems = [
        Diagnostic("EP811", line.partition(": ")[2]) for line in said.splitlines() if "[EP811]" in line
    ]
    code = CANNOT_READ if problems else NOTHING_TO_DECIDE
    return ExitgateError([*problems, Diagnostic("EP876", message, help=help)], code)
