"""
Where coding agents keep their sessions on this machine, a line for each agent, and what is there.

Only folders that the patterns name are looked into; a link in them is passed over, and nothing is opened to
list sessions. Where a session was held is read from its beginning, by `is_of` alone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

import msgspec
from msgspec import Struct

from exitgate.core.envelopes.members import as_object, object_at, text_at
from exitgate.core.system import safe_files
from exitgate.core.system.folders import home_of

#: Names that are looked at for one agent, and bytes of a session that may say where it was held.
MOST, HEAD = 100_000, 65_536
#: A file of Gemini CLI that holds the path of a project, and the bytes of it that are read.
_MARKER, _PATH = ".project_root", 4096


class AgentHome(Struct, frozen=True):
    """
    An agent and its sessions.

    Args:
        id: Its name in lists.
        title: Its name for people.
        variable: Of the environment, takes the place of `home` where it is set; a `base` too.
        base: Beneath the variable's folder where that does not take the place of `home` itself.
        home: Beneath the user's home folder.
        patterns: Of sessions, from there; each part is a name or a glob of names.
        folder: Whether the patterns lead to a folder that holds all sessions as one transcript.
    """

    id: str
    title: str
    variable: str
    home: str
    patterns: tuple[str, ...]
    base: str = ""
    folder: bool = False


# Claude Code, Codex, Copilot, pi and opencode were compared with what is published about their folders and
# variables; GEMINI_CLI_HOME was not. Newer versions of opencode keep sessions in a database, as Cursor does:
# no reader takes those, so they are not listed.
AGENTS = (
    AgentHome("claude-code", "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",)),
    AgentHome("codex", "Codex CLI", "CODEX_HOME", ".codex", ("sessions/*/*/*/rollout-*.jsonl",)),
    AgentHome(
        "gemini", "Gemini CLI", "GEMINI_CLI_HOME", ".gemini",
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"), base=".gemini",
    ),
    AgentHome("copilot", "Copilot CLI", "COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl",)),
    AgentHome(
        "opencode", "opencode", "XDG_DATA_HOME", ".local/share/opencode", ("storage/session/*/*.json",),
        base="opencode", folder=True,
    ),
    AgentHome("pi", "pi", "PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),
)  # fmt: skip


class Session(Struct, frozen=True):
    """A session: its file, and when that was last written, seconds since the epoch."""

    path: str
    changed: float


class Sessions(Struct, frozen=True):
    """
    The sessions of one agent.

    Args:
        agent: Whose.
        folder: Where they are looked for.
        found: The newest first.
        trouble: Why not all of them are here, or the empty text.
    """

    agent: AgentHome
    folder: str
    found: tuple[Session, ...]
    trouble: str = ""


def sessions_here(environment: Mapping[str, str]) -> list[Sessions]:
    """Return the sessions of each agent that has a folder on this machine; nothing is opened."""
    return [found for agent in AGENTS if (found := _sessions(agent, environment)) is not None]


def _sessions(agent: AgentHome, environment: Mapping[str, str]) -> Sessions | None:
    named = environment.get(agent.variable, "")
    usual = os.path.join(home_of(environment), *agent.home.split("/"))
    top = os.path.join(named, agent.base) if os.path.isabs(named) else usual
    if not os.path.isdir(top):
        return None
    walk = _Walk()
    found = {path: one for pattern in agent.patterns for path, one in walk.matching(top, pattern.split("/"))}
    newest = tuple(sorted(found.values(), key=lambda one: (-one.changed, one.path)))
    return Sessions(agent, os.path.normpath(top), newest, walk.trouble)


class _Walk:
    """Names below one folder, as many as `MOST`."""

    def __init__(self) -> None:
        self.trouble = ""
        self._left = MOST

    def matching(self, folder: str, parts: list[str]) -> Iterator[tuple[str, Session]]:
        """Yield what fits the parts of a pattern below a folder; links are passed over."""
        name, *rest = parts
        for entry in self._entries(folder):
            if not fnmatchcase(entry.name, name):
                continue
            try:
                if rest and entry.is_dir(follow_symlinks=False):
                    yield from self.matching(entry.path, rest)
                elif not rest and entry.is_file(follow_symlinks=False):
                    yield entry.path, Session(entry.path, entry.stat(follow_symlinks=False).st_mtime)
            except OSError as error:  # it went away, or may not be looked at
                self.trouble = f"`{entry.path}`: {safe_files.trouble(error)}"

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = []
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        self.trouble = f"there are more than {MOST} names; the rest is not listed"
                        break
                    found.append(entry)
        except OSError as error:
            self.trouble = f"`{folder}`: {safe_files.trouble(error)}"
            return []
        return sorted(found, key=lambda one: one.name)


def is_of(session: Session, project: str) -> bool | None:
    """Return whether a session was held in a folder, None where it does not say."""
    where = os.path.realpath(project)
    outer = os.path.dirname(os.path.dirname(session.path))
    if os.path.basename(outer) == hashlib.sha256(where.encode("utf-8", "surrogateescape")).hexdigest():
        return True
    try:
        raw = safe_files.beginning(session.path, HEAD)
    except OSError:
        return None
    told = next(filter(None, map(_told, (*raw.splitlines(), raw))), None) or _marked(outer)
    return None if told is None else os.path.realpath(told) == where


def _told(raw: bytes) -> str | None:
    """Return the folder that a JSON text names where agents write it."""
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    top = as_object(found)
    data = object_at(top, "data")
    for one in (top, object_at(top, "payload"), data, object_at(data, "context")):
        text = text_at(one, "cwd", "directory")
        if text is not None and os.path.isabs(text):
            return text
    return None


def _marked(folder: str) -> str | None:
    try:
        text = safe_files.beginning(os.path.join(folder, _MARKER), _PATH).decode("utf-8", "replace").strip()
    except OSError:
        return None
    return text if os.path.isabs(text) else None
