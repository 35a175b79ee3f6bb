"""
The arithmetic of graded words.

    value = clamp(start + first grade or otherwise + sum of points)
"""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.lexicon import Entry
    from exitgate.facts.scan_lexicon import Hit

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

    def __init__(self, options: Mapping[str, object]) -> None:
        bounds = [_number(b, 0) for b in lexicons.listed(options.get("range"))] or [0, 100]
        self.low, self.high = bounds[0], bounds[-1]
        otherwise = options.get("otherwise", "unknown")
        self.otherwise = _number(otherwise, 0) if _is_number(otherwise) else None
        self.base = _number(options.get("base"), (self.low + self.high) / 2)
        negated = options.get("negated")
        self.negated = _number(negated, 0) if _is_number(negated) else None
        self.start = _number(options.get("start"), 0)
        self.each = options.get("count") == "occurrences"
        first, add = _rows(options, "first"), _rows(options, "add")
        self.grades = tuple(_number(row.get("value"), 0) for row in first)
        entries = [
            *_entries(GRADE, [(number, row) for number, row in enumerate(first)]),
            *_entries(POINTS, [(_number(row.get("points"), 0), row) for row in add]),
        ]
        guards = lexicons.option(options).get("guards", {})
        apply = [str(name) for name in lexicons.listed(options.get("guards"))]
        self.lexicon = lexicons.ready({"entries": entries, "guards": guards}, apply)

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


def _entries(key: str, rows: Iterable[tuple[float, Mapping[str, object]]]) -> list[dict[str, object]]:
    return [
        {"id": str(word), "phrase": str(word), key: mark}
        for mark, row in rows
        for word in lexicons.listed(row.get("words"))
        if str(word).strip()
    ]


def _rows(options: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    return [row for row in lexicons.listed(options.get(key)) if isinstance(row, dict)]


def _grade(hit: Hit) -> int:
    return int(_number(hit.entry.options[GRADE], 0))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def _number(value: object, otherwise: float) -> float:
    return value if isinstance(value, int | float) and _is_number(value) else otherwise


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


def _signed(points: float) -> str:
    return f"- {-points:g}" if points < 0 else f"+ {points:g}"
