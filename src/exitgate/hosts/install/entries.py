"""What is in a settings file of a host: entries of ours, and those of others for the same events."""

from __future__ import annotations

from exitgate.hosts.install.commands import is_ours
from exitgate.hosts.install.host import HOOKS
from exitgate.hosts.install.json_text import ARRAY, OBJECT, Node
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.hosts.install.host import Host


class WrongKindError(Exception):
    """A value of settings is of another kind than the host reads: `path`, what is wanted, its place."""

    def __init__(self, path: tuple[str, ...], wanted: str, node: Node) -> None:
        self.path = path
        self.wanted = wanted
        self.node = node
        super().__init__(f"{'.'.join(path)} is not an {wanted}")


class Entry(Value):
    """
    One handler of an event.

    Args:
        event: The event it is for.
        command: Its shell command; empty where it has none.
        ours: Whether the command is our hook.
        node: The handler.
        group: The group it is in, or None where the host has none.
        place: Its index in the group, or in the list of the event.
        group_place: The index of its group in the list of the event.
    """

    __slots__ = ("command", "event", "group", "group_place", "node", "ours", "place")

    def __init__(
        self,
        event: str,
        command: str,
        ours: bool,
        node: Node,
        group: Node | None,
        place: int,
        group_place: int,
    ) -> None:
        self.event = event
        self.command = command
        self.ours = ours
        self.node = node
        self.group = group
        self.place = place
        self.group_place = group_place


def list_of(root: Node, event: str) -> Node | None:
    """
    Return the list of an event, or None where there is none yet.

    Raises:
        WrongKindError: The settings, `hooks` or the list are something else.
    """
    if root.kind != OBJECT:
        raise WrongKindError((), OBJECT, root)
    hooks = root.get(HOOKS)
    if hooks is None:
        return None
    if hooks.kind != OBJECT:
        raise WrongKindError((HOOKS,), OBJECT, hooks)
    found = hooks.get(event)
    if found is not None and found.kind != ARRAY:
        raise WrongKindError((HOOKS, event), ARRAY, found)
    return found


def entries(host: Host, root: Node) -> tuple[Entry, ...]:
    """Return every handler of the host's events, in the order of the file. Raises `WrongKindError`."""
    return tuple(entry for event in host.events for entry in _of_event(host, root, event))


def _of_event(host: Host, root: Node, event: str) -> Iterator[Entry]:
    listed = list_of(root, event)
    for at, item in enumerate(listed.items if listed is not None else ()):
        group = item.get(HOOKS) if host.grouped else None
        if group is not None and group.kind == ARRAY:
            for place, node in enumerate(group.items):
                yield _entry(host, event, node, group, place, at)
        elif not host.grouped:
            yield _entry(host, event, item, None, at, at)


def _entry(host: Host, event: str, node: Node, group: Node | None, place: int, group_place: int) -> Entry:
    values = [node.get(key) for key in host.command_keys]
    commands = [str(value.scalar) for value in values if value is not None and isinstance(value.scalar, str)]
    ours = any(is_ours(command, host.id) for command in commands)
    command = next((one for one in commands if is_ours(one, host.id)), commands[0] if commands else "")
    return Entry(event, command, ours, node, group, place, group_place)
