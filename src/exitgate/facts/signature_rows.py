"""A cascade made ready: rows in order, the words and the noise that they leave out."""

from __future__ import annotations

from exitgate.facts import signature_template
from exitgate.facts.lexicon import Entry
from exitgate.facts.noise import Noise
from exitgate.facts.signature_filters import Settings
from exitgate.facts.words import fold
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from exitgate.facts.signature_template import Slot

#: How many items of a part are joined where its row does not say.
ITEMS = 10
#: Most items of a part.
ITEMS_LIMIT = 50


class Part:
    """
    A list made of repeated matches.

    Args:
        inside: Captured group that is searched; the whole text where None.
        each: RE2 pattern of one item, compiled when first asked.
        limit: So many matches are taken.
        join: Is between them.
        shown: Template of one item.
        otherwise: What stands for no item; the row does not match there when None.
    """

    __slots__ = ("_compiled", "each", "inside", "join", "limit", "otherwise", "shown")

    def __init__(self, plain: Mapping[str, object]) -> None:
        limit, otherwise = plain.get("limit"), plain.get("otherwise")
        self.inside = str(plain["in"]) if "in" in plain else None
        self.each = str(plain.get("each", ""))
        self.limit = min(limit, ITEMS_LIMIT) if isinstance(limit, int) else ITEMS
        self.join = str(plain.get("join", ","))
        self.shown = signature_template.read(str(plain.get("as", "{0}")))
        self.otherwise = None if otherwise is None else str(otherwise)
        self._compiled: Any = None

    @property
    def pattern(self) -> Any:
        """The compiled pattern of one item."""
        if self._compiled is None:
            self._compiled = compiled(self.each)
        return self._compiled


class Row:
    """
    One row: where `pattern` occurs, and `unless` not on its lines, the signature is `template`.

    `parts` are named lists for the template.
    """

    __slots__ = ("_compiled", "_refusal", "id", "parts", "template", "unless", "written")

    def __init__(self, plain: Mapping[str, object]) -> None:
        parts = plain.get("parts")
        self.id = str(plain.get("id", ""))
        self.written = str(plain.get("pattern", ""))
        self.unless = str(plain.get("unless", ""))
        self.template: tuple[str | Slot, ...] = signature_template.read(str(plain.get("template", "{0}")))
        given = parts if isinstance(parts, dict) else {}
        self.parts = {str(name): Part(part) for name, part in given.items() if isinstance(part, dict)}
        self._compiled: Any = None
        self._refusal: Any = None

    @property
    def pattern(self) -> Any:
        """The compiled pattern."""
        if self._compiled is None:
            self._compiled = compiled(self.written)
        return self._compiled

    @property
    def refusal(self) -> Any:
        """The compiled `unless`, None without one."""
        if self._refusal is None and self.unless:
            self._refusal = compiled(self.unless)
        return self._refusal


class Cascade(Value):
    """Rows in order, and what holds for all of them."""

    __slots__ = ("_together", "rows", "settings")

    def __init__(self, rows: tuple[Row, ...], settings: Settings) -> None:
        self.rows = rows
        self.settings = settings
        self._together: Any = None

    def occurring(self, text: str) -> tuple[Row, ...]:
        """
        Return the rows whose patterns may occur in `text`, in order, after one pass over it.

        All of them where none does: a set of patterns that ran out of memory says that, too.
        """
        if self._together is None:
            self._together = together([row.written for row in self.rows])
        found = self._together.Match(text.encode("utf-8", "replace")) if self.rows else ()
        return tuple(self.rows[index] for index in sorted(found)) if found else self.rows


def ready(options: Mapping[str, object]) -> Cascade:
    """Return the cascade of the option `cascade`, else that of the lexicon."""
    rows: list[Row] = []
    noise: list[Entry] = []
    drop: set[str] = set()
    for plain in written(options):
        if "noise" in plain:
            pattern = str(plain.get("pattern", ""))
            noise.append(Entry(str(plain.get("id", "")), 1, (), pattern=pattern, options=plain))
        elif plain.get("drop") is True:
            listed = plain.get("words")
            drop.update(fold(str(word)) for word in (listed if isinstance(listed, list | tuple) else ()))
        elif "template" in plain:
            rows.append(Row(plain))
    return Cascade(tuple(rows), Settings(frozenset(drop), Noise(noise) if noise else None))


def written(options: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the rows as they were written: those of `cascade`, else the entries of the lexicon."""
    rows = options.get("cascade")
    if rows is None:
        lexicon = options.get("lexicon")
        rows = lexicon.get("entries") if isinstance(lexicon, dict) else ()
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, dict):
            yield row


def compiled(pattern: str) -> Any:
    """
    Return an RE2 pattern that ignores case, and in which ``^`` and ``$`` hold at every line.

    Raises `re2.error` for one that RE2 refuses.
    """
    import re2

    by_line = _by_line(pattern)
    return re2.compile(by_line, _options())


def together(patterns: Sequence[str]) -> Any:
    """Return the patterns as one RE2 set, each as `compiled` takes it."""
    import re2

    found = re2.Set.SearchSet(_options())
    for pattern in patterns:
        found.Add(_by_line(pattern))
    found.Compile()
    return found


def _by_line(pattern: str) -> str:
    return f"(?m:{pattern})"


def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options
