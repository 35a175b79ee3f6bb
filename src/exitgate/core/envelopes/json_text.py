"""
One JSON value out of text that need not be quite JSON.

Raw control characters inside strings are taken as they are, a backslash that does not begin an
escape is a backslash, and a value that was cut off in the middle holds what is there. Time is linear
in the text; numbers of absurd length are None; nesting too deep for the scanner is not JSON.
"""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


BLANK = " \t\r\n"
_WHOLE_LIMIT = 40
_ESCAPES = '"\\/bfnrt'
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_CLOSING = {"{": "}", "[": "]"}


class Read(Value):
    """
    A value, its end, and what had to be fixed.

    Args:
        value: Plain JSON values.
        end: Offset after it in the text that was given.
        fixed: Whether a backslash in it was wrong.
        cut: Whether its end is missing.
    """

    __slots__ = ("cut", "end", "fixed", "value")

    def __init__(self, value: object, end: int, fixed: bool = False, cut: bool = False) -> None:
        self.value = value
        self.end = end
        self.fixed = fixed
        self.cut = cut


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) < _WHOLE_LIMIT else None


class _Context:
    """What the scanner asks of a decoder."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = _whole

    @staticmethod
    def parse_constant(name: str) -> None:
        """Return None for infinite numbers and for what is none."""


def _scanner() -> Callable[[str, int], tuple[object, int]]:
    try:
        from _json import make_scanner

        scan: Callable[[str, int], tuple[object, int]] = make_scanner(_Context)  # type: ignore[arg-type]
        scan('{"a": ["\t", 1.5, 2, NaN]}', 0)  # a scanner of another Python may want another context
    except (ImportError, TypeError, AttributeError):  # pragma: no cover - another Python
        import json

        scan = json.JSONDecoder(strict=False).raw_decode
    return scan


_scan = _scanner()


def scanned(text: str, start: int = 0) -> Read | None:
    """Return the value that begins at `start`, behind blanks, or None where there is none."""
    while text[start : start + 1] in BLANK and start < len(text):
        start += 1
    try:
        # SystemError: the scanner finds no words for what is wrong unless the package is loaded.
        value, end = _scan(text, start)
    except (ValueError, StopIteration, SystemError, RecursionError):
        return None
    return Read(value, end)


def whole(text: str) -> Read | None:
    """Return the one value that all of `text` is, fixing wrong backslashes; None where it is not one."""
    for fixed in (False, True):
        if fixed and "\\" not in text:
            return None
        tried = right_escapes(text) if fixed else text
        found = scanned(tried)
        if found is not None and not tried[found.end :].strip(BLANK):
            return Read(found.value, len(text), fixed)
    return None


def cut(text: str) -> Read | None:
    """Return what is there of the one value that `text` begins and does not end; else None."""
    begun = _without_half_escape(text)
    for fixed in (False, True):
        if fixed and "\\" not in text:
            return None
        closed = _closed(right_escapes(begun) if fixed else begun)
        if closed is None:
            return None
        found = scanned(closed)
        if found is not None:
            return Read(found.value, len(text), fixed, cut=True)
    return None


def right_escapes(text: str) -> str:
    """Return the text with a second backslash behind each that begins no escape of JSON."""
    if _all_right(text):
        return text
    pieces: list[str] = []
    at, found = 0, text.find("\\")
    while found >= 0:
        mark = text[found + 1 : found + 2]
        if mark and mark in _ESCAPES:
            end = found + 2
        elif mark == "u" and len(code := text[found + 2 : found + 6]) == 4 and _HEXADECIMAL.issuperset(code):
            end = found + 6
        else:
            end = found + 1
            pieces += (text[at:end], "\\")
            at = end
        found = text.find("\\", end)
    pieces.append(text[at:])
    return "".join(pieces)


def _all_right(text: str) -> bool:
    """Return whether every backslash plainly begins an escape; a few counts, where a walk takes long."""
    single = text.replace("\\\\", "") if "\\\\" in text else text
    return single.count("\\") == sum(single.count(f"\\{mark}") for mark in _ESCAPES if mark != "\\")


def _without_half_escape(text: str) -> str:
    """Return the text without the escape that its end cuts off, if it does."""
    at = text.rfind("\\", max(0, len(text) - 5))
    if at < 0:
        return text
    slashes = at
    while slashes > 0 and text[slashes - 1] == "\\":
        slashes -= 1
    begins = (at - slashes) % 2 == 0
    return text[:at] if begins and text[at + 1 : at + 2] in ("", "u") else text


def _closed(text: str) -> str | None:
    """Return the text up to the last thing that is whole in it, with what closes it behind; else None."""
    stack: list[str] = []
    safe = at = 0
    names = False  # whether the next string is the name of a member
    while at < len(text):
        mark = text[at]
        if mark == '"':
            end = _string_end(text, at + 1)
            if end < 0:
                return None if not stack else _ended(text, safe, names, stack)
            at = end + 1
            safe = safe if names else at
            continue
        if mark in _CLOSING:
            stack.append(_CLOSING[mark])
            safe, names = at + 1, mark == "{"
        elif mark in "}]":
            if not stack or stack.pop() != mark or not stack:
                return None  # not JSON, or not cut off
            safe = at + 1
        elif mark == ",":
            if not stack:
                return None
            safe, names = at, stack[-1] == "}"
        elif mark == ":":
            names = False
        at += 1
    return _with_ends(text[:safe], stack) if stack else None


def _ended(text: str, safe: int, names: bool, stack: list[str]) -> str:
    """Return the text whose last string has no end."""
    return _with_ends(text[:safe], stack) if names else _with_ends(text + '"', stack)


def _with_ends(text: str, stack: list[str]) -> str:
    return text + "".join(reversed(stack))


def _string_end(text: str, at: int) -> int:
    """Return the offset of the mark that ends a string, -1 without one."""
    while (found := text.find('"', at)) >= 0:
        slashes = found - 1
        while slashes >= at and text[slashes] == "\\":
            slashes -= 1
        if (found - 1 - slashes) % 2 == 0:
            return found
        at = found + 1
    return -1


def is_torn(line: str) -> bool:
    """Return whether a line that is not JSON may be a part of an object, and not words of a program."""
    return line.startswith("{") or line.endswith(("}", '"]')) or '":' in line


# Texts in which line ends are written `\n`: the body of a JSON string that somebody pasted or printed.
#
# A mention of `\n` is none. A text is taken for escaped when it is one line and at least two of its `\n`
# are between words and marks of a layout, outside code spans and quotations, and are most of all.

_END = "\\n"
_FENCE = "```"
#: In front of a line end there is a word or a stop; these are marks of code that mentions one.
_NOT_BEFORE = " \t`'\"\\([{|+*?/,="
#: What follows a line end: another, an indent, a list, a heading, a table, a tag, emphasis, a rule.
_LAYOUT = "-#*|<>_[=~\u2022\u2013\u2014"
_LEAST = 2


def looks_escaped(text: str) -> bool:
    """Return whether all of `text` is such a body."""
    body = text.strip()
    if _END not in body or "\n" in body:
        return False
    every = body.count(_END)
    layout = sum(_layouts(piece) for piece in _outside(body.replace(_FENCE, "")))
    return layout >= _LEAST and 2 * layout >= every


def unescaped(text: str) -> str:
    """Return the text with its escapes of line ends, tabs, quotation marks and backslashes undone."""
    pieces = text.split("\\\\")
    for mark, meant in (("\\r\\n", "\n"), ("\\n", "\n"), ("\\t", "\t"), ('\\"', '"')):
        pieces = [piece.replace(mark, meant) for piece in pieces]
    return "\\".join(pieces)


def _outside(body: str) -> list[str]:
    """Return the pieces of a line that are in no code span and in no quotation."""
    spans = body.split("`")
    found: list[str] = []
    for number, span in enumerate(spans):
        # The last of an even number of pieces is behind a mark that nothing closes.
        if number % 2 == 0 or number == len(spans) - 1:
            for piece in span.replace('\\"', "\u201d").split('"')[::2]:
                found += _unquoted(piece)
    return found


def _unquoted(piece: str) -> Iterator[str]:
    """Yield what is not between single quotation marks; an apostrophe within a word is none."""
    at = 0
    while (opens := piece.find(" '", at)) >= 0:
        closes = piece.find("'", opens + 2)
        while closes >= 0 and piece[closes + 1 : closes + 2].isalnum():
            closes = piece.find("'", closes + 1)
        if closes < 0:
            break
        yield piece[at:opens]
        at = closes + 1
    yield piece[at:]


def _layouts(piece: str) -> int:
    """Return how many `\\n` in a piece of text are ends of its lines."""
    found, at = 0, piece.find(_END)
    while at >= 0:
        before, behind = piece[at - 1 : at], piece[at + len(_END) : at + len(_END) + 2]
        follows = behind[:1]
        ends = bool(before) and before not in _NOT_BEFORE
        continues = piece[max(0, at - len(_END)) : at] == _END  # the second of an empty line
        if (ends or continues) and _begins_line(follows, behind):
            found += 1
        at = piece.find(_END, at + len(_END))
    return found


def _begins_line(follows: str, behind: str) -> bool:
    if not follows:
        return False
    return behind == _END or follows in _LAYOUT or follows.isupper() or follows.isdigit() or behind == "  "
