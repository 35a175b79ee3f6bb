"""
`similarity`: how alike a text is to those of earlier iterations.

It does not tell stuck from healthy: loops that were stuck stayed below the usual 90 percent, and short
reports on different work reach it. It finds replies that are repeated nearly word for word, no more.
"""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import Entry, entries_of, kept
from exitgate.core.facts.lexicons.patterns import Noise
from exitgate.core.facts.text import words
from exitgate.core.facts.text.text import PIECE, evidence, ready
from exitgate.core.model.fact import EXCERPT_LIMIT, Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import COUNT, PERCENT, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.model.fact import Iteration


# How alike two texts are, in percent, by rapidfuzz.

RATIO, TOKEN_SET, NORMALISED = METHODS = ("ratio", "token_set", "normalised")


class Measure(Value):
    """
    A way to compare texts.

    Args:
        method: One of `METHODS`. `ratio` is ``100 * (1 - d / (n + m))`` with d the least number of
            letters to take out and put in (rapidfuzz `fuzz.ratio`); `token_set` the same of what two
            texts have in common and of the rest, so that a text within a longer one is 100
            (`fuzz.token_set_ratio`); `normalised` the ratio of the sorted, distinct words in lower case,
            every run of digits as one mark.
        noise: What is left out before, or None.
    """

    __slots__ = ("method", "noise")

    def __init__(self, method: str, noise: Noise | None) -> None:
        self.method = method
        self.noise = noise

    def prepared(self, text: str) -> str:
        """Return what is compared of `text`: at most `COMPARED` characters, noise left out."""
        text = bounded(text, COMPARED).replace(CUT, " ")
        if self.noise is not None:
            folded = words.fold(text)
            pieces = (folded[at : at + PIECE] for at in range(0, len(folded), PIECE))
            text = "\n".join(self.noise.without(piece) for piece in pieces)
        if self.method == NORMALISED:
            folded = words.fold(text)
            found = {folded[a:b] for a, b in words.tokens(folded, 0, len(folded))}
            return " ".join(sorted({_masked(word) for word in found}))
        return text

    def percent(self, one: str, other: str) -> float:
        """Return how alike two prepared texts are, from 0 to 100, rounded down to two digits."""
        from rapidfuzz import fuzz

        score = fuzz.token_set_ratio if self.method == TOKEN_SET else fuzz.ratio
        return int(score(one, other) * 100) / 100


def measure_of(options: JsonObject) -> Measure:
    """Return the measure that the options ask for."""
    method = str(options.get("method", RATIO))
    blank = JsonObject(noise=" ")
    entries = [Entry(p, 1, (), pattern=p, options=blank) for p in options.texts("ignore")]
    entries += [
        Entry(str(e.get("id", "")), 1, (), pattern=str(e.get("pattern", "")), options=e)
        for e in entries_of(options.object("lexicon"))
        if "noise" in e
    ]
    return Measure(method if method in METHODS else RATIO, Noise(entries) if entries else None)


def _masked(word: str) -> str:
    letters: list[str] = []
    for letter in word:
        mark = "#" if letter.isdigit() else letter
        if not (mark == "#" and letters and letters[-1] == "#"):
            letters.append(mark)
    return "".join(letters)


NAME = "similarity"
SOURCE = "response"
#: Texts compared with, where the policy does not say; those of the loop tool that began with it.
WINDOW = 5
THRESHOLD = 90

OPTIONS: dict[str, object] = {
    "window": {
        "description": "Number of earlier iterations whose texts it is compared with; they are kept "
        "in the state directory.",
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "default": WINDOW,
        "examples": [5],
    },
    "threshold": {
        "description": "Similarity in percent from which an earlier text counts as a match.",
        "type": "number",
        "minimum": 0,
        "maximum": 100,
        "default": THRESHOLD,
        "examples": [90],
    },
    "method": {
        "description": "`ratio` compares characters; `token_set` compares words, and a text contained in a "
        "longer one is 100 percent; `normalised` compares the distinct words, ignoring order and case, with "
        "each number as one mark.",
        "enum": ["ratio", "token_set", "normalised"],
        "default": "ratio",
        "examples": ["normalised"],
    },
    "ignore": {
        "description": "Patterns (RE2, on lower-case text) of what is removed before comparing.",
        "type": "array",
        "maxItems": 50,
        "items": {"type": "string", "minLength": 1, "maxLength": 4000},
        "examples": [["\\b\\d+\\b"]],
    },
    "lexicon": {
        "description": "Name or path of a lexicon whose entries with `noise` are removed before comparing.",
        "type": "string",
        "examples": ["noise"],
    },
}

_SPECS = (
    FactSpec(
        "highest",
        PERCENT,
        "Similarity to the most similar of the earlier texts.",
        "there is no earlier text, or the text is empty",
        low=0,
        high=100,
    ),
    FactSpec(
        "matches",
        COUNT,
        "How many of the earlier texts reach `threshold`.",
        "the text is empty, or no earlier text was kept",
        low=0,
    ),
)
_measures = kept(measure_of)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def earlier(source: str, options: JsonObject) -> Mapping[str, int]:
    """Return how many earlier texts of which source are compared with."""
    return {source: options.whole("window", WINDOW)}


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each pattern in `options` that RE2 refuses."""
    from exitgate.core.facts.errors.signature_faults import pattern_faults

    for number, written in enumerate(options.texts("ignore")):
        yield from pattern_faults(written, ("ignore", number))


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return how alike `source` is to its earlier texts; unknown where there is nothing to compare."""
    given = iteration.source(source)
    if given.text is None:
        return _unknown(prefix, given.reason)
    if not given.text.strip():
        return _unknown(prefix, f"the {source} is empty")
    window = earlier(source, options)[source]
    before = iteration.earlier.get(source, ())[-window:]
    if not before:
        reason = f"there is no earlier {source}"
        return Fact(f"{prefix}.highest", Unknown(reason, f"{prefix}.highest")), Fact(f"{prefix}.matches", 0)
    known = [(len(before) - at, text) for at, text in enumerate(before) if text is not None]
    if not known:
        return _unknown(prefix, f"no earlier {source} is kept")
    measure = _measures(options)
    this = measure.prepared(given.text)
    scores = [(measure.percent(this, measure.prepared(text)), -ago) for ago, text in known]
    highest, ago = max(scores)
    limit = options.number("threshold", THRESHOLD)
    text = ready(given.text)
    start = len(given.text) - len(given.text.lstrip())
    shown = (evidence(source, text, start, min(len(given.text), start + EXCERPT_LIMIT), _ago(-ago)),)
    note = _note(source, given.text, len(before) - len(known))
    return (
        Fact(f"{prefix}.highest", highest, shown, note="; ".join(filter(None, (_ago(-ago), note)))),
        Fact(f"{prefix}.matches", sum(s >= limit for s, _ in scores), shown, note=note),
    )


def _ago(iterations: int) -> str:
    return f"most like that of {iterations} iteration{'s' if iterations != 1 else ''} before"


def _note(source: str, text: str, lost: int) -> str:
    notes = []
    if lost:
        notes.append(f"{lost} earlier {source}{'s' if lost != 1 else ''} not known")
    if len(text) > COMPARED:
        notes.append(f"of longer texts, only the first and last {COMPARED // 2} characters are compared")
    return "; ".join(notes)


def _unknown(prefix: str, reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in _SPECS)


# Long texts shortened before they are kept or compared: their beginning and their end.

#: Longest text that is kept for the next iterations, in characters.
KEPT = 64_000
#: Longest text that is compared with others, in characters: comparing costs the product of two lengths.
COMPARED = 20_000
#: Is instead of what was cut out; no text that was written as UTF-8 holds it.
CUT = "\udc01[cut]\udc01"


def bounded(text: str, limit: int) -> str:
    """
    Return at most `limit` characters of `text`, and `CUT` between its beginning and its end.

    A text that was shortened before stays as it is, or loses more of its middle.
    """
    if len(text) <= limit + len(CUT):
        return text
    half = limit // 2
    return text[:half].replace(CUT, "") + CUT + text[len(text) - half :].replace(CUT, "")


def is_cut(text: str) -> bool:
    """Return whether the text is not whole."""
    return CUT in text
