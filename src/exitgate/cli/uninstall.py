"""`exitgate uninstall`: our hook out of the settings of an agent host, and nothing else."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, TROUBLE, Argument, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.hosts.install.host import Host


def run(given: Given, terminal: Terminal) -> Answer:
    """Show the diff, ask where there is a terminal, and write what was agreed to."""
    from exitgate.cli.install import host_named, scope_of
    from exitgate.cli.planned import carry_out
    from exitgate.cli.uninstall_plan import plan_opt_out, plan_removal

    host, scope = host_named(given.word("host")), scope_of(given)
    settings = plan_removal(host, scope)
    opted, remarks = plan_opt_out(host, scope)
    planned = [*([settings] if settings is not None else []), *opted]
    if not planned:
        return Answer(err=f"{remarks}{_elsewhere(host, scope)}nothing to remove\n")
    words = ["exitgate uninstall", host.id, *(["--user"] if given.flag("user") else []), "--yes"]
    return carry_out(planned, terminal, yes=given.flag("yes"), again=" ".join(words), remarks=remarks)


def _elsewhere(host: Host, scope: str) -> str:
    """Return where the hook is, when it is not where it was looked for."""
    from exitgate.cli.install_plan import root_here
    from exitgate.hosts.install.host import PROJECT, USER
    from exitgate.hosts.install.look import look
    from exitgate.report.safe import safe

    flags = {PROJECT: f"`exitgate uninstall {host.id}`", USER: f"`exitgate uninstall {host.id} --user`"}
    lines = [
        f"the hook is in {safe(one.shown)}: {flags.get(one.scope, 'remove it by hand')}\n"
        for one in look(host, root_here(), os.environ).installed
        if one.scope != scope
    ]
    return "".join(lines)


COMMAND = Command(
    "uninstall",
    "remove the hook from the settings of an agent host",
    about="Removes what `exitgate install HOST` wrote, restoring the file byte for byte if nothing else "
    "changed; other edits are kept. Files and folders that it created are removed if nothing else is in "
    "them; so is what `--enable` wrote, once no host of this project has the hook. The diff is shown first; "
    "on a terminal you are asked, elsewhere nothing is written without --yes.",
    arguments=(Argument("HOST", doc="claude-code, codex, gemini, copilot or cursor"),),
    options=(
        Option("--project", kind=FLAG, doc="use the project's settings (default)"),
        Option("--user", kind=FLAG, doc="use your own settings"),
        Option("--yes", "-y", kind=FLAG, doc="write without asking"),
        COLOR,
    ),
    examples=(
        ("exitgate uninstall claude-code", "show what it would remove"),
        ("exitgate uninstall claude-code --yes", "remove it"),
    ),
    codes=(("0", "removed, or nothing to remove"), *TROUBLE),
    run=run,
)
