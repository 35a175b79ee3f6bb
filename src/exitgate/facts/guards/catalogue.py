"""The guards there are, and the one that refuses a match."""

from __future__ import annotations

from importlib import import_module

from exitgate.facts.guards.seen import GuardWords, Seen
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    __slots__ = ("_words",)

    def __init__(self, words: Mapping[str, Mapping[str, object]]) -> None:
        self._words = {name: GuardWords(words.get(name, {})) for name in GUARDS}

    def refusing(
        self, names: Sequence[str], text: Text, match: Match, task: Task | None = None
    ) -> str | None:
        """Return the first of `names`, in the catalogue's order, that refuses `match`, or None."""
        if not names:
            return None
        seen = Seen(text, match, task)
        for name, module in GUARDS.items():
            if name in names and import_module(module).holds(seen, self._words[name]):
                return name
        return None
