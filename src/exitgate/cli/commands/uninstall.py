"""`exitgate uninstall`: our hook out of the settings of an agent host, and nothing else."""

from __future__ import annotations

import os

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.files import FileChange, apply_changes
from exitgate.cli.terminal import Terminal
from exitgate.core.settings.files import project_file, shown
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.host import Host
    from exitgate.hosts.install.receipts import Receipt


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Show the diff, ask where there is a terminal, and write what was agreed to."""
    from exitgate.cli.commands.install import host_named, scope_of

    host, scope = host_named(given.word("host")), scope_of(given)
    settings = plan_removal(host, scope)
    opted, remarks = plan_opt_out(host, scope)
    planned = [*([settings] if settings is not None else []), *opted]
    if not planned:
        return Answer(err=f"{remarks}{_elsewhere(host, scope)}nothing to remove\n")
    words = ["exitgate uninstall", host.id, *(["--user"] if given.flag("user") else []), "--yes"]
    return apply_changes(planned, terminal, yes=given.flag("yes"), again=" ".join(words), remarks=remarks)


def _elsewhere(host: Host, scope: str) -> str:
    """Return where the hook is, when it is not where it was looked for."""
    from exitgate.cli.commands.install import root_here
    from exitgate.hosts.install.host import PROJECT, USER
    from exitgate.hosts.install.inspect import inspect_hosts

    flags = {PROJECT: f"`exitgate uninstall {host.id}`", USER: f"`exitgate uninstall {host.id} --user`"}
    lines = [
        f"the hook is in {safe(one.shown)}: {flags.get(one.scope, 'remove it by hand')}\n"
        for one in inspect_hosts(host, root_here(), os.environ).installed
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
    arguments=(Argument("HOST", "claude-code, codex, gemini, copilot or cursor"),),
    options=(
        Option("--project", "use the project's settings (default)"),
        Option("--user", "use your own settings"),
        Option("--yes, -y", "write without asking"),
    ),
    examples=(
        ("exitgate uninstall claude-code", "show what it would remove"),
        ("exitgate uninstall claude-code --yes", "remove it"),
    ),
    codes={"0": "removed, or nothing to remove"},
    run=run,
)


# What `uninstall` is to take back: the hook, and what `install --enable` wrote once no host needs it.

#: Is in the diff instead of the lines of a file that goes.
AS_WRITTEN = "as `exitgate install` wrote it"


def plan_removal(host: Host, scope: str) -> FileChange | None:
    """Return what must be done to the settings of a host; None where no hook of ours is in them."""
    from exitgate.cli.commands.install import root_here
    from exitgate.hosts.install import files, receipts
    from exitgate.hosts.install.files import may_write, read_text
    from exitgate.hosts.install.json_edit import NotJsonError
    from exitgate.hosts.install.settings_text import WrongKindError

    root = root_here()
    path = host.file(scope, root, os.environ)
    name = host.shown(scope, root, os.environ)
    text = read_text(path, name)
    if text is None:
        return None
    receipt = receipts.load_receipt(path, os.environ)
    try:
        new = _without(host, text, receipt)
    except NotJsonError as error:
        raise files.not_json(name, text, error) from error
    except WrongKindError as error:
        raise files.wrong_kind(name, text, error) from error
    if new == text:
        return None
    may_write(path, name)
    return _planned(path, name, text, new, receipt)


def _without(host: Host, text: str, receipt: Receipt | None) -> str | None:
    """Return settings without our hook; None where no file is needed for what is left."""
    from exitgate.hosts.install.settings_text import is_empty, uninstalled

    if receipt is not None and receipt.fits(text):
        before = receipt.undone(text)
        if receipt.made and not before:
            return None
        return uninstalled(host, before, receipt.keep).new
    new = uninstalled(host, text, receipt.keep if receipt is not None else ()).new
    ours_alone = new != text and is_empty(host, new)
    return None if ours_alone and (receipt is None or receipt.made) else new


def plan_opt_out(host: Host, scope: str) -> tuple[list[FileChange], str]:
    """Return what must be done to the project's own settings, and what is to be said of them."""
    from exitgate.cli.commands.init import CONFIG, SCHEMA
    from exitgate.cli.commands.install import root_here
    from exitgate.hosts.install import receipts
    from exitgate.hosts.install.files import read_text

    root = root_here()
    config = project_file(".", os.environ) or os.path.join(root, CONFIG)
    schema = os.path.join(os.path.dirname(config), os.path.basename(SCHEMA))
    noted = [(path, receipts.load_receipt(path, os.environ)) for path in (config, schema)]
    if noted[0][1] is None:
        return [], ""
    others = _others(host, scope, root)
    name = shown(config, root)
    if others:
        return [], f"{name} still treats sessions here as loops, for {', '.join(others)}\n"
    planned = []
    for path, receipt in noted:
        text = read_text(path, shown(path, root))
        if receipt is None or text is None:
            continue
        if not receipt.fits(text):
            return [], f"{name} was changed since and is kept, with `hooks:` in it\n"
        new = None if receipt.made else receipt.undone(text)
        planned.append(_planned(path, shown(path, root), text, new, receipt, AS_WRITTEN))
    # The file that made the folder goes last, with the folder.
    return planned[::-1], ""


def _others(host: Host, scope: str, root: str) -> list[str]:
    """Return the hosts that have the hook, apart from what is about to be removed."""
    from exitgate.hosts.install.inspect import HOSTS, inspect_hosts

    found = [
        (other.id, one.scope)
        for other in HOSTS.values()
        for one in inspect_hosts(other, root, os.environ).installed
    ]
    return list(dict.fromkeys(name for name, where in found if (name, where) != (host.id, scope)))


def _planned(
    path: str, name: str, old: str, new: str | None, receipt: Receipt | None, by_program: str = ""
) -> FileChange:
    def done(_: tuple[str, ...]) -> str:
        from exitgate.hosts.install import receipts

        try:
            receipts.delete_receipt(path, os.environ)
        except OSError as error:
            return f"cannot remove {receipts.receipt_path(path, os.environ)}: {error.strerror}\n"
        return ""

    folders = receipt.folders if receipt is not None else ()
    return FileChange(path, name, old, new, "uninstalled", done, folders, by_program)
