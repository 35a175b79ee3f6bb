"""Phrases that hold no word: nothing could ever match, so compiling the policy reports them."""

from __future__ import annotations

from functools import lru_cache

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
    for _, written in _phrases(options.object("lexicon").get("entries"), (), phrases=False):
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


@lru_cache(maxsize=4096)
def _has_word(written: str) -> bool:
    try:
        phrase("", written)
    except ValueError:
        return False
    return True
