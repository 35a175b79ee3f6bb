"""`phrases`: which phrases of a list or lexicon a source says, and means."""

from __future__ import annotations

from exitgate.core.facts.guards import catalogue
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.lexicons.lexicon import Lexicon
from exitgate.core.facts.text import sentences
from exitgate.core.facts.text.text import ready as prepared
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, COUNT, NUMBER, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.lexicons.search import Hit
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Iteration


NAME = "phrases"
SOURCE = "response"
#: A phrase with what else an entry of a lexicon may say of it.
WEIGHTED: dict[str, object] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["phrase"],
    "properties": {
        "phrase": {
            "description": "The phrase.",
            "type": "string",
            "minLength": 1,
            "examples": ["ready for review"],
        },
        "weight": {
            "description": "What a match that counts adds.",
            "type": "number",
            "default": 1,
            "examples": [3],
        },
        "id": {
            "description": "Its name in evidence; phrases with the same id are one signal.",
            "type": "string",
            "minLength": 1,
            "examples": ["tests-pass"],
        },
        "guards": catalogue.OPTIONS["guards"],
        "within": {
            "description": "Number of words that a gap `...` may match.",
            "type": "integer",
            "minimum": 0,
            "maximum": 20,
            "default": 5,
            "examples": [3],
        },
        "opens": {
            "description": "Whether it counts only as the first words of a sentence or clause.",
            "type": "boolean",
            "default": False,
            "examples": [True],
        },
        "closes": {
            "description": "Whether it counts only as the last words of a sentence or clause.",
            "type": "boolean",
            "default": False,
            "examples": [True],
        },
    },
}
OPTIONS: dict[str, object] = {
    "phrases": {
        "description": "Phrases to look for: `...` allows a few words in between, `|` separates "
        "alternatives for a word.",
        "type": "array",
        "items": {"anyOf": [{"type": "string", "minLength": 1}, WEIGHTED]},
        "examples": [
            ["all tests pass|passing", "nothing ... left ... to do"],
            [{"phrase": "all tests passing", "weight": 3}, "done"],
        ],
    },
    "lexicon": {
        "description": "Name or path of a lexicon with further phrases, weights and guards.",
        "type": "string",
        "examples": ["completion-en"],
    },
    "language": catalogue.OPTIONS["language"],
    "guards": catalogue.OPTIONS["guards"],
    "within": {
        "description": "Number of words that a gap `...` may match, in the phrases written here.",
        "type": "integer",
        "minimum": 0,
        "maximum": 20,
        "default": 5,
        "examples": [3],
    },
    "overlap": {
        "description": "`longest`: a match within a longer one does not count. `all`: every match counts.",
        "enum": ["longest", "all"],
        "default": "longest",
        "examples": ["all"],
    },
    "behind": {
        "description": "How many words of prose may follow a match for it to count; lists, tables, "
        "code and fields are not prose. By default a match counts anywhere.",
        "type": "integer",
        "minimum": 0,
        "maximum": 10_000,
        "examples": [40],
    },
}
#: Guard that refuses a match behind which more is than `behind` allows.
CONTINUED = "continued"

#: Guards that find that a match holds only in part.
IN_PART = frozenset(("qualified", "scoped"))

_SPECS = (
    FactSpec("found", BOOL, "Whether a phrase occurs and counts."),
    FactSpec("count", COUNT, "How many matches count.", low=0),
    FactSpec("signals", COUNT, "How many different entries have a match that counts.", low=0),
    FactSpec("weight", NUMBER, "Sum of the weights of all matches that count."),
    FactSpec("strongest", NUMBER, "Weight of the heaviest match that counts; 0 without any."),
    FactSpec("refused", COUNT, "How many matches a guard refused.", low=0),
    FactSpec("echoed", BOOL, "Whether a match was refused because it repeats the task."),
    FactSpec("negated", BOOL, "Whether a match was refused because the sentence negates it."),
    FactSpec("partial", BOOL, "Whether a match was refused because it is only partly true."),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; all are known on a readable source."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each phrase that holds no word."""
    from exitgate.core.facts.lexicons import wordless

    return wordless.faults(options)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts on the phrases in `source`; all unknown when it is missing."""
    found = iteration.source(source)
    if found.text is None:
        return tuple(_unknown(f"{prefix}.{s.name}", found.reason) for s in _SPECS)
    text, lexicon = prepared(found.text), lexicon_of(options)
    if search.is_out(text, lexicon):
        return _nothing(prefix)
    task = search.task_of(iteration)
    hits = _weighted(search.search(text, lexicon, task, options.get("overlap") == "all"))
    if not hits:
        return _nothing(prefix)
    behind = options.whole("behind")
    if behind is not None:
        hits = _at_the_end(text, hits, behind)
    counting, refused, note = search.shown(source, text, hits)
    values = _values(hits)
    return tuple(Fact(f"{prefix}.{s.name}", values[s.name], counting, refused, note) for s in _SPECS)


def _nothing(prefix: str) -> tuple[Fact, ...]:
    """Return the facts on a text with no match; what is true of most texts is made once."""
    known = _nothings.get(prefix)
    if known is None:
        if len(_nothings) >= lexicons.KEPT:
            _nothings.clear()
        values = _values(())
        known = _nothings[prefix] = tuple(Fact(f"{prefix}.{s.name}", values[s.name]) for s in _SPECS)
    return known


#: Prefix -> its facts where nothing matches.
_nothings: dict[str, tuple[Fact, ...]] = {}


def _weighted(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """Return the matches without those of weight 0, which only tell that something holds in part."""
    return tuple(h for h in hits if h.entry.weight != 0 or h.guard in IN_PART)


def _at_the_end(text: Text, hits: tuple[Hit, ...], behind: int) -> tuple[Hit, ...]:
    """Return the matches, those refused behind which more than `behind` words of prose are."""
    # what follows a match grows towards the beginning: the first from the end that fails decides
    kept, is_open = [], True
    for hit in reversed(hits):
        is_open = is_open and sentences.is_open(text, hit.match.end, behind)
        guard = hit.guard if is_open or hit.guard is not None else CONTINUED
        kept.append(hit if guard == hit.guard else search.Hit(hit.entry, hit.match, guard))
    return tuple(reversed(kept))


def _values(hits: tuple[Hit, ...]) -> dict[str, object]:
    counting = [h for h in hits if h.guard is None]
    guards = {h.guard for h in hits}
    return {
        "found": bool(counting),
        "count": len(counting),
        "signals": len({h.entry.id for h in counting}),
        "weight": sum(h.entry.weight for h in counting),
        "strongest": max((h.entry.weight for h in counting), default=0),
        "refused": len(hits) - len(counting),
        "echoed": "echoed" in guards,
        "negated": "negated" in guards,
        "partial": bool(guards & IN_PART),
    }


def _unknown(name: str, reason: str) -> Fact:
    return Fact(name, Unknown(reason, name))


@lexicons.kept
def lexicon_of(options: JsonObject) -> Lexicon:
    """Return the entries that `phrases`, `lexicon` and `guards` of the options name, made ready once."""
    plain, within = options.object("lexicon"), options.get("within", 5)
    own = [
        {"within": within, **(p if isinstance(p, dict) else {"phrase": p})} for p in options.array("phrases")
    ]
    if own:
        kept = {key: value for key, value in plain.items() if key != lexicons.INDEX}
        plain = JsonObject({**kept, "entries": [*plain.array("entries"), *own]})
    return lexicons.ready(plain, lexicons.guard_names(options))
