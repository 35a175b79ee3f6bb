"""The text of a host's settings with our hook, and without it. Pure."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
from collections.abc import Iterator

from msgspec import Struct

from exitgate.analysis.edits import Edit
from exitgate.core.system.python import interpreter, is_program, is_safe, program
from exitgate.hosts.install.host import HOOKS, EntrySpec, Host
from exitgate.hosts.install.json_edit import (
    ARRAY,
    OBJECT,
    Node,
    added,
    is_blank,
    layout_of,
    new_text,
    parse,
    removed,
)
from exitgate.hosts.install.receipts import Change


def installed(
    host: Host, text: str | None, wanted: EntrySpec, path: str | None, tune: bool = False
) -> Change:
    """
    Return the change that puts our hook into the settings; none where it is there for every event.

    Args:
        host: Whose settings they are.
        text: What the file holds, None where there is none.
        wanted: What our entries say.
        path: Folders that programs are looked for in: an entry whose program is gone gets the new command.
        tune: Whether entries of ours that are there get the limits of `wanted`. Without that they get its
            time limit alone, where theirs is less than it has to be.

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
    host: Host, text: str, event: str, wanted: EntrySpec, path: str | None, tune: bool
) -> tuple[Edit, ...]:
    root = parse(text)
    layout = layout_of(text, root)
    ours = [entry for entry in entries(host, root) if entry.ours and entry.event == event]
    if ours:
        found = [edit for entry in ours for edit in _renewed(host, entry, wanted, path, tune)]
        for entry in ours:
            if entry.node.get(host.time_key) is None and host.waits < wanted.least:
                limit = host.entry(wanted)[host.time_key]
                found += added(text, entry.node, host.time_key, limit, layout)
        return tuple(sorted(found, key=lambda edit: edit.start))
    listed = list_of(root, event)
    if listed is not None:
        return added(text, listed, "", host.item(wanted), layout)
    hooks = root.get(HOOKS)
    if hooks is not None:
        return added(text, hooks, event, [host.item(wanted)], layout)
    return added(text, root, HOOKS, {event: [host.item(wanted)]}, layout)


def _renewed(host: Host, entry: Entry, wanted: EntrySpec, path: str | None, tune: bool) -> list[Edit]:
    """Return the edits of an entry of ours: a program that is there and safe, and limits where asked for."""
    new = host.entry(wanted)
    keys = list(host.tunable) if tune else []
    if not tune and host.waits_for(entry.node) < wanted.least:
        keys.append(host.time_key)
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


# What is in a settings file of a host: entries of ours, and those of others for the same events.


class WrongKindError(Exception):
    """A value of settings is of another kind than the host reads: `path`, what is wanted, its place."""

    def __init__(self, path: tuple[str, ...], wanted: str, node: Node) -> None:
        self.path = path
        self.wanted = wanted
        self.node = node
        super().__init__(f"{'.'.join(path)} is not an {wanted}")


class Entry(Struct, frozen=True):
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

    event: str
    command: str
    ours: bool
    node: Node
    group: Node | None
    place: int
    group_place: int


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


# Shell commands of hooks: which are ours, how ours is written, whether one can run.

PROGRAM, HOOK = "exitgate", "hook"


def is_ours(command: str, host: str) -> bool:
    """Return whether a shell command runs `exitgate hook HOST`, no matter what is before or behind."""
    words = _words(command)
    at = _program_at(words)
    if at is None:
        return False
    behind = words[at + 1 :]
    if is_program(behind):
        behind = behind[behind.index("-m") + 2 :]
    return behind[:2] == [HOOK, host]


def runs(command: str, path: str | None) -> bool:
    """
    Return whether the program of a hook's command of ours can be found.

    Args:
        command: The shell command.
        path: Folders that are looked in, as in PATH.
    """
    words = _words(command)
    at = _program_at(words)
    return at is not None and shutil.which(words[at], path=path) is not None


def is_unsafe(command: str) -> bool:
    """Return whether a hook's command of ours starts a Python that imports from the folder it is in."""
    words = _words(command)
    at = _program_at(words)
    return at is not None and is_program(words[at + 1 :]) and not is_safe(words)


def command_for(host: str, path: str | None) -> str:
    """
    Return the shell command of the hook: by name where `exitgate` is on `path`, else by the path of this one.

    A name is the better choice for settings that a team shares.
    """
    if shutil.which(PROGRAM, path=path) is not None:
        return f"{PROGRAM} {HOOK} {host}"
    beside = os.path.join(os.path.dirname(interpreter()), PROGRAM)
    if os.access(beside, os.X_OK):
        return f"{shlex.quote(beside)} {HOOK} {host}"
    return shlex.join(program(HOOK, host))


def is_by_name(command: str) -> bool:
    """Return whether the command names its program without a path."""
    return command.startswith(f"{PROGRAM} ")


def _words(command: str) -> list[str]:
    """Return the words of a command; where it is one for a shell, ``sh -c '…'``, those of the inner one."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []  # a quote is open: no command of ours
    for flag, inner in itertools.pairwise(words[1:]):
        if flag.startswith("-") and flag.endswith("c") and " " in inner:
            return _words(inner)
    return words


def _program_at(words: list[str]) -> int | None:
    """Return where the program is that may be ours, behind settings of variables."""
    for at, word in enumerate(words):
        if os.path.basename(word) == PROGRAM or is_program(words[at + 1 :]):
            return at
        if "=" not in word:
            return None
    return None
