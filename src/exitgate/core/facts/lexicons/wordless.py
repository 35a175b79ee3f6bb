"""Phrases that hold no word: nothing could ever match, so compiling the policy reports them."""

from __future__ import annotations

from functools import lru_cache

from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.facts.lexicons.phrases import phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.core.model.json_object import JsonObject

    Path = tuple[str | int, ...]


#: Keys under which phrases are, alone or in a list.
_ONE = "phrase"
_SEVERAL = ("phrases", "words")
_HELP = "write at least one word beside `...` and `|`"


def faults(options: JsonObject) -> Iterator[tuple[Path, str, str]]:
    """Yield path, message and help of each phrase in an extractor's options that holds no word."""
    for path, written in _phrases({k: v for k, v in options.items() if k != "lexicon"}, (), phrases=False):
        if not _has_word(written):
            yield path, f"the phrase `{written}` has no word", _HELP
    for written in _texts(entries_of(options.object("lexicon"))):
        if not _has_word(written):
            yield ("lexicon",), f"the phrase `{written}` of the lexicon has no word", _HELP


def _phrases(value: object, path: Path, *, phrases: bool) -> Iterator[tuple[Path, str]]:
    """Yield the phrases in a mapping or a list; the texts of a list are some where `phrases` says so."""
    within: Iterable[tuple[str | int, object, bool]] = ()
    if isinstance(value, dict):
        within = ((key, one, key == _ONE or key in _SEVERAL) for key, one in value.items())
    elif isinstance(value, list | tuple):
        within = ((number, one, phrases) for number, one in enumerate(value))
    for key, one, are in within:
        if not isinstance(one, str):
            yield from _phrases(one, (*path, key), phrases=are)
        elif are:
            yield (*path, key), one


def _texts(entries: object) -> list[str]:
    """Return the phrases of a lexicon, which has thousands, as `_phrases` does and without their paths."""
    found: list[str] = []
    left: list[tuple[object, bool]] = [(entries, False)]
    while left:
        value, phrases = left.pop()
        if isinstance(value, dict):
            for key, one in value.items():
                are = key == _ONE or key in _SEVERAL
                if not isinstance(one, str):
                    left.append((one, are))
                elif are:
                    found.append(one)
        elif isinstance(value, list | tuple):
            left += [(one, phrases) for one in value if not isinstance(one, str)]
            if phrases:
                found += [one for one in value if isinstance(one, str)]
    return found


@lru_cache(maxsize=4096)
def _has_word(written: str) -> bool:
    if any(map(str.isalnum, written)):  # neither of a gap nor between alternatives
        return True
    try:
        phrase("", written)
    except ValueError:
        return False
    return True
