"""What `install` is to write: the host's settings, and the project's own where sessions become loops."""

from __future__ import annotations

import os

from exitgate.cli.planned import Planned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.install.change import Change
    from exitgate.hosts.install.host import Host, Wanted
    from exitgate.policy.provenance import Chain, Settled


def root_here() -> str:
    """Return the root of the repository of this folder; the folder itself where there is none."""
    from exitgate.policy.layers.places import folders_up

    return folders_up(".", os.environ)[-1]


def plan_settings(host: Host, scope: str, wanted: Wanted, *, tune: bool) -> Planned | None:
    """Return what must be done to the settings of a host; None where our hook is there."""
    from exitgate.hosts.install import settings_text, trouble
    from exitgate.hosts.install.entries import WrongKindError
    from exitgate.hosts.install.files import may_write, read_text
    from exitgate.hosts.install.json_text import NotJsonError

    root = root_here()
    path = host.file(scope, root, os.environ)
    name = host.shown(scope, root, os.environ)
    text = read_text(path, name)
    try:
        change = settings_text.installed(host, text, wanted, os.environ.get("PATH"), tune=tune)
        keep = settings_text.empties(host, text)
    except NotJsonError as error:
        raise trouble.not_json(name, text or "", error, trouble.snippet(host, wanted)) from error
    except WrongKindError as error:
        raise trouble.wrong_kind(name, text or "", error, trouble.snippet(host, wanted)) from error
    if change.is_none:
        return None
    may_write(path, name)
    return _planned(path, name, change, keep)


def plan_opt_in(values: Mapping[str, str]) -> list[Planned]:
    """
    Return what must be done to the project's own settings so that they say `values` below `hooks:`.

    Where there are none, the files of `exitgate init` are made, without its workflow.
    """
    from exitgate.cli import starter
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.hosts.install.change import Change
    from exitgate.hosts.install.files import read_text
    from exitgate.hosts.install.opt_in import opted_in
    from exitgate.policy.edits import Edit
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked, project_file, shown

    root = root_here()
    settled = load_settled(Asked(DEFAULT_POLICY))  # a loop that cannot decide is none
    path = project_file(".", os.environ)
    if path is not None:
        name = shown(path, root)
        change = opted_in(read_text(path, name) or "", name, values)
        return [] if change.is_none else [_planned(path, name, change, ())]
    files = (
        (starter.CONFIG, opted_in(_starter(settled), starter.CONFIG, values).new, ""),
        (starter.SCHEMA, starter.schema_text(settled), "as `exitgate schema config` prints it"),
    )
    found = []
    for relative, text, note in files:
        file = os.path.join(root, relative)
        if not os.path.lexists(file):
            change = Change(None, text, ((Edit(0, len(text), ""),),))
            found.append(_planned(file, shown(file, root), change, (), note))
    return found


def is_opted_in() -> bool:
    """Return whether the settings in force make every session here a loop. Raises where they are wrong."""
    enabled = hook_settings(".").get("enabled")
    return enabled is not None and enabled[-1].value is True


def hook_settings(root: str) -> dict[str, Chain]:
    """
    Return key below `hooks:` -> what the layers say of it, from a project's root. No policy is compiled.

    Raises `ExitgateError` (65) where a file of settings is wrong.
    """
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.documents import read_layers
    from exitgate.policy.layers.hooks import chains_of
    from exitgate.policy.layers.places import Asked

    findings = Findings()
    layers = read_layers(Asked(DEFAULT_POLICY, root=root), findings)
    findings.raise_errors()
    return chains_of(layers)


def _starter(settled: Settled) -> str:
    from exitgate.cli.starter import config_text

    return config_text(settled.policy, str(settled.chosen[-1].value))


def _planned(
    path: str, name: str, change: Change, keep: tuple[tuple[str, ...], ...], by_program: str = ""
) -> Planned:
    def done(folders: tuple[str, ...]) -> str:
        from exitgate.hosts.install import receipts

        before = receipts.recall(path, os.environ)
        receipt = receipts.receipt_for(path, change, folders, keep, before)
        try:
            receipts.keep(receipt, os.environ)
        except OSError as error:
            place = receipts.place(path, os.environ)
            return (
                f"the change to {name} could not be recorded at {place} ({error.strerror}): `exitgate "
                "uninstall` finds the hook by its command\n"
            )
        return ""

    return Planned(path, name, change.old, change.new, "installed", done, by_program=by_program)
