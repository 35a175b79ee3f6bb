"""`graded_words`: a percentage from the words of a text, as in ``confident`` 90, ``maybe`` -10."""

from __future__ import annotations

from exitgate.core.facts.guards import catalogue
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.text.text import Text
from exitgate.core.facts.text.text import ready as prepared
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject, number_of
from exitgate.core.model.value import BOOL, COUNT, PERCENT, Unknown, Value, range_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from exitgate.core.facts.lexicons.lexicon import Entry
    from exitgate.core.facts.lexicons.search import Hit
    from exitgate.core.model.fact import Iteration

    Otherwise = TypeVar("Otherwise", float, None)

# The arithmetic of graded words.
#
# value = clamp(start + first grade or otherwise + sum of points)

#: Keys of an entry made from an option: which grade or row of points its word belongs to.
GRADE, POINTS = "grade", "points"
#: Anything from here on, infinite and NaN too, is not taken for a number.
LARGEST = 1e9


class Grades(Value):
    """
    The options of `graded_words` made ready.

    `otherwise` is None for ``unknown``; `negated` None when denied words give no value.
    """

    __slots__ = ("base", "each", "grades", "high", "lexicon", "low", "negated", "otherwise", "start")

    def __init__(self, options: JsonObject) -> None:
        bounds = [_number(b, 0) for b in options.array("range")] or [0, 100]
        self.low, self.high = bounds[0], bounds[-1]
        self.otherwise = _number(options.get("otherwise"), None)
        self.base = _number(options.get("base"), (self.low + self.high) / 2)
        self.negated = _number(options.get("negated"), None)
        self.start = _number(options.get("start"), 0)
        self.each = options.get("count") == "occurrences"
        first, add = options.objects("first"), options.objects("add")
        self.grades = tuple(_number(row.get("value"), 0) for row in first)
        entries = [
            *_entries(GRADE, [(number, row) for number, row in enumerate(first)]),
            *_entries(POINTS, [(_number(row.get("points"), 0), row) for row in add]),
        ]
        guards = options.object("lexicon").object("guards")
        self.lexicon = lexicons.ready(
            JsonObject(entries=entries, guards=guards), lexicons.guard_names(options) or ()
        )

    def hedges(self, entry: Entry) -> bool:
        """Return whether the entry's words take points."""
        return _number(entry.options.get(POINTS), 0) < 0

    def explicit(self, hits: Iterable[Hit]) -> tuple[float | None, tuple[Hit, ...]]:
        """Return the grade written first of those with a word that counts, and its matches; else None."""
        graded = [h for h in hits if h.guard is None and GRADE in h.entry.options]
        if not graded:
            return None, ()
        best = min(_grade(h) for h in graded)
        return self.grades[best], tuple(h for h in graded if _grade(h) == best)

    def value(self, hits: Iterable[Hit]) -> tuple[float | None, str]:
        """
        Return the value, None for unknown, and the sum written out (``90 - 2 x 10 = 70``).

        Of two grades the one written first wins, wherever its word is.
        """
        hits = list(hits)
        counting = [h for h in hits if h.guard is None]
        grades = sorted(_grade(h) for h in counting if GRADE in h.entry.options)
        points = self._points(h for h in counting if POINTS in h.entry.options)
        denied = [h for h in hits if h.guard == "negated" and GRADE in h.entry.options]
        if grades:
            from_grade = self.grades[grades[0]]
        elif denied and self.negated is not None:
            from_grade = self.negated
        elif self.otherwise is not None:
            from_grade = self.otherwise
        elif points:
            from_grade = self.base
        else:
            return None, ""
        parts = [p for p in (self.start, from_grade) if p or p is from_grade]
        total = sum(parts) + sum(points)
        value = _plain(min(max(total, self.low), self.high))
        written = " ".join([" + ".join(f"{p:g}" for p in parts), *(_signed(p) for p in points)])
        if not points and len(parts) == 1 and value == total:
            return value, ""
        bounds = "" if value == total else f", within {self.low:g} to {self.high:g}"
        return value, f"{written} = {value:g}{bounds}"

    def _points(self, hits: Iterable[Hit]) -> list[float]:
        given: list[float] = []
        seen = set()
        for hit in hits:
            word = (hit.entry.options[POINTS], hit.entry.id)
            if self.each or word not in seen:
                seen.add(word)
                given.append(_number(hit.entry.options[POINTS], 0))
        return given


def _entries(key: str, rows: Iterable[tuple[float, JsonObject]]) -> list[JsonObject]:
    return [
        JsonObject({"id": str(word), "phrase": str(word), key: mark})
        for mark, row in rows
        for word in row.array("words")
        if str(word).strip()
    ]


def _grade(hit: Hit) -> int:
    return int(_number(hit.entry.options[GRADE], 0))


def _number(value: object, otherwise: Otherwise) -> float | Otherwise:
    number = number_of(value)
    return number if number is not None and abs(number) < LARGEST else otherwise


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


def _signed(points: float) -> str:
    return f"- {-points:g}" if points < 0 else f"+ {points:g}"


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


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; the prefix itself is the percentage."""
    grades = _grades(options)
    silent = "no graded word counts" if grades.otherwise is None else ""
    return (
        FactSpec("", PERCENT, "The grade of the text.", silent, grades.low, grades.high),
        FactSpec("certain", COUNT, "How many matches of grades and of words that add points count.", low=0),
        FactSpec("hedges", COUNT, "How many matches of words that take points count.", low=0),
        FactSpec("negated", BOOL, "Whether a graded word was refused because the sentence negates it."),
        FactSpec("explicit", PERCENT, "The grade whose word counts.", "no word of a grade counts", 0, 100),
    )


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each phrase that holds no word, and of a range that cannot be."""
    from exitgate.core.facts.lexicons import wordless

    yield from wordless.faults(options)
    grades = _grades(options)
    fault = range_fault(PERCENT.kind, grades.low, grades.high)
    if fault is not None:
        yield ("range",), *fault


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the grade of `source`; everything unknown when it is missing."""
    found = iteration.source(source)
    grades = _grades(options)
    names = [f"{prefix}.{s.name}" if s.name else prefix for s in specs(options)]
    if found.text is None:
        return tuple(Fact(name, Unknown(found.reason, name)) for name in names)
    text = prepared(found.text)
    task = search.task_of(iteration)
    hits = search.search(text, grades.lexicon, task, overlapping=True)
    counting, refused, note = search.shown(source, text, hits)
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
    shown, _, note = search.shown(source, text, of_it)
    silent = f"no word of a grade in the {source} counts"
    return Fact(name, Unknown(silent, name) if grade is None else grade, shown, (), note)


def _counted(name: str, source: str, text: Text, hits: list[Hit]) -> Fact:
    shown, _, note = search.shown(source, text, hits)
    return Fact(name, len(hits), shown, (), note)


_grades = lexicons.kept(Grades)
