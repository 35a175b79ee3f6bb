"""How alike two texts are, in percent, by rapidfuzz."""

from __future__ import annotations

from exitgate.facts import words
from exitgate.facts.lexicon import Entry
from exitgate.facts.noise import Noise
from exitgate.facts.scan_patterns import PIECE
from exitgate.facts.similarity_bounds import COMPARED, CUT, bounded
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RATIO, TOKEN_SET, NORMALISED = METHODS = ("ratio", "token_set", "normalised")


class Measure(Value):
    """
    A way to compare texts.

    Args:
        method: One of `METHODS`. `ratio` is ``100 * (1 - d / (n + m))`` with d the least number of
            letters to take out and put in (rapidfuzz `fuzz.ratio`); `token_set` the same of what two
            texts have in common and of the rest, so that a text within a longer one is 100
            (`fuzz.token_set_ratio`); `normalised` the ratio of the sorted, distinct words in lower case,
            every run of digits as one mark.
        noise: What is left out before, or None.
    """

    __slots__ = ("method", "noise")

    def __init__(self, method: str, noise: Noise | None) -> None:
        self.method = method
        self.noise = noise

    def prepared(self, text: str) -> str:
        """Return what is compared of `text`: at most `COMPARED` characters, noise left out."""
        text = bounded(text, COMPARED).replace(CUT, " ")
        if self.noise is not None:
            folded = words.fold(text)
            pieces = (folded[at : at + PIECE] for at in range(0, len(folded), PIECE))
            text = "\n".join(self.noise.without(piece) for piece in pieces)
        if self.method == NORMALISED:
            folded = words.fold(text)
            found = {folded[a:b] for a, b in words.tokens(folded, 0, len(folded))}
            return " ".join(sorted({_masked(word) for word in found}))
        return text

    def percent(self, one: str, other: str) -> float:
        """Return how alike two prepared texts are, from 0 to 100, rounded down to two digits."""
        from rapidfuzz import fuzz

        score = fuzz.token_set_ratio if self.method == TOKEN_SET else fuzz.ratio
        return int(score(one, other) * 100) / 100


def ready(options: Mapping[str, object]) -> Measure:
    """Return the measure that the options ask for."""
    method = str(options.get("method", RATIO))
    ignored = options.get("ignore")
    written = ignored if isinstance(ignored, list | tuple) else ()
    entries = [Entry(str(p), 1, (), pattern=str(p), options={"noise": " "}) for p in written]
    lexicon = options.get("lexicon")
    resolved = lexicon.get("entries") if isinstance(lexicon, dict) else ()
    entries += [
        Entry(str(e.get("id", "")), 1, (), pattern=str(e.get("pattern", "")), options=e)
        for e in (resolved if isinstance(resolved, list) else ())
        if isinstance(e, dict) and "noise" in e
    ]
    return Measure(method if method in METHODS else RATIO, Noise(entries) if entries else None)


def _masked(word: str) -> str:
    letters: list[str] = []
    for letter in word:
        mark = "#" if letter.isdigit() else letter
        if not (mark == "#" and letters and letters[-1] == "#"):
            letters.append(mark)
    return "".join(letters)
