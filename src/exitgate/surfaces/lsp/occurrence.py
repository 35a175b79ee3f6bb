"""A name that is somewhere in a text."""

from __future__ import annotations

from exitgate.model.value import Value

PARAMETER, ENTRY, FACT, CONDITION, RULE = "parameter", "entry", "fact", "condition", "rule"
LIST, PROFILE, POLICY, LEXICON = "list", "profile", "policy", "lexicon"
EXTRACTOR, FUNCTION, SOURCE = "extractor", "function", "source"


class Occurrence(Value):
    """
    One name with its place.

    Args:
        kind: One of the kinds above. An `ENTRY` is a name under `facts:`, a `FACT` one that a
            condition uses: the entry's name, and for most extractors a part of their own behind it.
        name: Without ``$`` or ``@``.
        start, end: Offsets of the name in the text, without ``$``, ``@`` and quotes.
        declares: Whether it is here for the first time in this file: as a key, or as an `id:`.
    """

    __slots__ = ("declares", "end", "kind", "name", "start")

    def __init__(self, kind: str, name: str, start: int, end: int, declares: bool = False) -> None:
        self.kind = kind
        self.name = name
        self.start = start
        self.end = end
        self.declares = declares
