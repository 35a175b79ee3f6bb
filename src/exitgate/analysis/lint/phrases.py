"""The phrases and patterns that a lexicon, or a policy by itself, looks for in what the agent says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import LEXICON
from exitgate.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.policy.part import Part

#: Keys of entries that are not looked for as claims of the agent: they name units, months, runners, noise.
MECHANISMS = frozenset(
    ("drop", "half_day", "month", "noise", "retry", "runner", "seconds", "structured", "template")
) | {"utc_offset"}
GAP = "..."


class Phrase(Value):
    """
    A phrase as it is written.

    Args:
        part: Its text.
        entry: The entry it belongs to, or the phrase itself where a policy lists it.
        words: For each word the ways to write it, lower case; `GAP` alone for words in between.
        siblings: The sequence it is an item of, or None.
    """

    __slots__ = ("entry", "part", "siblings", "words")

    def __init__(
        self, part: Part, entry: Part, words: tuple[frozenset[str], ...], siblings: Part | None = None
    ) -> None:
        self.part = part
        self.entry = entry
        self.words = words
        self.siblings = siblings


def entries(subject: Subject) -> Iterator[Part]:
    """Yield the entries of a lexicon that look for something the agent says."""
    for entry in subject.items("entries") if subject.kind == LEXICON else ():
        if not MECHANISMS & entry.fields.keys():
            yield entry


def phrases(subject: Subject) -> Iterator[Phrase]:
    """Yield the phrases of a lexicon's entries, or those listed in the facts of a policy."""
    for entry in entries(subject):
        if "phrase" in entry.fields:
            yield _phrase(entry.fields["phrase"], entry)
        words = entry.get("words")
        for item in words.items if words is not None else ():
            yield _phrase(item, entry, words)
    for fact in subject.section("facts").values() if subject.kind != LEXICON else ():
        listed = fact.get("phrases")
        for item in listed.items if listed is not None else ():
            if item.fields and "phrase" in item.fields:
                yield _phrase(item.fields["phrase"], item)
            elif isinstance(item.value, str):
                yield _phrase(item, item, listed)


def patterns(subject: Subject) -> Iterator[tuple[Part, Part]]:
    """Yield each pattern of a lexicon's entries with its entry."""
    for entry in subject.items("entries") if subject.kind == LEXICON else ():
        if "pattern" in entry.fields:
            yield entry.fields["pattern"], entry


def _phrase(part: Part, entry: Part, siblings: Part | None = None) -> Phrase:
    words = tuple(frozenset(word.casefold().split("|")) for word in part.text.split())
    return Phrase(part, entry, words, siblings)
