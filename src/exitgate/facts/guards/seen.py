"""What a guard is asked about."""

from __future__ import annotations

from exitgate.facts.guards.cues import NO_CUES, Cues
from exitgate.facts.scan_sentences import COMMA, Surroundings, surroundings
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.scan import Match, Text
    from exitgate.facts.scan_task import Task


#: Most words between what joins two clauses and a match in the second.
LEAD = 4


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
    A match with what a guard needs to judge it. `around` and `own` are made when the first guard asks.

    Args:
        text: The text the match is in.
        match: The match.
        task: The task's text, indexed, or None when none was given.
        clauses: The words of `negated`, which tell where clauses begin.
    """

    __slots__ = ("_around", "_clauses", "_own", "match", "task", "text")

    def __init__(self, text: Text, match: Match, task: Task | None, clauses: GuardWords) -> None:
        self.text = text
        self.match = match
        self.task = task
        self._clauses = clauses
        self._around: Surroundings | None = None
        self._own = -1

    @property
    def around(self) -> Surroundings:
        """The sentence around the match."""
        if self._around is None:
            self._around = surroundings(self.text, self.match)
        return self._around

    @property
    def own(self) -> int:
        """
        How many of the words before the match, nearest first, its own clause has.

        A clause begins behind one of `joins` or `breaks` (``the cache is not warm and | there is nothing
        left``) where one of `subjects` is, or where the match has several words and begins with none of
        `predicates` (``not built and completed all tasks`` is one clause).
        """
        if self._own < 0:
            self._own = self._clause()
        return self._own

    def _clause(self) -> int:
        joins, breaks = self._clauses.cues("joins"), self._clauses.cues("breaks")
        before = self.around.before
        for at, token in enumerate(before[: LEAD + 1]):
            if token.level >= COMMA:
                break
            if (joins.at([token.word], 0) or breaks.at([token.word], 0)) and self._begins(at):
                return at
        return len(before)

    def _begins(self, at: int) -> bool:
        """Return whether a clause begins with the `at` last words before the match."""
        if at:
            first = self.around.before[at - 1].word
        else:
            start, end = self.match.parts[0]
            first = self.text.folded[start:end]
        if self._clauses.cues("subjects").at([first], 0):
            return True
        return at <= 1 and len(self.match.parts) > 1 and not self._clauses.cues("predicates").at([first], 0)
