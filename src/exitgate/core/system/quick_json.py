"""
JSON without the package `json`, which loads `re` and `enum`: more than half of Python's own start.

The two functions are the C scanner and encoder that `json` itself runs, with the settings that
`json.loads` and `json.dumps` give them; a test holds them together. A Python without them uses `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Text or UTF-8 -> plain values. Raises ValueError (RecursionError for thousands of levels).
    Loads = Callable[[str | bytes], Any]
    #: Plain values -> text. Raises ValueError for a circle, TypeError for what is not JSON.
    Dumps = Callable[[object], str]


__all__ = ["LazyJson", "dumps", "dumps_finite", "dumps_sorted", "loads"]

_BLANK = " \t\n\r"
_NUMBERS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class _Context:
    """What the scanner asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _NUMBERS.__getitem__


class LazyJson:
    """A JSON value that is read when it is first asked for; it is written as what it holds."""

    __slots__ = ()

    def read(self) -> object:
        """Return the value."""
        raise NotImplementedError


def _other(value: object) -> object:
    if isinstance(value, LazyJson):
        return value.read()
    raise TypeError(f"a {type(value).__name__} is not JSON")


def _quick() -> tuple[Loads, Callable[[bool, bool], Dumps]]:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    scan = make_scanner(_Context)  # type: ignore[arg-type]

    def loads(text: str | bytes) -> Any:
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogatepass")
        start = 0
        if text[:1] in _BLANK:
            start = len(text) - len(text.lstrip(_BLANK))
        try:
            found, end = scan(text, start)
        except (StopIteration, SystemError):
            # The scanner finds no words for what is wrong, unless the package is loaded.
            import json

            return json.loads(text)
        if end != len(text) and text[end:].strip(_BLANK):
            raise ValueError(f"more than one JSON value: the second at character {end}")
        return found

    def writer(infinite: bool, ordered: bool = False) -> Dumps:
        def dumps(value: object) -> str:
            encode = make_encoder(
                {}, _other, encode_basestring_ascii, None, ":", ",", ordered, False, infinite
            )
            return "".join(encode(value, 0))

        return dumps

    if loads(writer(False)([{"a": 1.5}, "é", None])) != [{"a": 1.5}, "é", None]:
        raise ImportError("the encoder of this Python is different")
    return loads, writer


def _plain() -> tuple[Loads, Callable[[bool, bool], Dumps]]:
    import json

    def writer(infinite: bool, ordered: bool = False) -> Dumps:
        return lambda value: json.dumps(
            value, allow_nan=infinite, sort_keys=ordered, separators=(",", ":"), default=_other
        )

    return json.loads, writer


try:
    loads, _writer = _quick()
except (ImportError, TypeError, AttributeError):  # pragma: no cover - another Python
    loads, _writer = _plain()
dumps = _writer(True, False)
#: The same, but ValueError for numbers that are infinite or none: no other program reads those.
dumps_finite = _writer(False, False)
#: `dumps` with the members of objects in the order of their names.
dumps_sorted = _writer(True, True)
