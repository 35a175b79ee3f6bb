"""Patterns on RE2: linear in the text, no matter what the pattern."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CACHE_LIMIT = 512
_compiled: dict[str, Callable[[str], bool]] = {}


def searcher(pattern: str) -> Callable[[str], bool]:
    """
    Return a test whether `pattern` is found anywhere in a text; compiled once per process.

    A text with lone surrogates, which UTF-8 cannot hold, is searched with U+FFFD in their place.

    Raises:
        ValueError: RE2 refuses the pattern.
    """
    found = _compiled.get(pattern)
    if found is None:
        if len(_compiled) >= _CACHE_LIMIT:
            _compiled.clear()
        found = _compiled[pattern] = _compile(pattern)
    return found


def _compile(pattern: str) -> Callable[[str], bool]:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(pattern, options=options).search
    except re2.error as error:
        raise ValueError(str(error)) from error

    def found(text: str) -> bool:
        try:
            return search(text) is not None
        except UnicodeEncodeError:
            clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            return search(clean) is not None

    return found
