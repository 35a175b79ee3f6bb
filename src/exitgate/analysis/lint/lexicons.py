"""The phrases and patterns that a lexicon, or a policy by itself, looks for in what the agent says."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.lint.finding import LEXICON
from exitgate.core.facts.extractors import phrases as extractor
from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.facts.lexicons.resolved import with_entries
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


#: Keys of entries that are not looked for as claims of the agent: they name units, months, runners, noise.
MECHANISMS = frozenset(
    ("drop", "half_day", "month", "noise", "retry", "runner", "seconds", "structured", "template")
) | {"utc_offset"}
GAP = "..."


class Phrase(Struct, frozen=True):
    """
    A phrase as it is written.

    Args:
        part: Its text.
        entry: The entry it belongs to, or the phrase itself where a policy lists it.
        words: For each word the ways to write it, lower case; `GAP` alone for words in between.
        siblings: The sequence it is an item of, or None.
    """

    part: YamlNode
    entry: YamlNode
    words: tuple[frozenset[str], ...]
    siblings: YamlNode | None = None


def entries(subject: Subject) -> Iterator[YamlNode]:
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
            elif item.is_text:
                yield _phrase(item, item, listed)


def patterns(subject: Subject) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield each pattern of a lexicon's entries with its entry."""
    for entry in subject.items("entries") if subject.kind == LEXICON else ():
        if "pattern" in entry.fields:
            yield entry.fields["pattern"], entry


def _phrase(part: YamlNode, entry: YamlNode, siblings: YamlNode | None = None) -> Phrase:
    words = tuple(frozenset(word.casefold().split("|")) for word in part.text.split())
    return Phrase(part, entry, words, siblings)


# Which entries of a lexicon a sentence counts for, as the extractor `phrases` finds them.

#: Keys of entries that other extractors than `phrases` look for.
OTHERS = frozenset(("kind", "markers", "counts", "says", "reports"))


def judged(subject: Subject) -> dict[str, YamlNode]:
    """Return the entries of a lexicon that count or do not in a sentence, by id; none without its guards."""
    if subject.lexicon is None:
        return {}
    found = (entry for entry in entries(subject) if not OTHERS & entry.fields.keys())
    return {
        entry.fields["id"].text: entry
        for entry in found
        if "weight" not in entry.fields or entry.fields["weight"].value != 0
    }


def options(subject: Subject, ids: Mapping[str, YamlNode]) -> JsonObject:
    """Return the extractor's options for the entries `ids` of the lexicon alone."""
    assert subject.lexicon is not None
    only = [entry for entry in entries_of(subject.lexicon) if entry.get("id") in ids]
    return JsonObject(lexicon=with_entries(subject.lexicon, only), overlap="all")


def counting(options: JsonObject, text: str) -> tuple[str, ...]:
    """Return the ids of the entries that a text counts for, in its order."""
    response = Source(extractor.SOURCE, text)
    iteration = Iteration(1, "lint#1", 0.0, {extractor.SOURCE: response})
    found = extractor.extract("x", extractor.SOURCE, options, iteration)
    count = next(fact for fact in found if fact.name == "x.count")
    return tuple(evidence.note.partition(",")[0] for evidence in count.evidence)
