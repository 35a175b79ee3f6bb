"""The guards there are, and the one that refuses a match."""

from __future__ import annotations

from exitgate.core.facts.text import words as words_module
from exitgate.core.facts.text.sentences import COMMA, Surroundings, surroundings
from exitgate.core.facts.text.words import NO_SPELLINGS, cues_of
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.facts.text.text import Match, Text


#: Name -> module, in the order they are asked: shape of the text first, then its sentences.
GUARDS: dict[str, str] = {
    "fenced": "exitgate.core.facts.guards.fenced",
    "quoted": "exitgate.core.facts.guards.quoted",
    "template": "exitgate.core.facts.guards.template",
    "echoed": "exitgate.core.facts.guards.echoed",
    "negated": "exitgate.core.facts.guards.negated",
    "hypothetical": "exitgate.core.facts.guards.hypothetical",
    "qualified": "exitgate.core.facts.guards.qualified",
    "scoped": "exitgate.core.facts.guards.scoped",
    "continued": "exitgate.core.facts.guards.continued",
}

#: The guards an entry has when neither it nor its lexicon names others.
DEFAULT = tuple(name for name in GUARDS if name not in ("scoped", "continued"))

#: The option `guards` of extractors of phrases, as JSON Schema.
OPTIONS: dict[str, dict[str, object]] = {
    "guards": {
        "description": "Guards of phrases that name none; with an empty list every match "
        "counts. By default all but `scoped` and `continued`.",
        "type": "array",
        "items": {"enum": list(GUARDS)},
        "examples": [["negated", "quoted", "fenced"]],
    },
    "language": {
        "description": "Language of the text, or several, if the lexicon has entries in more than "
        "one. `auto`: detected from the text.",
        "anyOf": [
            {"type": "string", "pattern": "^[a-z]{2,8}$"},
            {"type": "array", "items": {"type": "string", "pattern": "^[a-z]{2,8}$"}, "minItems": 1},
        ],
        "default": "auto",
        "examples": ["de", ["ja", "en"]],
    },
}


class Guards(Value):
    """
    The guards of a lexicon, made ready.

    Args:
        words: Guard name -> groups of words and limits, as in a lexicon's `guards:`.
        spellings: Letter -> other way to write it; words hold in both.

    A guard whose words are missing still sees the shape of the text.
    """

    __slots__ = ("_asked", "_spellings", "_words")

    def __init__(self, words: Mapping[str, JsonObject], spellings: Mapping[str, str] = NO_SPELLINGS) -> None:
        self._words = words
        self._spellings = spellings
        self._asked: dict[str, tuple[Callable[[MatchContext, GuardWords], bool], GuardWords]] = {}

    def refusing(
        self, names: Sequence[str], text: Text, match: Match, task: Task | None = None
    ) -> str | None:
        """Return the first of `names`, in the catalogue's order, that refuses `match`, or None."""
        if not names:
            return None

        seen = MatchContext(text, match, task, self._guard_of("negated")[1])
        for name in GUARDS:
            if name in names:
                holds, words = self._guard_of(name)
                if holds(seen, words):
                    return name
        return None

    def _guard_of(self, name: str) -> tuple[Callable[[MatchContext, GuardWords], bool], GuardWords]:
        return self._asked.get(name) or self._ready(name)

    def _ready(self, name: str) -> tuple[Callable[[MatchContext, GuardWords], bool], GuardWords]:
        """Return the guard's function and words, made ready when it is first asked."""

        module = __import__(GUARDS[name], fromlist=["holds"])
        words = cues_of(self._words.get(name, JsonObject()), self._spellings)
        ready = self._asked[name] = module.holds, GuardWords(words)
        return ready


class Joined(Guards):
    """
    Two sets of guards, both asked: a claim in one language may be denied in another around it.

    Args:
        first: The guards asked first.
        second: The guards asked where those refuse nothing.
    """

    __slots__ = ("_first", "_second")

    def __init__(self, first: Guards, second: Guards) -> None:
        super().__init__({})
        self._first = first
        self._second = second

    def refusing(
        self, names: Sequence[str], text: Text, match: Match, task: Task | None = None
    ) -> str | None:
        """Return the guard of the first set that refuses `match`, else that of the second, or None."""
        guard = self._first.refusing(names, text, match, task)
        return guard if guard is not None else self._second.refusing(names, text, match, task)


# What a guard is asked about.

#: Most words between what joins two clauses and a match in the second.
LEAD = 4


class GuardWords(Value):
    """The words of one guard: named groups of cues, and named limits in words."""

    __slots__ = ("_plain", "_ready")

    def __init__(self, plain: JsonObject) -> None:
        self._plain = plain
        self._ready: dict[str, Cues] = {}

    def cues(self, group: str) -> Cues:
        """Return the cues of a group; none when the lexicon does not name it."""
        ready = self._ready.get(group)
        if ready is None:
            written = self._plain.array(group)
            ready = self._ready[group] = Cues([str(cue) for cue in written]) if written else NO_CUES
        return ready

    def limit(self, name: str, otherwise: int) -> int:
        """Return a limit of the lexicon, or `otherwise`."""
        return self._plain.whole(name, otherwise)


class MatchContext:
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


# Words and short word sequences that a guard looks for in a row of words.

#: Leads a cue that stands for every word with that end: ``*n't``.
ANY_START = "*"


class Cues(Value):
    """
    Cues made ready.

    Args:
        written: Each a word, several words in a row, or ``*`` and the end of a word.
    """

    __slots__ = ("_ends", "_firsts", "_longer", "_single", "written")

    def __init__(self, written: Sequence[str]) -> None:
        self.written = tuple(written)
        folded = [words_module.fold(cue).split() for cue in written]
        self._ends = tuple(c[0][1:] for c in folded if len(c) == 1 and c[0].startswith(ANY_START))
        self._single = frozenset(c[0] for c in folded if len(c) == 1)
        longer: dict[str, list[list[str]]] = {}
        for cue in folded:
            if len(cue) > 1:
                longer.setdefault(cue[0], []).append(cue)
        self._longer = {first: sorted(cues, key=len, reverse=True) for first, cues in longer.items()}
        self._firsts = self._single | longer.keys()

    def at(self, row: Sequence[str], index: int) -> int:
        """Return how many words of `row` the longest cue that starts at `index` takes, or 0."""
        word = row[index]
        for cue in self._longer.get(word, ()):
            if list(row[index : index + len(cue)]) == cue:
                return len(cue)
        return 1 if word in self._single or (self._ends and word.endswith(self._ends)) else 0

    def within(self, row: Sequence[str]) -> bool:
        """Return whether a cue is anywhere in `row`."""
        if not self._ends and self._firsts.isdisjoint(row):
            return False
        return any(self.at(row, index) for index in range(len(row)))


NO_CUES = Cues(())
