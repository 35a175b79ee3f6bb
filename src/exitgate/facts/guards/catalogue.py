"""The guards there are, and the one that refuses a match."""

from __future__ import annotations

from exitgate.facts.spellings import NO_SPELLINGS, cues_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.facts.guards.seen import GuardWords, Seen
    from exitgate.facts.scan import Match, Text
    from exitgate.facts.scan_task import Task

#: Name -> module, in the order they are asked: shape of the text first, then its sentences.
GUARDS: dict[str, str] = {
    "fenced": "exitgate.facts.guards.fenced",
    "quoted": "exitgate.facts.guards.quoted",
    "template": "exitgate.facts.guards.template",
    "echoed": "exitgate.facts.guards.echoed",
    "negated": "exitgate.facts.guards.negated",
    "hypothetical": "exitgate.facts.guards.hypothetical",
    "qualified": "exitgate.facts.guards.qualified",
    "scoped": "exitgate.facts.guards.scoped",
    "continued": "exitgate.facts.guards.continued",
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

    def __init__(
        self, words: Mapping[str, Mapping[str, object]], spellings: Mapping[str, str] = NO_SPELLINGS
    ) -> None:
        self._words = words
        self._spellings = spellings
        self._asked: dict[str, tuple[Callable[[Seen, GuardWords], bool], GuardWords]] = {}

    def refusing(
        self, names: Sequence[str], text: Text, match: Match, task: Task | None = None
    ) -> str | None:
        """Return the first of `names`, in the catalogue's order, that refuses `match`, or None."""
        if not names:
            return None
        from exitgate.facts.guards.seen import Seen

        seen = Seen(text, match, task, self._asked_of("negated")[1])
        for name in GUARDS:
            if name in names:
                holds, words = self._asked_of(name)
                if holds(seen, words):
                    return name
        return None

    def _asked_of(self, name: str) -> tuple[Callable[[Seen, GuardWords], bool], GuardWords]:
        return self._asked.get(name) or self._ready(name)

    def _ready(self, name: str) -> tuple[Callable[[Seen, GuardWords], bool], GuardWords]:
        """Return the guard's function and words, made ready when it is first asked."""
        from exitgate.facts.guards.seen import GuardWords

        module = __import__(GUARDS[name], fromlist=["holds"])
        words = cues_of(self._words.get(name, {}), self._spellings)
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
