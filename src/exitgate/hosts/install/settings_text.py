"""The text of a host's settings with our hook, and without it. Pure."""

from __future__ import annotations

import json

from exitgate.hosts.install.change import Change
from exitgate.hosts.install.commands import is_unsafe, runs
from exitgate.hosts.install.entries import entries, list_of
from exitgate.hosts.install.host import HOOKS
from exitgate.hosts.install.insert import added, layout_of, new_text
from exitgate.hosts.install.json_text import is_blank, parse
from exitgate.hosts.install.remove import removed
from exitgate.policy.edits import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.entries import Entry
    from exitgate.hosts.install.host import Host, Wanted
    from exitgate.hosts.install.json_text import Node


def installed(host: Host, text: str | None, wanted: Wanted, path: str | None, tune: bool = False) -> Change:
    """
    Return the change that puts our hook into the settings; none where it is there for every event.

    Args:
        host: Whose settings they are.
        text: What the file holds, None where there is none.
        wanted: What our entries say.
        path: Folders that programs are looked for in: an entry whose program is gone gets the new command.
        tune: Whether entries of ours that are there get the limits of `wanted`.

    Raises:
        NotJsonError: The text is not JSON.
        WrongKindError: It holds something else where hooks belong.
    """
    if text is None or is_blank(text):
        new = new_text(host.document(wanted), text or "")
        return Change(text, new, ((Edit(0, len(new), text or ""),),))
    change = Change(text, text)
    for key, value in host.head.items():
        root = parse(change.new)
        list_of(root, host.events[0])
        if root.get(key) is None:
            change = change.then(added(change.new, root, key, value, layout_of(change.new, root)))
    for event in host.events:
        change = change.then(_event(host, change.new, event, wanted, path, tune))
    return change


def uninstalled(host: Host, text: str, keep: tuple[tuple[str, ...], ...] = ()) -> Change:
    """
    Return the change that takes every entry of ours out of the settings.

    What is empty afterwards goes as well: a group, the list of an event, `hooks`; but not the paths in
    `keep`, which was there before our hook came. Raises as `installed` does.
    """
    change = Change(text, text)
    if is_blank(text):
        return change
    while True:
        root = parse(change.new)
        ours = [entry for entry in entries(host, root) if entry.ours]
        if not ours:
            return change
        change = change.then(_without(change.new, root, ours[-1], keep))


def empties(host: Host, text: str | None) -> tuple[tuple[str, ...], ...]:
    """Return the paths of what is in a text though it is empty: `hooks`, lists of events."""
    if text is None or is_blank(text):
        return ()
    hooks = parse(text).get(HOOKS)
    if hooks is None:
        return ()
    lists = {(HOOKS, event): hooks.get(event) for event in host.events}
    found = {(HOOKS,): hooks} | {path: node for path, node in lists.items() if node is not None}
    return tuple(path for path, node in found.items() if not node.parts or path == (HOOKS,))


def is_empty(host: Host, text: str) -> bool:
    """Return whether settings say nothing but what every file of the host has to say."""
    if is_blank(text):
        return True
    if "//" in text or "/*" in text:
        return False
    plain = parse(text).plain()
    return isinstance(plain, dict) and not {k: v for k, v in plain.items() if host.head.get(k) != v}


def _event(
    host: Host, text: str, event: str, wanted: Wanted, path: str | None, tune: bool
) -> tuple[Edit, ...]:
    root = parse(text)
    layout = layout_of(text, root)
    ours = [entry for entry in entries(host, root) if entry.ours and entry.event == event]
    if ours:
        return tuple(edit for entry in ours for edit in _renewed(host, entry, wanted, path, tune))
    listed = list_of(root, event)
    if listed is not None:
        return added(text, listed, "", host.item(wanted), layout)
    hooks = root.get(HOOKS)
    if hooks is not None:
        return added(text, hooks, event, [host.item(wanted)], layout)
    return added(text, root, HOOKS, {event: [host.item(wanted)]}, layout)


def _renewed(host: Host, entry: Entry, wanted: Wanted, path: str | None, tune: bool) -> list[Edit]:
    """Return the edits of an entry of ours: a program that is there and safe, and limits where asked for."""
    new = host.entry(wanted)
    keys = list(host.tunable) if tune else []
    if not runs(entry.command, path) or is_unsafe(entry.command):
        keys += host.command_keys
    found = []
    for key in keys:
        node = entry.node.get(key)
        if node is not None and key in new and node.scalar != new[key]:
            found.append(Edit(node.start, node.end, json.dumps(new[key], ensure_ascii=False)))
    return found


def _without(text: str, root: Node, entry: Entry, keep: tuple[tuple[str, ...], ...]) -> tuple[Edit, ...]:
    """Return the edits that take out one entry with all that it leaves empty."""
    listed = list_of(root, entry.event)
    hooks = root.get(HOOKS)
    assert listed is not None
    assert hooks is not None
    if entry.group is not None and len(entry.group.items) > 1:
        return removed(text, entry.group, entry.place)
    if len(listed.items) > 1 or (HOOKS, entry.event) in keep:
        return removed(text, listed, entry.group_place)
    if len(hooks.members) > 1 or (HOOKS,) in keep:
        return removed(text, hooks, _index(hooks, entry.event))
    return removed(text, root, _index(root, HOOKS))


def _index(node: Node, key: str) -> int:
    """Return where in an object the key is that counts: the last one of its name."""
    return max(at for at, (name, _, _) in enumerate(node.members) if name == key)
