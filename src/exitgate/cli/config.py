"""`exitgate config`: which settings are in force, who set them, what they overrode."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, OPTIONAL, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import pairs, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.policy.provenance import Settled


def run(given: Given, terminal: Terminal) -> Answer:
    """Return every effective value with who set it, or one of them with its whole chain."""
    from exitgate.report.config import config_text, entry_text
    from exitgate.report.config_entries import entries

    settled = settle(given)
    every = entries(settled)
    name = given.text("name")
    shown = [entry for entry in every if name in (None, entry.name)]
    unset: str | None = None
    if name is not None and not shown:
        from exitgate.cli.config_keys import below, documented

        shown = below(name, every)
        unset = None if shown else documented(name, settled)
    if not shown and unset is None:
        from exitgate.model.spelling import nearest

        near = nearest(str(name), [entry.name for entry in every])
        help = f"did you mean `{near}`?" if near else "see `exitgate config`"
        raise usage_error(f"`{settled.policy.name}` has no setting `{name}`", help)
    err = _remarks(settled, terminal)
    if given.word("format") == "json":
        from exitgate.report.config_json import config_json
        from exitgate.report.json import json_text

        return Answer(json_text(config_json(settled, shown)), err)
    if unset is not None:
        from exitgate.cli.config_keys import unset as said
        from exitgate.report.config import unset_text

        return Answer(unset_text(said(str(name), settled), unset, terminal.out), err)
    if name is None:
        return Answer(config_text(settled, terminal.out), err)
    return Answer("".join(entry_text(entry, settled, terminal.out) for entry in shown), err)


def settle(given: Given) -> Settled:
    """Return what is settled for the policy and the settings of a command line."""
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked

    settings = pairs("--set", given.texts("set"))
    return load_settled(Asked(DEFAULT_POLICY, given.text("policy"), settings))


def _remarks(settled: Settled, terminal: Terminal) -> str:
    """Return warnings and notes on the settings, and exceptions whose last day has passed."""
    import time

    from exitgate.model.diagnostic import Diagnostic
    from exitgate.policy.layers.exceptions import expired
    from exitgate.report.diagnostics import diagnostics_text

    policy = settled.policy
    found = [one for one in policy.warnings if isinstance(one, Diagnostic)]
    found += expired(policy, time.time())
    return diagnostics_text(found, terminal.err) if found else ""


COMMAND = Command(
    "config",
    "show which settings are in force and who set them",
    about="Settings come in layers, from low to high: the policy itself and its profile, an organisation's "
    "preset, your own file, the project's `.bb3/config.yaml`, variables `EXITGATE_SET_NAME`, `--set`. For "
    "each value: the layer and the line that set it, what it overrode, the rules that use it. With a name, "
    "the whole chain of one parameter, rule or list. `exitgate schema config` prints the schema of the "
    "project's file for the policy in force.",
    arguments=(
        Argument(
            "NAME",
            OPTIONAL,
            "a parameter, rule or list; or or a key of the settings file such as `hooks.enabled`",
        ),
    ),
    options=(
        Option("--policy", "-p", metavar="NAME|PATH", doc="show it for another policy"),
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter of the policy"),
        Option("--format", choices=("text", "json"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate config", "every value in force"),
        ("exitgate config min_confidence", "who set it, and what that overrode"),
        ("exitgate config --set min_completion=95", "what a command line would change"),
    ),
    codes=(SUCCESS, *TROUBLE),
    run=run,
)
