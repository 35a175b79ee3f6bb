"""
Words in any script: folding, boundaries, tokens.

Boundaries are ours, by Unicode category, because ``\\b`` of pattern engines is ASCII or splits
scripts that write no spaces. Letters, marks, digits and the low line make words; between two
characters of a script without spaces there is always a boundary.
"""

from __future__ import annotations

from exitgate.core.model.json_object import JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


#: Scripts written without spaces: South-East Asian, kana, CJK ideographs, Hangul (its particles are
#: joined to the word), half-width kana, the supplementary ideographic planes.
UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x3041, 0x30FF),
    (0x3105, 0x318F), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F),
    (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFF66, 0xFFDC), (0x20000, 0x3FFFF),
)  # fmt: skip
APOSTROPHES = "\u2019\u02bc\uff07\u2018"
HYPHENS = "-\u2010\u2011"
#: Marks that make the word behind them part of code: ``@done``, ``$done``, ``#done``, ``\\done``.
SIGILS = "@$#\\&"


def fold(text: str) -> str:
    """
    Return `text` for comparing: lower case, straight apostrophes, carriage returns as spaces.

    It has exactly as many characters as `text`, so offsets into one are offsets into the other:
    the one character that grows in lower case is replaced first.
    """
    if text.isascii():
        low = text.lower()
        return low.replace("\r", " ") if "\r" in low else low
    low = _lower(text.replace("\u0130", "i"))
    if "\r" in low:
        low = low.replace("\r", " ")
    for mark in APOSTROPHES:
        low = low.replace(mark, "'")
    return low.replace("\u03c2", "\u03c3")


#: With more different letters outside ASCII than this, the text is lowered letter by letter.
FEW = 64
_ASCII = bytes(range(128))


def foreign_letters(encoded: bytes) -> set[str]:
    """Return the different characters outside ASCII of an encoded text; fast where they are few."""
    return set(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass"))


def _lower(text: str) -> str:
    """Return `text` in lower case; where few letters are outside ASCII, several times faster than `lower`."""
    encoded = text.encode("utf-8", "surrogatepass")
    foreign = foreign_letters(encoded)
    if len(foreign) > FEW:
        return text.lower()
    low = encoded.lower().decode("utf-8", "surrogatepass")
    for letter in foreign:
        small = letter.lower()
        if small != letter:
            low = low.replace(letter, small)
    return low


def is_word(letter: str) -> bool:
    """Return whether the character can be part of a word."""
    if letter.isalnum() or letter == "_":
        return True
    if letter < "\u0300":
        return False
    from unicodedata import category

    return category(letter)[0] == "M"


def is_unspaced(letter: str) -> bool:
    """Return whether the character belongs to a script that writes no spaces between words."""
    code = ord(letter)
    if code < UNSPACED[0][0]:
        return False
    # the common ideographs first: texts that have any have many
    return 0x4E00 <= code <= 0x9FFF or any(low <= code <= high for low, high in UNSPACED)


def glued(left: str, right: str) -> bool:
    """Return whether there is no word boundary between two neighbouring characters."""
    if left < "\u0300" and right < "\u0300":
        return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")
    return is_word(left) and is_word(right) and not (is_unspaced(left) or is_unspaced(right))


def starts_word(text: str, start: int) -> bool:
    """
    Return whether a word can start at `start`.

    Not inside a word, behind a hyphen that joins (``half-done``, ``--done``), behind a full stop
    inside a name (``a.done``), nor behind a sigil of code. An elided article may be before it,
    and a low line that is emphasis.
    """
    if start <= 0:
        return True
    left = text[start - 1]
    if left in " \n" or is_unspaced(text[start]):
        return True
    if left == "_" and not (start >= 2 and is_word(text[start - 2])):
        return True
    if glued(left, text[start]):
        return False
    if left in SIGILS:
        return False
    if start >= 2 and (left in HYPHENS or left == "."):
        further = text[start - 2]
        return not (is_word(further) or (left in HYPHENS and further in HYPHENS))
    return True


def ends_word(text: str, end: int) -> bool:
    """
    Return whether a word can end at `end` (the offset behind it).

    Not inside a word, before a hyphen that joins, a negation (``don`` of ``don't``; a
    genitive may follow), a file extension (``done.txt``) or empty parentheses (``done()``).
    """
    if end >= len(text):
        return True
    right = text[end]
    if right in " \n" or is_unspaced(text[end - 1]):
        return True
    if right == "_" and not (end + 1 < len(text) and is_word(text[end + 1])):
        return True
    if glued(text[end - 1], right):
        return False
    if end + 1 >= len(text):
        return True
    further = text[end + 1]
    if right in HYPHENS:
        return not is_word(further)
    if right == ".":
        return not (further.islower() or further.isdigit())
    if right == "'" or right in APOSTROPHES:
        return further not in "tT" or (end + 2 < len(text) and is_word(text[end + 2]))
    return not (right == "(" and further == ")")


def tokens(folded: str, start: int, end: int) -> list[tuple[int, int]]:
    """
    Return the spans of the words that begin in ``start..end`` of folded text, in order.

    Contractions are one word; every character of a script without spaces is one.
    """
    piece = folded[start:end]
    if piece.isascii():
        return _ascii_tokens(piece, start)
    return _any_tokens(folded, start, end)


def _ascii_tokens(piece: str, offset: int) -> list[tuple[int, int]]:
    """The same for ASCII, several times faster: marks become blanks, and the rest is split."""
    found = []
    blanked = piece.encode().translate(_BLANKS).decode()
    at = 0
    plain = "'" not in blanked and "_" not in blanked
    for word in blanked.split():
        at = blanked.index(word, at)
        end = at + len(word)
        if plain or not ("'" in word or "_" in word):
            found.append((offset + at, offset + end))
        else:
            found.extend(_any_tokens(piece, at, end, offset))
        at = end
    return found


#: ASCII characters that are in no word -> a blank.
_BLANKS = bytes(c if c < 128 and (is_word(chr(c)) or c == 39) else 32 for c in range(256))


def _any_tokens(folded: str, start: int, end: int, offset: int = 0) -> list[tuple[int, int]]:
    found = []
    at = start
    while at < end:
        if not is_word(folded[at]) or folded[at] == "_":
            at += 1
            continue
        stop = word_end(folded, at, end)
        found.append((offset + at, offset + _trimmed(folded, stop)))
        at = stop
    return found


def word_end(folded: str, start: int, limit: int) -> int:
    """Return where the word that begins at `start` of folded text ends, at most `limit`."""
    stop = start + 1
    if folded[start] < "\u0080":
        while stop < limit and folded[stop] < "\u0080" and folded[stop].isalnum():
            stop += 1
    while stop < limit and _continues(folded, stop, limit):
        stop += 1
    return stop


def _trimmed(folded: str, stop: int) -> int:
    while folded[stop - 1] == "_":
        stop -= 1
    return stop


def _continues(folded: str, at: int, end: int) -> bool:
    letter, before = folded[at], folded[at - 1]
    if letter == "'":
        return at + 1 < end and folded[at + 1].isalpha()
    if letter < "\u0300":
        return (letter.isalnum() or letter == "_") and not is_unspaced(before)
    return is_word(letter) and (before == "'" or not (is_unspaced(before) or is_unspaced(letter)))


def encodable(text: str) -> str:
    """Return `text` with a question mark for each lone surrogate, which UTF-8 refuses; offsets stay."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


# Other ways to write the words of a lexicon: replaced letters, composed marks, parted characters.

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
    low = fold(word)
    other = "".join(spellings.get(letter, letter) for letter in low)
    return (word,) if other == low else (word, other)


def cues_of(plain: JsonObject, spellings: Mapping[str, str]) -> JsonObject:
    """
    Return the groups of a guard as rows of words hold them.

    Args:
        plain: Groups of cues, and limits.
        spellings: As for `respelled`; a cue is there in both spellings.

    Characters of scripts without blanks are words of their own, so they are parted in cues too.
    """
    return JsonObject(
        {
            name: [form for cue in group for form in _cue_forms(str(cue), spellings)]
            if isinstance(group, list | tuple)
            else group
            for name, group in plain.items()
        }
    )


def _cue_forms(cue: str, spellings: Mapping[str, str]) -> tuple[str, ...]:
    if cue.isascii():
        return (cue,)
    from unicodedata import normalize

    return tuple(_parted(form) for form in forms(normalize("NFC", cue), spellings))


def _parted(cue: str) -> str:
    if not any(is_unspaced(letter) for letter in cue):
        return cue
    return " ".join(cue[a:b] for a, b in tokens(cue, 0, len(cue)))
