"""The guards there are, and the one that refuses a match."""

from __future__ import annotations

from importlib import import_module

from exitgate.facts.guards.seen import GuardWords, Seen
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    "continued": "exitgate.facts.guards.continued",
}

#: The guards an entry has when neither it nor its lexicon says otherwise.
DEFAULT = tuple(name for name in GUARDS if name != "continued")


class Guards(Value):
    """
    The guards of a lexicon, made ready.

    Args:
        words: Guard name -> groups of words and limits, as in a lexicon's `guards:`.

    A guard whose words are missing still sees the shape of the text.
    """

    __slots__ = ("_asked", "_words")

    def __init__(self, words: Mapping[str, Mapping[str, object]]) -> None:
        self._words = {name: GuardWords(words.get(name, {})) for name in GUARDS}
        self._asked: dict[str, Callable[[Seen, GuardWords], bool]] = {}

    def refusing(
        self, names: Sequence[str], text: Text, match: Match, task: Task | None = None
    ) -> str | None:
        """Return the first of `names`, in the catalogue's order, that refuses `match`, or None."""
        if not names:
            return None
        seen = Seen(text, match, task)
        for name in GUARDS:
            if name in names and self._guard(name)(seen, self._words[name]):
                return name
        return None

    def _guard(self, name: str) -> Callable[[Seen, GuardWords], bool]:
        """Return the guard's function, its module imported when it is first asked."""
        known = self._asked.get(name)
        if known is None:
            known = self._asked[name] = import_module(GUARDS[name]).holds
        return known
