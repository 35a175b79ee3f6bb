"""What a guard is asked about."""

from __future__ import annotations

from exitgate.facts.guards.cues import NO_CUES, Cues
from exitgate.facts.scan_sentences import Surroundings, surroundings
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.scan import Match, Text
    from exitgate.facts.scan_task import Task


class GuardWords(Value):
    """The words of one guard: named groups of cues, and named limits in words."""

    __slots__ = ("_limits", "_plain", "_ready")

    def __init__(self, plain: Mapping[str, object]) -> None:
        self._plain = plain
        self._ready: dict[str, Cues] = {}
        self._limits = {k: v for k, v in plain.items() if isinstance(v, int)}

    def cues(self, group: str) -> Cues:
        """Return the cues of a group; none when the lexicon does not name it."""
        ready = self._ready.get(group)
        if ready is None:
            written = self._plain.get(group)
            ready = Cues([str(cue) for cue in written]) if isinstance(written, list | tuple) else NO_CUES
            self._ready[group] = ready
        return ready

    def limit(self, name: str, otherwise: int) -> int:
        """Return a limit of the lexicon, or `otherwise`."""
        return self._limits.get(name, otherwise)


class Seen:
    """
    A match with what a guard needs to judge it. `around` is made when the first guard asks.

    Args:
        text: The text the match is in.
        match: The match.
        task: The task's text, indexed, or None when none was given.
    """

    __slots__ = ("_around", "match", "task", "text")

    def __init__(self, text: Text, match: Match, task: Task | None) -> None:
        self.text = text
        self.match = match
        self.task = task
        self._around: Surroundings | None = None

    @property
    def around(self) -> Surroundings:
        """The sentence around the match."""
        if self._around is None:
            self._around = surroundings(self.text, self.match)
        return self._around
