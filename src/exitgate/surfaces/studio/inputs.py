"""What the studio reads: paths that were named; else what is in the project, and sessions of agents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from exitgate.core.model.display import counted
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.system.folders import is_within
from exitgate.recordings.agent_homes import AgentHome, Session, is_of, sessions_here

#: Sessions of an agent that are asked where they were held: the newest.
MOST = 5000
#: In the state directory, what loops of `exitgate run` said.
_RUNS = "runs"


class Inputs:
    """
    Paths that can be looked for again: sessions begin while the studio runs.

    Args:
        named: Paths of the command line; none for what is in the project.
        project: Its folder.
        sessions: Whether the sessions of agents may be opened.
        environment: Variable -> text.
    """

    def __init__(
        self, named: Sequence[str], project: str, sessions: bool, environment: Mapping[str, str]
    ) -> None:
        self._named = tuple(named)
        self._project = project
        self._sessions = sessions
        self._environment = environment
        #: Session -> whether it was held here, None where it does not say.
        self._known: dict[str, bool | None] = {}
        self.notes: tuple[str, ...] = ()

    def paths(self) -> tuple[str, ...]:
        """Return what can be read now. `notes` says what is to be said of it."""
        own = self._named or self._own()
        if not self._sessions:
            return own
        found: list[str] = []
        notes = []
        for one in sessions_here(self._environment):
            kept = [session for session in one.found[:MOST] if self._is_here(session) is not False]
            unclear = sum(self._known[session.path] is None for session in kept)
            found += whole_of(one.agent, one.folder, kept)
            title = one.agent.title
            if unclear:
                notes.append(f"{title}: {counted(unclear, 'session')} without the folder of the work")
            if len(one.found) > MOST:
                notes.append(f"{title}: only the newest {MOST} of {len(one.found)} sessions are read")
            if one.trouble:
                notes.append(f"{title}: {one.trouble}")
        self.notes = tuple(notes)
        return (*own, *found)

    def _is_here(self, session: Session) -> bool | None:
        known = self._known.get(session.path)
        if known is None:
            # One that does not say may say so later: its first line may be under way.
            known = self._known[session.path] = is_of(session, self._project)
        return known

    def _own(self) -> tuple[str, ...]:
        """Return the project's folder; only its state where sessions of agents are in the folder."""
        within = (os.path.realpath(self._project),)
        if any(is_within(one.folder, within) for one in sessions_here(self._environment)):
            state = os.path.join(self._project, STATE_DIR)
            return tuple(one for one in (state, os.path.join(state, _RUNS)) if os.path.isdir(one))
        return (self._project,)


def whole_of(agent: AgentHome, folder: str, kept: Sequence[Session]) -> list[str]:
    """Return the transcripts that sessions are in: each one, or the folder that is one for all of them."""
    if agent.folder and kept:
        return [os.path.join(folder, agent.patterns[0].partition("/")[0])]
    return [one.path for one in kept]
