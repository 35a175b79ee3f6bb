"""`graded_words`: a percentage from the words of a text, as in ``confident`` 90, ``maybe`` -10."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import scan_lexicon
from exitgate.facts.grades import Grades
from exitgate.facts.guards import catalogue
from exitgate.facts.scan import Text
from exitgate.facts.scan import ready as prepared
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.ranges import range_fault
from exitgate.model.type import BOOL, COUNT, PERCENT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.facts.scan_lexicon import Hit
    from exitgate.model.iteration import Iteration

NAME = "graded_words"
SOURCE = "response"

_WORDS: dict[str, object] = {
    "description": "Words or phrases; whole words, case ignored; see `phrases`.",
    "type": "array",
    "minItems": 1,
    "items": {"type": "string", "minLength": 1},
    "examples": [["confident", "certain"]],
}
_ID: dict[str, object] = {
    "description": "Its name, for policies and settings that modify it.",
    "type": "string",
    "pattern": "^[a-z][a-z0-9]*([_-][a-z0-9]+)*$",
    "examples": ["sure"],
}
OPTIONS: dict[str, object] = {
    "first": {
        "description": "Grades in order; the first with a word that counts gives the initial value.",
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["value", "words"],
            "properties": {
                "id": _ID,
                "value": {"description": "The grade.", "type": "number", "examples": [90]},
                "words": _WORDS,
            },
        },
        "examples": [[{"value": 90, "words": ["confident", "certain"]}]],
    },
    "otherwise": {
        "description": "The initial value if no grade applies. With `unknown`, the value is "
        "unknown if no word of any list counts.",
        "anyOf": [{"type": "number"}, {"const": "unknown"}],
        "default": "unknown",
        "examples": [50, "unknown"],
    },
    "base": {
        "description": "With `otherwise: unknown`: the value that points are added to if no grade "
        "applies; by default the middle of the range.",
        "type": "number",
        "examples": [60],
    },
    "negated": {
        "description": "The initial value if words of a grade occur but are all negated (`not "
        "confident`). By default they are treated as absent.",
        "type": "number",
        "examples": [30],
    },
    "start": {
        "description": "A number that is always added, for schemes that sum two parts.",
        "type": "number",
        "default": 0,
        "examples": [50],
    },
    "add": {
        "description": "Points added, or taken when negative, for words that count.",
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["points", "words"],
            "properties": {
                "id": _ID,
                "points": {"description": "Points a word gives.", "type": "number", "examples": [-10]},
                "words": _WORDS,
            },
        },
        "examples": [[{"points": -10, "words": ["maybe", "might"]}]],
    },
    "count": {
        "description": "`present`: a word gives its points once. `occurrences`: each time it occurs.",
        "enum": ["present", "occurrences"],
        "default": "present",
        "examples": ["occurrences"],
    },
    "range": {
        "description": "Smallest and largest value.",
        "type": "array",
        "items": {"type": "number", "minimum": 0, "maximum": 100},
        "minItems": 2,
        "maxItems": 2,
        "default": [0, 100],
        "examples": [[0, 100]],
    },
    "guards": {
        **catalogue.OPTIONS["guards"],
        "description": "Guards that may refuse a word. Without this option every word counts.",
    },
    "lexicon": {
        "description": "Name or path of the lexicon whose guards are used.",
        "type": "string",
        "default": "guards-en",
        "examples": ["guards-en"],
    },
}


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; the prefix itself is the percentage."""
    grades = _graded(options)
    silent = "no graded word counts" if grades.otherwise is None else ""
    return (
        FactSpec("", PERCENT, "The grade of the text.", silent, grades.low, grades.high),
        FactSpec("certain", COUNT, "How many matches of grades and of words that add points count.", low=0),
        FactSpec("hedges", COUNT, "How many matches of words that take points count.", low=0),
        FactSpec("negated", BOOL, "Whether a graded word was refused because the sentence negates it."),
        FactSpec("explicit", PERCENT, "The grade whose word counts.", "no word of a grade counts", 0, 100),
    )


def faults(options: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each phrase that holds no word, and of a range that cannot be."""
    from exitgate.facts import wordless

    yield from wordless.faults(options)
    grades = _graded(options)
    fault = range_fault(PERCENT.kind, grades.low, grades.high)
    if fault is not None:
        yield ("range",), *fault


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return the grade of `source`; everything unknown when it is missing."""
    found = iteration.source(source)
    grades = _graded(options)
    names = [f"{prefix}.{s.name}" if s.name else prefix for s in specs(options)]
    if found.text is None:
        return tuple(Fact(name, Unknown(found.reason, name)) for name in names)
    text = prepared(found.text)
    task = scan_lexicon.task_of(iteration)
    hits = scan_lexicon.search(text, grades.lexicon, task, overlapping=True)
    counting, refused, note = scan_lexicon.shown(source, text, hits)
    value, sum_written = grades.value(hits)
    silent = f"no graded word in the {source} counts"
    graded: object = value if value is not None else Unknown(silent, prefix)
    certain = [h for h in hits if h.guard is None and not grades.hedges(h.entry)]
    hedges = [h for h in hits if h.guard is None and grades.hedges(h.entry)]
    how = silent if value is not None and not counting else sum_written
    note = "; ".join(part for part in (how, note) if part)
    return (
        Fact(names[0], graded, counting, refused, note),
        _counted(names[1], source, text, certain),
        _counted(names[2], source, text, hedges),
        Fact(names[3], any(h.guard == "negated" for h in hits), (), refused),
        _explicit(names[4], source, text, grades, hits),
    )


def _explicit(name: str, source: str, text: Text, grades: Grades, hits: tuple[Hit, ...]) -> Fact:
    grade, of_it = grades.explicit(hits)
    shown, _, note = scan_lexicon.shown(source, text, of_it)
    silent = f"no word of a grade in the {source} counts"
    return Fact(name, Unknown(silent, name) if grade is None else grade, shown, (), note)


def _counted(name: str, source: str, text: Text, hits: list[Hit]) -> Fact:
    shown, _, note = scan_lexicon.shown(source, text, hits)
    return Fact(name, len(hits), shown, (), note)


def _graded(options: Mapping[str, object]) -> Grades:
    grades = _grades.of(options)
    assert isinstance(grades, Grades)
    return grades


_grades = lexicons.Kept(Grades)
