"""The words of a lexicon by what they name in a plan: sections, states, columns, keys."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import structural
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters of the longest word.
LONGEST = 40


class PlanWords(Value):
    """What each kind of word is (`reports` of the lexicon's entries), folded; none without a lexicon."""

    __slots__ = ("_kinds", "_written")

    def __init__(self, options: Mapping[str, object]) -> None:
        lexicon = options.get("lexicon")
        entries = lexicon.get("entries") if isinstance(lexicon, dict) else None
        self._written: dict[str, list[object]] = {}
        for entry in entries if isinstance(entries, list | tuple) else ():
            if isinstance(entry, dict):
                self._written.setdefault(str(entry.get("reports")), []).append(entry.get("words"))
        #: Folded when first asked: most plans need one or two kinds.
        self._kinds: dict[str, frozenset[str]] = {}

    def kind(self, name: str) -> frozenset[str]:
        """Return the words of one kind."""
        known = self._kinds.get(name)
        if known is None:
            lists = self._written.get(name, ())
            known = frozenset(fold(str(word)) for words in lists for word in lexicons.listed(words))
            self._kinds[name] = known
        return known

    def names(self, kind: str, title: str) -> str | None:
        """
        Return what follows a word of `kind` that `title` begins with, or None.

        Marks around the word do not count; behind it is nothing, or something that is not a letter.
        """
        words, folded = self.kind(kind), bare(fold(title))
        for end in range(1, min(len(folded), LONGEST) + 1 if words else 0):
            if not folded[end : end + 1].isalnum() and folded[:end] in words and _breaks(folded[end:]):
                return folded[end:].strip()
        return None

    def begins(self, kind: str, text: str) -> bool:
        """Return whether `text` begins with a word of `kind` and continues with another word."""
        folded = bare(fold(text))
        return any(folded.startswith(f"{word} ") for word in self.kind(kind))

    def is_a(self, kind: str, text: str) -> bool:
        """Return whether the whole of `text`, without marks around it, is a word of `kind`."""
        return bare(fold(text)).rstrip(structural.AROUND_A_WORD) in self.kind(kind)


def fold(text: str) -> str:
    """Return `text` without regard to case, with one blank between words."""
    return " ".join(text.casefold().split())


def bare(text: str) -> str:
    """Return `text` from its first letter or digit on."""
    at = next((n for n, letter in enumerate(text[: structural.ESCAPE_LIMIT]) if letter.isalnum()), len(text))
    return text[at:]


def _breaks(rest: str) -> bool:
    """Return whether what follows a word begins something new rather than a longer word."""
    if not rest:
        return True
    joined = rest[0] in structural.JOINERS and rest[1:2].isalnum()
    return not joined and not rest.lstrip()[0].isalpha()


words_of = lexicons.Kept(PlanWords)
