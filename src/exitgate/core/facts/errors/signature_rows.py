"""A cascade made ready: rows in order, the words and the noise that they leave out."""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import Entry, entries_of
from exitgate.core.facts.lexicons.patterns import Noise
from exitgate.core.facts.text import words
from exitgate.core.facts.text.structure import EMPHASIS, basename
from exitgate.core.facts.text.text import PIECE
from exitgate.core.facts.text.words import fold
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from exitgate.core.facts.lexicons.patterns import Noise
    from exitgate.core.model.json_object import JsonObject

    Filter = Callable[[str, str, "Settings"], str]


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

    def __init__(self, plain: JsonObject) -> None:
        otherwise = plain.get("otherwise")
        self.inside = str(plain["in"]) if "in" in plain else None
        self.each = str(plain.get("each", ""))
        self.limit = min(plain.whole("limit", ITEMS), ITEMS_LIMIT)
        self.join = str(plain.get("join", ","))
        self.shown = read(str(plain.get("as", "{0}")))
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

    def __init__(self, plain: JsonObject) -> None:
        self.id = str(plain.get("id", ""))
        self.written = str(plain.get("pattern", ""))
        self.unless = str(plain.get("unless", ""))
        self.template: tuple[str | Slot, ...] = read(str(plain.get("template", "{0}")))
        self.parts = {name: Part(object_of(part)) for name, part in plain.object("parts").items()}
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


def ready(options: JsonObject) -> Cascade:
    """Return the cascade of the option `cascade`, else that of the lexicon."""
    rows: list[Row] = []
    noise: list[Entry] = []
    drop: set[str] = set()
    for plain in written(options):
        if "noise" in plain:
            pattern = str(plain.get("pattern", ""))
            noise.append(Entry(str(plain.get("id", "")), 1, (), pattern=pattern, options=plain))
        elif plain.get("drop") is True:
            drop.update(fold(str(word)) for word in plain.array("words"))
        elif "template" in plain:
            rows.append(Row(plain))
    return Cascade(tuple(rows), Settings(frozenset(drop), Noise(noise) if noise else None))


def written(options: JsonObject) -> list[JsonObject]:
    """Return the rows as they were written: those of `cascade`, else the entries of the lexicon."""
    if options.get("cascade") is None:
        return entries_of(options.object("lexicon"))
    return options.objects("cascade")


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


# Templates of signatures: ``error:{kind}-{what|slug}-{file|basename}``.


class TemplateError(ValueError):
    """A template that cannot be read; the message says why."""


class Slot(Value):
    """``{name|filter argument|...}``: what is in a template for a captured text."""

    __slots__ = ("filters", "name")

    def __init__(self, name: str, filters: tuple[tuple[str, str], ...]) -> None:
        self.name = name
        self.filters = filters


def read(template: str) -> tuple[str | Slot, ...]:
    """Return the pieces of a template; raises TemplateError."""
    pieces: list[str | Slot] = []
    at = 0
    while at < len(template):
        start = template.find("{", at)
        if start < 0:
            pieces.append(template[at:])
            break
        end = template.find("}", start)
        if end < 0:
            raise TemplateError(f"`{template[start:]}` has no closing brace")
        if start > at:
            pieces.append(template[at:start])
        pieces.append(_slot(template[start + 1 : end]))
        at = end + 1
    return tuple(pieces)


def _slot(written: str) -> Slot:
    name, *filters = (part.strip() for part in written.split("|"))
    if not name:
        raise TemplateError("`{}` names nothing")
    return Slot(name, tuple(_filter(one) for one in filters))


def _filter(written: str) -> tuple[str, str]:
    name, _, argument = written.partition(" ")
    argument = argument.strip()
    if name not in FILTERS:
        raise TemplateError(f"there is no filter `{name}`; there are {', '.join(sorted(FILTERS))}")
    if name in NUMBERED and not (argument.isascii() and argument.isdigit() and int(argument) > 0):
        raise TemplateError(f"`{name}` needs a whole number of at least 1, for example `{name} 3`")
    if name in SPOKEN and not argument:
        raise TemplateError(f"`{name}` needs a text, for example `{name} none`")
    if argument and name not in NUMBERED | SPOKEN:
        raise TemplateError(f"`{name}` takes no argument, but has `{argument}`")
    return name, argument


def names(pieces: tuple[str | Slot, ...]) -> tuple[str, ...]:
    """Return the names that a template uses, in order."""
    return tuple(piece.name for piece in pieces if isinstance(piece, Slot))


def render(
    pieces: tuple[str | Slot, ...], value: Callable[[str], str], settings: Settings
) -> tuple[str, bool]:
    """Return the text, and whether any slot gave one. `value` returns the captured text of a name."""
    out: list[str] = []
    any = False
    for piece in pieces:
        if isinstance(piece, str):
            out.append(piece)
            continue
        text = value(piece.name)
        for name, argument in piece.filters:
            text = FILTERS[name](text, argument, settings)
        any = any or bool(text)
        out.append(text)
    return "".join(out), any


# What a template of a signature does with a captured text: shorten, fold, join, leave out noise.


class Settings:
    """
    What holds for all rows of a cascade.

    Args:
        drop: Words, folded, that `slug` and `words` leave out.
        noise: What `steady` leaves out, or None.
    """

    __slots__ = ("drop", "noise")

    def __init__(self, drop: frozenset[str] = frozenset(), noise: Noise | None = None) -> None:
        self.drop = drop
        self.noise = noise


def spoken(text: str) -> Iterator[str]:
    """
    Yield the words of `text`, folded: runs of letters, digits and marks.

    A full stop or slash between two of them is part of the word (``user.profile``), and so is a low
    line; emphasis is left out.
    """
    for run in words.fold(text).split():
        word: list[str] = []
        for at, letter in enumerate(run):
            if _belongs(letter, run, at, begun=bool(word)):
                word.append(letter)
            elif letter not in EMPHASIS and word:
                yield "".join(word)
                word = []
        if word:
            yield "".join(word)


def _belongs(letter: str, run: str, at: int, *, begun: bool) -> bool:
    if letter == "_":
        return 0 < at < len(run) - 1
    if letter in "./":
        return begun and at + 1 < len(run) and words.is_word(run[at + 1])
    return words.is_word(letter)


def slug(text: str, drop: frozenset[str]) -> str:
    """Return the words of `text` joined by hyphens, without those in `drop` unless nothing else is there."""
    found = list(spoken(text))
    return "-".join([w for w in found if w not in drop] or found)


def steady(text: str, noise: Noise | None) -> str:
    """Return `text` folded and without its noise; a long text is taken in pieces."""
    folded = words.fold(text)
    if noise is None:
        return folded
    return " ".join(noise.without(folded[at : at + PIECE]) for at in range(0, len(folded), PIECE))


def near(signature: str, drop: frozenset[str]) -> str:
    """
    Return a form that is equal for signatures that differ in case, articles or punctuation only.

    Colons keep parts apart and commas items; the order of items does not count, that of words does:
    to move a to b is not to move b to a. A number before the first item is none of it.
    """
    parts = []
    for part in signature.split(":"):
        number, dash, rest = part.partition("-")
        counted = bool(dash) and number.isdecimal()
        items = sorted({slug(item, drop) for item in (rest if counted else part).split(",")} - {""})
        parts.append(",".join([number, *items] if counted else items))
    return ":".join(part for part in parts if part)


def _first(text: str, argument: str, _settings: Settings) -> str:
    return text[: int(argument)]


def _words(text: str, argument: str, settings: Settings) -> str:
    found = list(spoken(text))
    kept = [w for w in found if w not in settings.drop] or found
    return "-".join(kept[: int(argument)])


#: Name -> what it makes of a text, its argument and the settings.
FILTERS: dict[str, Filter] = {
    "slug": lambda text, _argument, settings: slug(text, settings.drop),
    "words": _words,
    "basename": lambda text, _argument, _settings: basename(text),
    "lower": lambda text, _argument, _settings: text.lower(),
    "dashes": lambda text, _argument, _settings: "-".join(_split(text)),
    "first": _first,
    "steady": lambda text, _argument, settings: steady(text, settings.noise),
    "prefix": lambda text, argument, _settings: argument + text if text else "",
    "or": lambda text, argument, _settings: text or argument,
}
#: Filters that take a whole number of at least 1, and those that take a text.
NUMBERED, SPOKEN = frozenset(("first", "words")), frozenset(("or", "prefix"))


def _split(text: str) -> list[str]:
    """Return the texts between runs of blanks, empty ones at the edges too."""
    inner = text.split()
    if not inner:
        return ["", ""] if text else [""]
    lead = [""] if text[:1].isspace() else []
    return [*lead, *inner, *([""] if text[-1:].isspace() else [])]
