"""
Patterns in RE2's dialect as trees.

Only where a pattern repeats, joins and anchors is read here; what one piece of it takes for a character is
asked of the engine (`characters.taken`). `re`'s own parser does not do: it has another dialect.
"""

from __future__ import annotations

import re

from exitgate.analysis.space.texts.charsets import ANY, BUT_NEWLINE, charset_of, single
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.space.texts.charsets import Characters


#: Deepest nesting of groups that is read.
_DEEPEST = 200
_REPEAT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAMED = re.compile(r"\(\?P?<\w+>")
#: Escapes that take one character.
_ESCAPE = re.compile(
    r"\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|[pP].|[0-7]{1,3}|[^0-9pPxQECbBAz])", re.S
)
_BOUNDS = {"A": "begin_text", "z": "end_text", "b": "word", "B": "not_word"}


class UnreadError(Exception):
    """The pattern has something that is not read here."""


class Piece(Value):
    """A piece of a pattern; one of the classes below."""

    __slots__ = ()


class Letter(Piece):
    """One character out of a set."""

    __slots__ = ("characters",)

    def __init__(self, characters: Characters) -> None:
        self.characters = characters


class Bound(Piece):
    """What takes no character: begin or end of a text or line, ``word`` for its bound, ``not_word``."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Row(Piece):
    """Pieces one after the other; none is the empty text."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Piece, ...]) -> None:
        self.parts = parts


class Choice(Piece):
    """One of several pieces."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Piece, ...]) -> None:
        self.parts = parts


class Repeat(Piece):
    """A piece from `least` to `most` times; `most` is None where there is no end."""

    __slots__ = ("least", "most", "part")

    def __init__(self, part: Piece, least: int, most: int | None) -> None:
        self.part = part
        self.least = least
        self.most = most


def read(pattern: str) -> Piece:
    """
    Return the tree of a pattern that RE2 takes.

    Raises:
        UnreadError: It takes parts of characters (`\\C`), nests too deep, or is in a form not known.
    """
    reader = _Reader(pattern)
    try:
        found = reader.choice("", 0)
    except (IndexError, ValueError) as error:
        raise UnreadError(str(error)) from error
    if not reader.ended():
        raise UnreadError(f"`{pattern}` is not read beyond its character {reader.at}")
    return found


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0

    def ended(self) -> bool:
        return self.at >= len(self._pattern)

    def choice(self, flags: str, depth: int) -> Piece:
        """Read alternatives up to the end of their group. Flags set in one hold for those after it."""
        if depth > _DEEPEST:
            raise UnreadError("too deep")
        rows: list[Piece] = []
        parts: list[Piece] = []
        while not self.ended() and self._pattern[self.at] != ")":
            letter = self._pattern[self.at]
            if letter == "|":
                self.at += 1
                rows.append(_row(parts))
                parts = []
                continue
            set_here = _FLAGS.match(self._pattern, self.at)
            if set_here is not None and set_here[3] == ")":
                self.at, flags = set_here.end(), _flagged(flags, set_here)
                continue
            if self._pattern.startswith("\\Q", self.at):
                parts += self._quoted(flags)
            else:
                parts.append(self._one(flags, depth))
            if parts:
                parts[-1] = self._repeated(parts[-1])
        rows.append(_row(parts))
        return rows[0] if len(rows) == 1 else Choice(tuple(rows))

    def _repeated(self, part: Piece) -> Piece:
        while not self.ended():
            letter = self._pattern[self.at]
            bounds = _REPEAT.match(self._pattern, self.at)
            if letter in "*+?":
                self.at += 1
                least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[letter]
            elif bounds is not None:
                self.at = bounds.end()
                least = int(bounds[1])
                most = least if not bounds[2] else int(bounds[3]) if bounds[3] else None
            else:
                return part
            self.at += self._pattern.startswith("?", self.at)  # lazy or greedy: what is found is the same
            part = Repeat(part, least, most)
        return part

    def _one(self, flags: str, depth: int) -> Piece:
        letter = self._pattern[self.at]
        if letter == "(":
            return self._group(flags, depth)
        if letter == "[":
            return Letter(charset_of(self._class(), _case(flags)))
        if letter == "\\":
            return self._escaped(flags)
        self.at += 1
        if letter == ".":
            return Letter(ANY if "s" in flags else BUT_NEWLINE)
        if letter == "^":
            return Bound("begin_line" if "m" in flags else "begin_text")
        if letter == "$":
            return Bound("end_line" if "m" in flags else "end_text")
        return _literal(letter, flags)

    def _group(self, flags: str, depth: int) -> Piece:
        own, named = _FLAGS.match(self._pattern, self.at), _NAMED.match(self._pattern, self.at)
        if own is not None:
            self.at, flags = own.end(), _flagged(flags, own)
        elif named is not None:
            self.at = named.end()
        elif self._pattern.startswith("(?", self.at):
            raise UnreadError("a group of a kind that is not known")
        else:
            self.at += 1
        found = self.choice(flags, depth + 1)
        if self._pattern[self.at] != ")":
            raise UnreadError("a group without an end")
        self.at += 1
        return found

    def _class(self) -> str:
        """Return a class in brackets as it is written."""
        start = self.at
        self.at += 2 if self._pattern.startswith("[^", self.at) else 1
        first = True
        while first or self._pattern[self.at] != "]":
            first = False
            end = self._pattern.find(":]", self.at + 2) if self._pattern.startswith("[:", self.at) else -1
            if end >= 0:
                self.at = end + 2
            else:
                self.at += 2 if self._pattern[self.at] == "\\" else 1
        self.at += 1
        return self._pattern[start : self.at]

    def _escaped(self, flags: str) -> Piece:
        kind = _BOUNDS.get(self._pattern[self.at + 1])
        if kind is not None:
            self.at += 2
            return Bound(kind)
        written = _ESCAPE.match(self._pattern, self.at)
        if written is None:
            raise UnreadError(f"the escape `{self._pattern[self.at : self.at + 2]}`")
        self.at = written.end()
        return Letter(charset_of(written[0], _case(flags)))

    def _quoted(self, flags: str) -> list[Piece]:
        end = self._pattern.find("\\E", self.at + 2)
        inside = self._pattern[self.at + 2 : end if end >= 0 else len(self._pattern)]
        self.at = end + 2 if end >= 0 else len(self._pattern)
        return [_literal(letter, flags) for letter in inside]


def _row(parts: list[Piece]) -> Piece:
    return parts[0] if len(parts) == 1 else Row(tuple(parts))


def _literal(letter: str, flags: str) -> Piece:
    if letter != "\ufffd" and ("i" not in flags or (letter.isascii() and not letter.isalpha())):
        return Letter(single(letter))
    return Letter(charset_of(f"\\x{{{ord(letter):x}}}", _case(flags)))


def _case(flags: str) -> str:
    return "i" if "i" in flags else ""


def _flagged(flags: str, written: re.Match[str]) -> str:
    return "".join(sorted((set(flags) | set(written[1])) - set(written[2] or "")))
