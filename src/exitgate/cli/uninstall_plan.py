"""What `uninstall` is to take back: the hook, and what `install --enable` wrote once no host needs it."""

from __future__ import annotations

import os

from exitgate.cli.planned import Planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.host import Host
    from exitgate.hosts.install.receipts import Receipt

#: Is in the diff instead of the lines of a file that goes.
AS_WRITTEN = "as `exitgate install` wrote it"


def plan_removal(host: Host, scope: str) -> Planned | None:
    """Return what must be done to the settings of a host; None where no hook of ours is in them."""
    from exitgate.cli.install_plan import root_here
    from exitgate.hosts.install import receipts, trouble
    from exitgate.hosts.install.entries import WrongKindError
    from exitgate.hosts.install.files import may_write, read_text
    from exitgate.hosts.install.json_text import NotJsonError

    root = root_here()
    path = host.file(scope, root, os.environ)
    name = host.shown(scope, root, os.environ)
    text = read_text(path, name)
    if text is None:
        return None
    receipt = receipts.recall(path, os.environ)
    try:
        new = _without(host, text, receipt)
    except NotJsonError as error:
        raise trouble.not_json(name, text, error) from error
    except WrongKindError as error:
        raise trouble.wrong_kind(name, text, error) from error
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


def plan_opt_out(host: Host, scope: str) -> tuple[list[Planned], str]:
    """Return what must be done to the project's own settings, and what is to be said of them."""
    from exitgate.cli.install_plan import root_here
    from exitgate.cli.starter import CONFIG, SCHEMA
    from exitgate.hosts.install import receipts
    from exitgate.hosts.install.files import read_text
    from exitgate.policy.layers.places import project_file, shown

    root = root_here()
    config = project_file(".", os.environ) or os.path.join(root, CONFIG)
    schema = os.path.join(os.path.dirname(config), os.path.basename(SCHEMA))
    noted = [(path, receipts.recall(path, os.environ)) for path in (config, schema)]
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
    from exitgate.hosts.install.look import look
    from exitgate.hosts.install.registry import HOSTS

    found = [
        (other.id, one.scope) for other in HOSTS.values() for one in look(other, root, os.environ).installed
    ]
    return list(dict.fromkeys(name for name, where in found if (name, where) != (host.id, scope)))


def _planned(
    path: str, name: str, old: str, new: str | None, receipt: Receipt | None, by_program: str = ""
) -> Planned:
    def done(_: tuple[str, ...]) -> str:
        from exitgate.hosts.install import receipts

        try:
            receipts.forget(path, os.environ)
        except OSError as error:
            return f"cannot remove {receipts.place(path, os.environ)}: {error.strerror}\n"
        return ""

    folders = receipt.folders if receipt is not None else ()
    return Planned(path, name, old, new, "uninstalled", done, folders, by_program)
