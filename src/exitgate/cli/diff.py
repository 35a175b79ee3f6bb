"""`exitgate diff`: what differs between two policies, in words and in decisions."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, MANY, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import pairs, usage_error
from exitgate.model.verdict import FINDINGS, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.compared.change import Side
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run(given: Given, terminal: Terminal) -> Answer:
    """Return what is written and what is decided differently; 69 where something is, or may be."""
    from exitgate.analysis.compared.textual import written
    from exitgate.report.policy_diff import changes_text

    before, after = sides(given)
    changes = written(before, after)
    lines = changes_text(changes, terminal.out)
    return Answer("\n".join(lines) + "\n", "", FINDINGS if changes else OK)


def sides(given: Given) -> tuple[Side, Side]:
    """
    Return the two policies that a command line names.

    Raises `ExitgateError`: 64 for a wrong number of them, else as `exitgate.gate.operands.read_side`.
    """
    from exitgate.gate.operands import read_against, read_side

    names, against = given.texts("policy"), given.text("against")
    settings = pairs("--set", given.texts("set"))
    if against is not None:
        if len(names) != 1:
            raise usage_error(
                "`--against` is for one policy", "write `exitgate diff PATH --against REVISION`"
            )
        path, own = apart(names[0])
        found = read_against(path, against, settings), read_side(path, {**settings, **own})
    elif len(names) == 2:
        found = tuple(_side(name, settings) for name in names)  # type: ignore[assignment]
    elif len(names) == 1 and settings:
        path, own = apart(names[0])
        label = f"{names[0]} with {', '.join(f'{name}={text}' for name, text in settings.items())}"
        found = _side(names[0], {}), read_side(path, {**own, **settings}, label)
    else:
        help = "write `exitgate diff A B`, or one policy with `--set` or `--against`"
        raise usage_error(f"`diff` wants two policies, not {len(names)}", help)
    _taken(settings, found, names[0])
    return found


def apart(name: str) -> tuple[str, dict[str, str]]:
    """Return a policy and its own settings, out of ``NAME:PARAMETER=VALUE,PARAMETER=VALUE``."""
    from exitgate.dryrun.chosen import apart as settings_of

    return settings_of(name) if "=" in name.rpartition(":")[2] else (name, {})


def _side(name: str, settings: Mapping[str, str]) -> Side:
    from exitgate.gate.operands import read_side

    path, own = apart(name)
    return read_side(path, {**settings, **own}, name)


def _taken(settings: Mapping[str, str], found: tuple[Side, Side], name: str) -> None:
    """Let a policy complain of settings that neither of the two has a parameter for: it knows its names."""
    left = {n: text for n, text in settings.items() if not any(n in side.policy.parameters for side in found)}
    if left:
        from exitgate.policy.compile import load_policy

        load_policy(apart(name)[0], settings=left)


COMMAND = Command(
    "diff",
    "show what differs between two policies, in words and in decisions",
    arguments=(Argument("POLICY", MANY, "two policies"),),
    options=(
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter"),
        Option("--against", metavar="REVISION", doc="compare a file with itself in a revision of git"),
        Option("--format", choices=("text", "json", "markdown"), default="text", doc="form of the result"),
        Option("--exit-zero", kind=FLAG, doc="exit 0 whatever differs"),
        COLOR,
    ),
    examples=(("exitgate diff bb3-faithful bb3", "what the repairs of bb3 change"),),
    codes=(SUCCESS, ("69", "something differs"), *TROUBLE),
    run=run,
)
