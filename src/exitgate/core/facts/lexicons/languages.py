"""
Which languages a text is written in, by its scripts and its commonest words.

What tells a language is in its lexicon of guards, under `recognise`:

    {"script": "CYRILLIC", "without": "KANA", "letters": "...", "words": ["...", ...]}

A text that is not longer than `SAMPLE` is read whole; of a longer one its beginning, its end and
windows between them, and what is around the first of a language's `letters` in each half.
"""

from __future__ import annotations

from _collections import _count_elements  # type: ignore[import-not-found]

from exitgate.core.facts.text import words
from exitgate.core.model.json_object import one_or_more
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.json_object import JsonObject


#: Characters of a text that are read; a little more where letters of a language are elsewhere.
SAMPLE = 24_000
#: Characters of one window, and around a letter.
WINDOW = 400
#: Two different words of a language make it certain; in a text of fewer words than this one may do.
SHORT = 40
#: Texts whose words are kept counted: several lexicons ask about one text.
KEPT = 4
#: Script -> ranges of its letters.
SCRIPTS: dict[str, tuple[tuple[int, int], ...]] = {
    "CYRILLIC": ((0x0400, 0x052F),),
    "HAN": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
    "KANA": ((0x3041, 0x3096), (0x30A1, 0x30FA), (0xFF66, 0xFF9D)),
}
#: Letters of a script weigh as much as a word by this many.
LETTERS = 4


class Profile(Value):
    """
    What is counted in a text, once for all lexicons.

    Args:
        folded: The folded text.
    """

    __slots__ = ("counts", "folded", "scripts", "strengths", "total")

    def __init__(self, folded: str) -> None:
        self.folded = folded
        sample = sampled(folded)
        self.counts = counted(sample)
        self.total = sum(self.counts.values())
        self.scripts: dict[str, int] = {} if sample.isascii() else _scripts(sample)
        #: What each language came to: lexicons share their languages.
        self.strengths: dict[int, tuple[Language, tuple[int, bool]]] = {}


class Language(Value):
    """
    What tells one language.

    Args:
        code: Such as ``de``.
        plain: The lexicon's `recognise`: `script`, `without`, `letters`, `words`.
    """

    __slots__ = ("code", "letters", "script", "without", "words")

    def __init__(self, code: str, plain: JsonObject) -> None:
        self.code = code
        self.script = str(plain.get("script", ""))
        self.without = str(plain.get("without", ""))
        self.letters = str(plain.get("letters", ""))
        self.words = frozenset(words.fold(str(word)) for word in plain.array("words"))

    def strength(self, profile: Profile) -> tuple[int, bool]:
        """Return how much of the text is in this language, about in words, and whether that is certain."""
        if self.script:
            return self._of_script(profile), True
        counts = profile.counts
        met = counts.keys() & self.words
        strength = sum([counts[word] for word in met])
        if len(profile.folded) > SAMPLE:
            further = self._around_letters(profile.folded)
            met |= further.keys() & self.words
            strength += sum([further[word] for word in further.keys() & self.words])
        return strength, len(met) > 1

    def _of_script(self, profile: Profile) -> int:
        found = profile.scripts.get(self.script, 0)
        if found and self.without in profile.scripts:
            found = 0
        if not found and not profile.folded.isascii():
            found = sum(letter in profile.folded for letter in self.letters)
        return (found + LETTERS - 1) // LETTERS

    def _around_letters(self, folded: str) -> dict[str, int]:
        """Return the words beside the language's own letters, in a text that is too long to read whole."""
        if folded.isascii():
            return {}
        places: set[int] = set()
        middle = len(folded) // 2
        for letter in self.letters:
            places.update((folded.find(letter, SAMPLE // 4), folded.find(letter, middle)))
        pieces = [_whole(folded[max(0, at - WINDOW) : at + WINDOW]) for at in sorted(places) if at >= 0]
        return counted(" ".join(pieces))


class Languages(Value):
    """
    The languages a lexicon tells apart.

    Args:
        known: Code -> `recognise` of its lexicon of guards.
    """

    __slots__ = ("known",)

    def __init__(self, known: Mapping[str, JsonObject]) -> None:
        self.known = tuple(language(code, plain) for code, plain in known.items())

    def of(self, folded: str) -> tuple[str, ...]:
        """
        Return the codes of the languages in a folded text, the one with most of it first.

        Without any evidence it may be any that needs no script of its own.
        """
        profile = profile_of(folded)
        strengths = [(*_strength(one, profile), one.code) for one in self.known]
        found = [(strength, code) for strength, certain, code in strengths if strength and certain]
        if not found and profile.total < SHORT:
            found = [(strength, code) for strength, _, code in strengths if strength]
        if not found:
            return tuple(one.code for one in self.known if not one.script)
        found.sort(key=lambda pair: -pair[0])
        return tuple(code for _, code in found)


def language(code: str, plain: JsonObject) -> Language:
    """Return a language, the same object for the same words: each lexicon of a policy names it anew."""
    for written, known in _languages.get(code, ()):
        if written is plain or written == plain:
            return known
    made = Language(code, plain)
    _languages.setdefault(code, []).append((plain, made))
    del _languages[code][:-KEPT]
    return made


#: Code -> what was written of it, and the language, of those asked for last.
_languages: dict[str, list[tuple[JsonObject, Language]]] = {}


def _strength(language: Language, profile: Profile) -> tuple[int, bool]:
    known = profile.strengths.get(id(language))
    if known is None:
        # the language is held, so that its identity stays its own
        known = profile.strengths[id(language)] = (language, language.strength(profile))
    return known[1]


def sampled(text: str) -> str:
    """Return what is read of `text`: all, or its beginning, its end and even windows between."""
    if len(text) <= SAMPLE:
        return text
    edge = SAMPLE // 3
    step = (len(text) - 2 * edge) // (edge // WINDOW)
    between = [_whole(text[at : at + WINDOW]) for at in range(edge, len(text) - edge, max(step, WINDOW))]
    return " ".join((_whole(text[:edge]), *between, _whole(text[-edge:])))


def _whole(piece: str) -> str:
    """Return a piece of a text without the words at its ends, which may be cut."""
    return piece[piece.find(" ") + 1 : piece.rfind(" ")]


def counted(text: str) -> dict[str, int]:
    """Return how often each word of folded `text` occurs; words of scripts without blanks are not parted."""
    counts: dict[str, int] = {}
    # a table is quick for ASCII only; elsewhere marks are cut off the ends of words
    found = (
        text.encode().translate(_ASCII_BLANKS).decode().split()
        if text.isascii()
        else [w.strip(_MARKS) for w in text.split()]
    )
    _count_elements(counts, found)
    return counts


def _blanked(text: str) -> str:
    """Return `text` with blanks for marks; where few letters are outside ASCII, without `translate`."""
    encoded = text.encode("utf-8", "surrogatepass")
    foreign = words.foreign_letters(encoded)
    if len(foreign) > words.FEW:
        return text.translate(_BLANKS)
    text = encoded.translate(_ASCII_BLANKS).decode("utf-8", "surrogatepass")
    for letter in foreign:
        if ord(letter) in _BLANKS:
            text = text.replace(letter, " ")
    return text


def _scripts(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for letter in set(text):
        if letter < "\u0400":
            continue
        code = ord(letter)
        for name, ranges in SCRIPTS.items():
            if any(low <= code <= high for low, high in ranges):
                found[name] = found.get(name, 0) + text.count(letter)
    return found


_profiles: list[Profile] = []


def profile_of(folded: str) -> Profile:
    """Return the profile of a folded text, the same one while the text is among the last `KEPT`."""
    for known in _profiles:
        if known.folded is folded:
            return known
    made = Profile(folded)
    _profiles.insert(0, made)
    del _profiles[KEPT:]
    return made


#: Marks that are at words. Apostrophes inside stay: ``c'est`` is a word.
_MARKS = "".join(
    chr(code)
    for code in (
        *(c for c in range(33, 128) if not chr(c).isalnum() and chr(c) not in "_'"),
        *range(0xA1, 0xC0), *range(0x2010, 0x2030), *range(0x3001, 0x3020), *range(0xFF01, 0xFF10),
        *range(0xFF1A, 0xFF20),
    )
)  # fmt: skip
_BLANKS = {ord(mark): " " for mark in _MARKS if mark.isascii()}

_ASCII_BLANKS = bytes(32 if code < 128 and code in _BLANKS else code for code in range(256))


def chosen(option: object, codes: Sequence[str]) -> tuple[str, ...] | None:
    """Return the codes an option `language` names, those a lexicon has; None when the text decides."""
    named = one_or_more(option)
    return tuple(code for code in codes if code in named) or None
