"""Which entries of a lexicon a sentence counts for, as the extractor `phrases` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.phrases import entries
from exitgate.facts.extractors import phrases as extractor
from exitgate.model.iteration import Iteration, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.lint.subject import Subject
    from exitgate.policy.part import Part

#: Keys of entries that other extractors than `phrases` look for.
OTHERS = frozenset(("kind", "markers", "counts", "says", "reports"))


def judged(subject: Subject) -> dict[str, Part]:
    """Return the entries of a lexicon that count or do not in a sentence, by id; none without its guards."""
    if subject.lexicon is None:
        return {}
    found = (entry for entry in entries(subject) if not OTHERS & entry.fields.keys())
    return {
        entry.fields["id"].text: entry
        for entry in found
        if "weight" not in entry.fields or entry.fields["weight"].value != 0
    }


def options(subject: Subject, ids: Mapping[str, Part]) -> dict[str, object]:
    """Return the extractor's options for the entries `ids` of the lexicon alone."""
    assert subject.lexicon is not None
    found = subject.lexicon["entries"]
    assert isinstance(found, list)
    only = [entry for entry in found if entry.get("id") in ids]
    return {"lexicon": {**subject.lexicon, "entries": only}, "overlap": "all"}


def counting(options: dict[str, object], text: str) -> tuple[str, ...]:
    """Return the ids of the entries that a text counts for, in its order."""
    response = Source(extractor.SOURCE, text)
    iteration = Iteration(1, "lint#1", 0.0, {extractor.SOURCE: response})
    found = extractor.extract("x", extractor.SOURCE, options, iteration)
    count = next(fact for fact in found if fact.name == "x.count")
    return tuple(evidence.note.partition(",")[0] for evidence in count.evidence)
