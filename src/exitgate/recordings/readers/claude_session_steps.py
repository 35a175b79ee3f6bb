"""
Session files of Claude Code in steps: one message of the agent's with what its calls gave back.

The same files as `claude_session` reads, for runs that are one long turn; asked for by `--reader` only.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.recordings.location import Location
from exitgate.recordings.model import STEP, Part
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers import claude_session

ID = "claude-session-steps"
TITLE = "Claude Code, session files: one message of the agent and its calls"
GIVES = claude_session.GIVES


def fits(look: Probe) -> bool:  # noqa: ARG001 - the signature of every reader
    """Return False: the same files are read in turns, unless somebody asks for steps."""
    return False


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the run in steps. Raises OSError."""
    yield from claude_session.parts(place, wants, STEP)
