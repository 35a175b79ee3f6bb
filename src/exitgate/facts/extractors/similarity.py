"""
`similarity`: how alike a text is to those of earlier iterations.

It does not tell stuck from healthy: loops that were stuck stayed below the usual 90 percent, and short
reports on different work reach it. It finds replies that are repeated nearly word for word, no more.
"""

from __future__ import annotations

from exitgate.facts import similarity_measure
from exitgate.facts.lexicon import Kept
from exitgate.facts.scan import evidence, ready
from exitgate.facts.similarity_bounds import COMPARED
from exitgate.model.evidence import EXCERPT_LIMIT, Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import COUNT, PERCENT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.model.iteration import Iteration

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
_measures = Kept(similarity_measure.ready)


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def earlier(source: str, options: Mapping[str, object]) -> Mapping[str, int]:
    """Return how many earlier texts of which source are compared with."""
    window = options.get("window", WINDOW)
    return {source: window if isinstance(window, int) and window > 0 else WINDOW}


def faults(options: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each pattern in `options` that RE2 refuses."""
    from exitgate.facts.signature_faults import pattern_faults

    ignored = options.get("ignore")
    for number, written in enumerate(ignored if isinstance(ignored, list | tuple) else ()):
        yield from pattern_faults(str(written), ("ignore", number))


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
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
    measure = _measures.of(options)
    assert isinstance(measure, similarity_measure.Measure)
    this = measure.prepared(given.text)
    scores = [(measure.percent(this, measure.prepared(text)), -ago) for ago, text in known]
    highest, ago = max(scores)
    threshold = options.get("threshold", THRESHOLD)
    limit = threshold if isinstance(threshold, int | float) else THRESHOLD
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
