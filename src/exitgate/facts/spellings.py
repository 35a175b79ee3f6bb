"""Other ways to write the words of a lexicon: replaced letters, composed marks, parted characters."""

from __future__ import annotations

from exitgate.facts import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NO_SPELLINGS: Mapping[str, str] = {}


def respelled(written: str, spellings: Mapping[str, str] = NO_SPELLINGS) -> str:
    """
    Return a phrase with, behind each alternative of a word, its other spelling where it has one.

    Args:
        written: The phrase, alternatives parted by bars.
        spellings: Letter, in lower case -> what may be in its place: an umlaut's two vowels.
    """
    if written.isascii():
        return written
    from unicodedata import normalize

    pieces = []
    for piece in normalize("NFC", written).split():
        found = [form for one in piece.split("|") for form in forms(one, spellings)]
        pieces.append("|".join(dict.fromkeys(found)))
    return " ".join(pieces)


def forms(word: str, spellings: Mapping[str, str]) -> tuple[str, ...]:
    """Return `word`, and it with every letter of `spellings` replaced where that is another word."""
    if word.isascii() or not spellings:
        return (word,)
    low = words.fold(word)
    other = "".join(spellings.get(letter, letter) for letter in low)
    return (word,) if other == low else (word, other)


def cues_of(plain: Mapping[str, object], spellings: Mapping[str, str]) -> dict[str, object]:
    """
    Return the groups of a guard as rows of words hold them.

    Args:
        plain: Groups of cues, and limits.
        spellings: As for `respelled`; a cue is there in both spellings.

    Characters of scripts without blanks are words of their own, so they are parted in cues too.
    """
    return {
        name: [form for cue in group for form in _cue_forms(str(cue), spellings)]
        if isinstance(group, list | tuple)
        else group
        for name, group in plain.items()
    }


def _cue_forms(cue: str, spellings: Mapping[str, str]) -> tuple[str, ...]:
    if cue.isascii():
        return (cue,)
    from unicodedata import normalize

    return tuple(_parted(form) for form in forms(normalize("NFC", cue), spellings))


def _parted(cue: str) -> str:
    if not any(words.is_unspaced(letter) for letter in cue):
        return cue
    return " ".join(cue[a:b] for a, b in words.tokens(cue, 0, len(cue)))
