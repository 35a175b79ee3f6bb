"""What of each host is found on this machine and in this project. Nothing is written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.settings.files import shown
from exitgate.hosts.hook import protocol
from exitgate.hosts.install.files import not_json, read_text, wrong_kind
from exitgate.hosts.install.host import PROJECT, USER, Host
from exitgate.hosts.install.json_edit import Node, NotJsonError, is_blank, parse
from exitgate.hosts.install.settings_text import Entry, WrongKindError, entries, is_unsafe, runs

#: A settings file beside the one that is written.
BESIDE = "beside"
#: Seconds that a host waits for the hook of our plugin, as the plugin says.
PLUGIN_WAITS = 600


class InspectedFile(Struct, frozen=True):
    """
    One settings file of a host.

    Args:
        scope: `PROJECT`, `USER` or `BESIDE`.
        path, shown: Where it is, and how a person writes that.
        there: Whether the file exists.
        ours: Commands of our entries, by event.
        others: Commands of others for the same events.
        unread: What makes the host read nothing of the file, in words; empty for nothing.
        plugin: Whether our plugin is enabled there.
        off: Whether it turns every hook off.
        waits: Seconds that the host waits for our entry, the least of several; None without one.
        problem: Why it cannot be read, or None.
    """

    scope: str
    path: str
    shown: str
    there: bool
    ours: Mapping[str, str]
    others: tuple[str, ...] = ()
    problem: Diagnostic | None = None
    unread: str = ""
    plugin: bool = False
    off: bool = False
    waits: float | None = None

    def missing(self, host: Host) -> tuple[str, ...]:
        """Return the events that our hook is not installed for."""
        return tuple(event for event in host.events if event not in self.ours)

    def broken(self, path: str | None) -> tuple[str, ...]:
        """Return our commands whose program cannot be found in the folders of `path`."""
        return tuple(dict.fromkeys(command for command in self.ours.values() if not runs(command, path)))

    def unsafe(self) -> tuple[str, ...]:
        """Return our commands whose Python imports from the folder it is in."""
        return tuple(dict.fromkeys(command for command in self.ours.values() if is_unsafe(command)))


class HostState(Struct, frozen=True):
    """A host as it is found: its program or None, whether its own folder is there, its settings files."""

    host: Host
    program: str | None
    folder: bool
    files: tuple[InspectedFile, ...]

    @property
    def is_found(self) -> bool:
        """Whether anything says that the host is used here."""
        return self.program is not None or self.folder or any(one.there for one in self.files)

    @property
    def installed(self) -> tuple[InspectedFile, ...]:
        """The files that hold our hook."""
        return tuple(one for one in self.files if one.ours)

    @property
    def waits(self) -> float:
        """Seconds that the host waits for our hook, the least of all that are installed."""
        found = [one.waits for one in self.files if one.waits is not None]
        found += [float(PLUGIN_WAITS)] if self.with_plugin else []
        return min(found, default=float(self.host.waits))

    @property
    def with_plugin(self) -> tuple[InspectedFile, ...]:
        """The files that enable our plugin, which brings the hook as well."""
        return tuple(one for one in self.files if one.plugin)


def inspect_hosts(host: Host, root: str, environment: Mapping[str, str]) -> HostState:
    """
    Return what is found of a host.

    Args:
        host: Which.
        root: Root of the project.
        environment: Variable -> text; PATH, HOME and the host's own variable count.
    """
    path = environment.get("PATH", "")
    program = next((found for name in host.programs if (found := shutil.which(name, path=path))), None)
    folder = os.path.isdir(os.path.dirname(host.user_file(environment))) if host.home else False
    return HostState(host, program, folder, tuple(_files(host, root, environment)))


def _files(host: Host, root: str, environment: Mapping[str, str]) -> Iterator[InspectedFile]:
    mine, ours = (os.path.realpath(host.file(scope, root, environment)) for scope in (USER, PROJECT))
    for scope in (PROJECT, USER) if mine != ours else (USER,):
        yield _looked(host, scope, host.file(scope, root, environment), host.shown(scope, root, environment))
    for name in host.beside:
        path = os.path.join(root, name)
        found = _looked(host, BESIDE, path, shown(path, root))
        if found.there:
            yield found


def _looked(host: Host, scope: str, path: str, name: str) -> InspectedFile:
    there = os.path.lexists(path)
    try:
        text = read_text(path, name)
        if text is None or is_blank(text):
            return InspectedFile(scope, path, name, there, {})
        root, found = _entries(host, name, text)
    except ExitgateError as error:
        return InspectedFile(scope, path, name, there, {}, (), error.diagnostics[0])
    ours = {entry.event: entry.command for entry in found if entry.ours}
    others = tuple(dict.fromkeys(entry.command for entry in found if not entry.ours and entry.command))
    times = [host.waits_for(entry.node) for entry in found if entry.ours]
    enabled = root.get("enabledPlugins") if host.plugin else None
    plugin = enabled.get(host.plugin) if enabled is not None else None
    return InspectedFile(
        scope,
        path,
        name,
        there,
        ours,
        others,
        unread=host.refused(text),
        plugin=plugin is not None and plugin.scalar is True,
        off=host.is_switched_off(root),
        waits=min(times, default=None),
    )


def _entries(host: Host, name: str, text: str) -> tuple[Node, tuple[Entry, ...]]:
    try:
        root = parse(text)
        return root, entries(host, root)
    except NotJsonError as error:
        raise not_json(name, text, error) from error
    except WrongKindError as error:
        raise wrong_kind(name, text, error) from error


#: Every host by its id: where the hook goes in its settings.
HOSTS: dict[str, Host] = {id: protocol.load_host(id).settings() for id in protocol.HOSTS}
