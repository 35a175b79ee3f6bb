"""`questions`: whether the agent asks a person instead of acting."""

from __future__ import annotations

from exitgate.core.facts.extractors import phrases
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.text import sentences, structure
from exitgate.core.facts.text.text import ready as prepared
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.lexicons.search import Hit
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "questions"
SOURCE = "response"
#: Words of prose that may follow a question that still waits for its answer.
BEHIND = 120
OPTIONS: dict[str, object] = {
    "phrases": phrases.OPTIONS["phrases"],
    "lexicon": {
        "description": "Name or path of a lexicon of questions and requests.",
        "type": "string",
        "examples": ["questions-en"],
    },
    "language": phrases.OPTIONS["language"],
    "guards": phrases.OPTIONS["guards"],
    "behind": {
        "description": "How many words of prose may follow a question for it to be still open; lists, "
        "tables, code and fields are not prose.",
        "type": "integer",
        "minimum": 0,
        "maximum": 10_000,
        "default": BEHIND,
        "examples": [40],
    },
}

_SPECS = (
    FactSpec("asked", BOOL, "Whether a question to a person is still open at the end."),
    FactSpec("count", COUNT, "How many sentences ask a person for an answer, a choice or a go-ahead.", low=0),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; both are known on a readable source."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each phrase that holds no word."""
    from exitgate.core.facts.lexicons import wordless

    return wordless.faults(options)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts on questions in `source`; both unknown when it is missing."""
    found = iteration.source(source)
    names = [f"{prefix}.{spec.name}" for spec in _SPECS]
    if found.text is None:
        return tuple(Fact(name, Unknown(found.reason, name)) for name in names)
    text = prepared(found.text)
    hits = search.search(text, phrases.lexicon_of(options), search.task_of(iteration))
    hits = tuple(_untitled(text, hit) for hit in hits)
    counting, refused, note = search.shown(source, text, hits)
    asking = [hit for hit in hits if hit.guard is None]
    behind = options.whole("behind", BEHIND)
    asked = bool(asking) and sentences.is_open(text, asking[-1].match.end, behind)
    how = "" if asked or not asking else "the text continues after the last question"
    return (
        Fact(names[0], asked, counting if asked else (), refused, "; ".join(n for n in (how, note) if n)),
        Fact(names[1], _sentences(text, asking), counting, refused, note),
    )


def _untitled(text: Text, hit: Hit) -> Hit:
    """Refuse a question that is a heading or is in a table: it is one of a page, answered below."""
    start, end = text.lines.span(text.lines.number(hit.match.start))
    line = text.original[start : min(end, start + 200)].strip()
    if hit.guard is not None or not (structure.is_heading(line) or line.startswith("|")):
        return hit
    return search.Hit(hit.entry, hit.match, "quoted")


def _sentences(text: Text, asking: list[Hit]) -> int:
    """Return in how many sentences the hits are; several of one sentence ask once."""
    count, reached = 0, -1
    for hit in asking:
        if hit.match.start >= reached:
            count += 1
        reached = max(reached, text.sentence_end(hit.match.end))
    return count
