"""
One value of a JSON text by pointer (RFC 6901), with its place in the text.

The text is read strictly, as RFC 8259 has JSON: no comments, no key twice in one object, no NaN.
"""

from __future__ import annotations

from exitgate.core.facts.records import NoNumberError, Strict, TwiceError
from exitgate.core.model.exact import keeps_digits
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Scan = Callable[[str, int], tuple[object, int]]


#: The form of a pointer, as JSON Schema has patterns.
POINTER_PATTERN = r"^(/([^~/]|~0|~1)*)*$"
#: Characters of the longest index of an array that is looked for.
_INDEX = 8
_BLANK = " \t\n\r"
_MARK = "\ufeff"
_TOO_DEEP = "is nested too deeply"
_NO_NUMBERS = ("NaN", "-Infinity", "Infinity")


class Found(Value):
    """
    What a pointer points to, or why there is nothing.

    Args:
        value: The value, as Python has it; an object or array as `dict` or `list`.
        start, end: Its offsets in the text.
        problem: Why there is none, as a sentence part that follows the name of the file; else empty.
        at: Offset where the text is wrong, or -1.
    """

    __slots__ = ("at", "end", "problem", "start", "value")

    def __init__(
        self, value: object = None, start: int = 0, end: int = 0, problem: str = "", at: int = -1
    ) -> None:
        self.value = value
        self.start = start
        self.end = end
        self.problem = problem
        self.at = at


def tokens(pointer: str) -> tuple[str, ...]:
    """Return the names and indices of a pointer: ``/a~1b/0`` is ``a/b`` and ``0``; none for the empty one."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def find(text: str, pointer: str) -> Found:
    """Return what `pointer` points to in a JSON text. Never raises on any text; linear in it."""
    wrong = _wrong(text)
    if wrong is not None:
        return wrong
    try:
        return _look(text, pointer)
    except RecursionError:  # it was at the edge when the whole text was read
        return Found(problem=_TOO_DEEP)


def _look(text: str, pointer: str) -> Found:
    """Do as `find` on a text that is JSON."""
    scan = _scanner()
    at = _blank_end(text, 0)
    for number, token in enumerate(tokens(pointer)):
        inner = {"{": _member, "[": _element}.get(text[at])
        at = -1 if inner is None else inner(text, at + 1, token, scan)
        if at < 0:
            done = "/".join(pointer.split("/")[: number + 2])
            return Found(problem=f"has nothing at `{done}`")
    value, end = scan(text, at)
    return Found(value, at, end)


def place(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


#: The last text that was looked through, and what is wrong with it: several facts read one file.
_LAST: list[tuple[str, Found | None]] = []


def _wrong(text: str) -> Found | None:
    """Return what is wrong with a whole text, or None."""
    for last, found in _LAST:
        if last is text:
            return found
    found = _look_through(text)
    _LAST[:] = [(text, found)]
    return found


def _look_through(text: str) -> Found | None:
    start = _blank_end(text, 0)
    if start == len(text):
        return Found(problem="is empty")
    try:
        _, end = _scanner()(text, start)
    except SystemError:
        # the scanner has no way to say what is wrong before that module is there
        import json.decoder  # noqa: F401

        return _look_through(text)
    except TwiceError as twice:
        return Found(problem=f"has the key `{str(twice)[:80]}` twice in one object")
    except NoNumberError as number:
        return Found(problem=f"holds `{number}`, which is not JSON", at=_no_number(text))
    except StopIteration as stopped:
        return Found(problem="is not JSON", at=stopped.value)
    except (RecursionError, MemoryError):
        return Found(problem=_TOO_DEEP)
    except ValueError as error:
        at = getattr(error, "pos", None)  # a number of too many digits has none
        if at is None:
            return Found(problem="holds a number of too many digits")
        return Found(problem="is not JSON", at=at)
    end = _blank_end(text, end)
    return None if end == len(text) else Found(problem="is not JSON", at=end)


_INFINITY = float("inf")


class Lost:
    """A number of a file with more digits than a float holds."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _number(text: str) -> float | Lost:
    value = float(text)
    return value if not -_INFINITY < value < _INFINITY or keeps_digits(text, value) else Lost(text)


class _Exactly(Strict):
    parse_float = staticmethod(_number)


def _scanner() -> Scan:
    from _json import make_scanner

    return make_scanner(_Exactly)  # type: ignore[arg-type]


def _string(text: str, at: int) -> tuple[str, int]:
    """Return a string and the offset behind it; `at` is behind its first quote."""
    from _json import scanstring

    return scanstring(text, at, True)


def _blank_end(text: str, at: int) -> int:
    """Return the offset of the next character that is not blank."""
    if at == 0 and text.startswith(_MARK):
        at = 1
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _member(text: str, at: int, name: str, scan: Scan) -> int:
    """Return where the value of a name of an object begins, -1 without; `at` is behind its brace."""
    while True:
        at = _blank_end(text, at)
        if text[at] == "}":
            return -1
        key, at = _string(text, at + 1)
        at = _blank_end(text, _blank_end(text, at) + 1)
        if key == name:
            return at
        at = _behind(text, at, scan)


def _element(text: str, at: int, index: str, scan: Scan) -> int:
    """Return where an element of an array begins, -1 without; `at` is behind its bracket."""
    plain = index.isascii() and index.isdigit() and len(index) <= _INDEX and (index == "0" or index[0] != "0")
    left = int(index) if plain else -1
    while left >= 0:
        at = _blank_end(text, at)
        if text[at] == "]":
            return -1
        if left == 0:
            return at
        left -= 1
        at = _behind(text, at, scan)
    return -1


def _behind(text: str, at: int, scan: Scan) -> int:
    """Return the offset behind a value and the comma after it, or of the sign that closes what it is in."""
    _, at = scan(text, at)
    at = _blank_end(text, at)
    return at + 1 if text[at] == "," else at


def _no_number(text: str) -> int:
    """Return the offset of the first word that is not a number, strings passed over; -1 without."""
    at = 0
    while True:
        ends = [found for word in _NO_NUMBERS if (found := text.find(word, at)) >= 0]
        quote = text.find('"', at)
        if not ends or quote < 0 or min(ends) < quote:
            return min(ends, default=-1)
        try:
            _, at = _string(text, quote + 1)
        except ValueError:
            return -1
