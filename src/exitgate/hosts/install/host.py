"""An agent host as its settings files go: where they are, and what an entry for our hook looks like."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from msgspec import Struct

from exitgate.core.settings.files import shown
from exitgate.core.system import portable
from exitgate.hosts.install.json_edit import BOM, Node, has_comments

#: Seconds that a host waits for the hook. A check may wait 10 s for the ledger's lock and 2 s for each
#: question to git, and the first one compiles the policy; anything that takes longer hangs, and the agent's
#: session is worth more than the decision.
TIMEOUT = 30
PROJECT, USER = "project", "user"
HOOKS = "hooks"
COMMENTS, MARK = "comments", "a byte-order mark"


class EntrySpec(Struct, frozen=True):
    """
    What an entry is to say.

    Args:
        command: The shell command of the hook.
        timeout: Seconds.
        max_blocks: How often in a row a stop is held back at most, or None for the host's default.
        least: Seconds that an entry which is there has to give the hook at least; 0 for no matter.
    """

    command: str
    timeout: int = TIMEOUT
    max_blocks: int | None = None
    least: float = 0.0


class Host(Struct, frozen=True):
    """
    A host.

    Args:
        id: As typed: ``claude-code``.
        title: Its name.
        programs: Names its program goes by on PATH.
        project: Path of the settings file below the root of a repository.
        user: Path of the user's own settings file below `user_folder`.
        home: Folder of the user's settings below the home folder.
        home_variable: Variable that names another such folder, or empty.
        beside: Further files below the root in which hooks may be; read by `doctor`, never written.
        events: Events that the hook is for.
        grouped: Whether entries are in groups, ``[{"hooks": [ENTRY]}]``, or by themselves.
        command_keys: Keys of an entry that hold its command; the first is the one written.
        head: What a file must hold beside hooks.
        entry: What is written for `EntrySpec`.
        tunable: Keys of an entry that a later `install` may change.
        firm: Whether the host ends a turn after so many blocks in a row, no matter what is set here.
        lifted_by: Variable of the host's environment that moves this limit, 0 turns it off; or empty.
        refuses: What makes the host read nothing of a file: `COMMENTS`, `MARK`.
        plugin: Key below `enabledPlugins` of our plugin, which brings the hook as well; or empty.
        climbs: Whether the host, started in a folder of the repository, reads the file at its root.
        time_key, per_second: Key of an entry that holds its time limit, and what a second is there.
        waits: Seconds that the host waits for a hook without such a key; 30 where it publishes no number.
        switch: Key of a settings file that, where it is true, turns every hook off; or empty.
        remark: What a person has to do or know after installing, or empty.
    """

    id: str
    title: str
    programs: tuple[str, ...]
    project: str
    user: str
    home: str
    events: tuple[str, ...]
    entry: Callable[[EntrySpec], dict[str, object]]
    home_variable: str = ""
    beside: tuple[str, ...] = ()
    grouped: bool = False
    command_keys: tuple[str, ...] = ("command",)
    head: Mapping[str, object] = {}
    tunable: tuple[str, ...] = ("timeout",)
    firm: bool = False
    lifted_by: str = ""
    refuses: tuple[str, ...] = ()
    plugin: str = ""
    climbs: bool = False
    time_key: str = "timeout"
    per_second: int = 1
    waits: int = TIMEOUT
    switch: str = ""
    remark: str = ""

    def waits_for(self, entry: Node) -> float:
        """Return the seconds that the host waits for a hook of its settings."""
        node = entry.get(self.time_key)
        said = node.scalar if node is not None else None
        is_number = isinstance(said, int | float) and not isinstance(said, bool) and said > 0
        return float(said) / self.per_second if is_number else float(self.waits)  # type: ignore[arg-type]

    def user_file(self, environment: Mapping[str, str]) -> str:
        """Return the path of the user's settings file, whether it exists or not."""
        folder = environment.get(self.home_variable, "") if self.home_variable else ""
        if not os.path.isabs(folder):
            home = environment.get("HOME", "")
            folder = os.path.join(home if os.path.isabs(home) else os.path.expanduser("~"), self.home)
        return os.path.join(folder, self.user)

    def file(self, scope: str, root: str, environment: Mapping[str, str]) -> str:
        """Return the path of the settings file of a scope: `PROJECT`, below `root`, or `USER`."""
        return os.path.join(root, self.project) if scope == PROJECT else self.user_file(environment)

    def shown(self, scope: str, root: str, environment: Mapping[str, str]) -> str:
        """Return the path of a settings file as a person writes it: the user's own from the home folder."""
        path = self.file(scope, root, environment)
        home = environment.get("HOME", "")
        if scope == USER and os.path.isabs(home) and path.startswith(home.rstrip("/") + "/"):
            return "~" + path[len(home.rstrip("/")) :]
        return shown(path, root)

    def refused(self, text: str) -> str:
        """Return what of a text of JSON makes the host read nothing of it, in words; empty for nothing."""
        there = {COMMENTS: has_comments(text), MARK: text.startswith(BOM)}
        return " and ".join(word for word in self.refuses if there[word])

    def only_in(self, folder: str, root: str) -> str:
        """
        Return where alone the host must be started to read the project's file, as a person in `folder`
        writes it; empty where it is read in `folder` as well.
        """
        if self.climbs or os.path.realpath(folder) == os.path.realpath(root):
            return ""
        return portable.relative(root, folder)

    def is_switched_off(self, root: Node) -> bool:
        """Return whether a settings file turns every hook off."""
        found = root.get(self.switch) if self.switch else None
        return found is not None and found.scalar is True

    def item(self, wanted: EntrySpec) -> dict[str, object]:
        """Return what is in the list of an event."""
        entry = self.entry(wanted)
        return {HOOKS: [entry]} if self.grouped else entry

    def document(self, wanted: EntrySpec) -> dict[str, object]:
        """Return a whole settings file that holds our hook alone."""
        item = self.item(wanted)
        return {**self.head, HOOKS: {event: [item] for event in self.events}}
