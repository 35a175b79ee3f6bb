"""What `doctor` finds of agent hosts: our hook, whether it can run, other hooks, what makes a loop here."""

from __future__ import annotations

import os

from exitgate.report.findings import ABSENT, FOUND, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.gate.request import Request
    from exitgate.hosts.install.look import Looked, Sight
    from exitgate.policy.provenance import Chain


def host_findings(request: Request) -> tuple[Finding, ...]:
    """Return the findings on every host that is found here, and on what opts sessions in."""
    from exitgate.hosts.install.look import look
    from exitgate.hosts.install.registry import HOSTS
    from exitgate.policy.layers.places import folders_up

    root = folders_up(request.root, os.environ)[-1]
    sights = [look(host, root, os.environ) for host in HOSTS.values()]
    found = [finding for sight in sights if sight.is_found for finding in _host(sight, request.root, root)]
    if any(sight.installed or sight.with_plugin for sight in sights):
        found += _loops(request)
    return tuple(found)


def _host(sight: Sight, folder: str, root: str) -> Iterator[Finding]:
    host = sight.host
    read = ", ".join(one.shown for one in sight.files if one.there)
    for one in sight.files:
        if one.problem is not None:
            place = str(one.problem.place or one.shown)
            help = f"{host.title} may not read it either; fix it"
            yield Finding(host.id, WARNING, one.problem.message, place, help)
        if one.off:
            text = f"{host.title} does not run hooks: `{host.switch}` is true"
            yield Finding(host.id, WARNING, text, one.shown, "remove it, or write `false`")
    for one in sight.with_plugin:
        yield Finding(host.id, FOUND, f"hook of the plugin {host.plugin}", one.shown)
    if not sight.installed and not sight.with_plugin:
        origin = read or (sight.program or "")
        yield Finding(
            host.id, ABSENT, "no hook", origin, f"`exitgate install {host.id}` shows what it would write"
        )
        return
    for one in sight.installed:
        yield _hook(sight, one, sight.host.only_in(folder, root))
    both = (*sight.installed, *sight.with_plugin)
    if len(both) > 1:
        places = ", ".join(one.shown for one in both)
        help = (
            f"they all run at every stop: `exitgate uninstall {host.id}` or `exitgate uninstall {host.id} "
            "--user`"
        )
        yield Finding(host.id, WARNING, "the hook is installed more than once", places, help)
    others = [f"`{command}`" for one in sight.files for command in one.others]
    if others:
        text = f"other hooks on {' and '.join(host.events)}: {', '.join(others)}"
        yield Finding(host.id, FOUND, text, read, "each of them may block a stop on its own")


def _hook(sight: Sight, one: Looked, only_in: str) -> Finding:
    from exitgate.hosts.install.host import USER

    host = sight.host
    broken = one.broken(os.environ.get("PATH"))
    again = f"`exitgate install {host.id}{' --user' if one.scope == 'user' else ''}`"
    if one.unread:
        text = f"{host.title} ignores a file with {one.unread}, and so the hook"
        return Finding(host.id, WARNING, text, one.shown, f"remove {one.unread}")
    if broken:
        return Finding(
            host.id,
            WARNING,
            f"the hook cannot run: no such program: {broken[0]}",
            one.shown,
            f"{again} fixes it",
        )
    unsafe = one.unsafe()
    if unsafe:
        text = f"the hook's Python runs modules of the folder it is in, `./re.py` for one: {unsafe[0]}"
        return Finding(host.id, WARNING, text, one.shown, f"{again} fixes it")
    missing = one.missing(host)
    if missing:
        return Finding(host.id, WARNING, f"no hook on {', '.join(missing)}", one.shown, f"{again} adds it")
    command = next(iter(one.ours.values()))
    told = f"{host.title} reads it only if it is started in `{only_in}`, not below"
    help = told if only_in and one.scope != USER else ""
    return Finding(host.id, FOUND, f"hook on {' and '.join(host.events)}: {command}", one.shown, help)


def _loops(request: Request) -> list[Finding]:
    """Return what makes sessions in this project loops; nothing where the settings are wrong."""
    from exitgate.cli.install_plan import hook_settings
    from exitgate.model.diagnostic import ExitgateError

    try:
        return [_opted_in(hook_settings(request.root))]
    except ExitgateError:
        return []  # reported as the finding on the policy


def _opted_in(hooks: Mapping[str, Chain]) -> Finding:
    from exitgate.hosts.opted import MARKER, VARIABLE
    from exitgate.report.config import where

    chain = hooks.get("enabled")
    marker = hooks.get("marker")
    if chain is not None and chain[-1].value is True:
        blocks = hooks.get("max_blocks")
        held = (
            f", blocked at most {blocks[-1].value} {'time' if blocks[-1].value == 1 else 'times in a row'}"
            if blocks is not None
            else ""
        )
        return Finding("loops", FOUND, f"every session here is a loop{held}", where(chain[-1]))
    word = marker[-1].value if marker is not None else MARKER
    text = f"only a session with a line `{word}` in its first prompt, or with {VARIABLE}=1, is a loop"
    origin = where(chain[-1]) if chain is not None else ""
    return Finding(
        "loops", ABSENT, text, origin, "`exitgate install HOST --enable` makes every session here a loop"
    )
