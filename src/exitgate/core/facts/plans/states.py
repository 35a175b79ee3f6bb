"""States that a plan writes beside a task: behind its title, in brackets, as a share or as a sign."""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import entries_of, kept
from exitgate.core.facts.plans.items import CANCELLED, DONE, OPEN
from exitgate.core.facts.plans.sections import BEHIND, fold
from exitgate.core.facts.text import structure
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.plans.items import Item
    from exitgate.core.model.json_object import JsonObject


#: How sure it is that what was read is the state of a task.
NOT, TRUTH, SHARE, WORD, MAYBE, SURE = range(6)
#: Parts of an item that are looked at, from the last on; words in capitals of one part.
PARTS = 4
#: Digits of the longest number of a share.
DIGITS = 5
_NONE = ("", NOT)
_KINDS = (("waiting", OPEN), ("finished", DONE), ("dropped", CANCELLED), ("optional", CANCELLED))


def beside(said: str, words: PlanWords) -> tuple[str, int]:
    """
    Return the state that an item or a title names beside its task, and how sure it is.

    It is in brackets before or behind the title, behind a dash, a colon or an arrow, or is a sign at
    the end. The less sure are, from the least on: a word for yes or no, a share, a word that also means
    something else (``open``, ``next``), a sign that also warns and what a task waits for.
    """
    text = said.strip(structure.AROUND_A_STATE)
    leading = _leading(text)
    found = named(leading, words) if leading else _NONE
    if found[0]:
        return found
    trailing = _trailing(text)
    if trailing:
        found = named(trailing[1:-1], words)
        if found[0]:
            return found
        text = text[: -len(trailing)].rstrip(structure.AROUND_A_STATE)
    for _ in range(PARTS):
        at, width = max((text.rfind(mark), len(mark)) for mark in structure.STATE_SEPARATORS)
        if at <= 0:
            break
        found = named(text[at + width :], words)
        if found[0]:
            return found
        text = text[:at].rstrip()
    return sign(said.strip(structure.AROUND_A_STATE + structure.INVISIBLE)[-1:])


def before_or_beside(said: str, words: PlanWords) -> tuple[str, int]:
    """Return the state that `beside` finds, or that of a sign before the title; given up where it warns."""
    found, first = beside(said, words), sign(said[:1])
    if first[1] <= found[1]:
        return found
    warns = words.names("forbids", said[1:]) is not None or words.begins("forbids", said[1:])
    return (CANCELLED, NOT) if warns else first


def named(part: str, words: PlanWords) -> tuple[str, int]:
    """Return the state that a part of an item names, and how sure it is."""
    said = part.strip(structure.AROUND_A_STATE + structure.INVISIBLE)
    found = sign(said[:1])
    if found[0]:
        return found
    capitals = " ".join(_capitals(said))
    for kind, state in _KINDS:
        if words.names(kind, said) is not None or (capitals and words.is_a(kind, capitals)):
            if words.names("truth", said) is not None:
                return state, TRUTH
            doubtful = not capitals and words.names("doubtful", said) is not None
            return state, WORD if doubtful else SURE
    if words.begins("waiting_for", said):
        return OPEN, MAYBE
    done, total = share(said, words)
    return (DONE if done >= total else OPEN, SHARE) if total else _NONE


def sign(letter: str) -> tuple[str, int]:
    """Return the state that a sign means, and how sure that is."""
    if not letter or letter.isascii():
        return _NONE
    if letter in structure.WAITING_SIGNS:
        return OPEN, SURE
    if letter in structure.UNMET or letter in structure.UNMET_LIGHTS:
        return OPEN, MAYBE
    return (DONE, SURE) if letter in structure.FILLED_SIGNS or letter in structure.MET_LIGHTS else _NONE


def share(said: str, words: PlanWords) -> tuple[int, int]:
    """Return part and whole of a share at the start of a text, such as ``3/7`` or ``60%``; else 0 and 0."""
    return _share(said, words)[:2]


def _share(said: str, words: PlanWords) -> tuple[int, int, str]:
    """Return part and whole of a share at the start of a text, and what follows it."""
    part, rest = _number(said)
    if part < 0:
        return 0, 0, said
    if rest[:1] in tuple(structure.POINTS) and rest[1:2] in tuple(structure.DIGITS):
        rest = _number(rest[1:])[1]
    rest = rest.lstrip()
    if rest[:1] in tuple(structure.PERCENTS):
        return min(part, 100), 100, rest[1:]
    if rest[:1] == structure.SLASH:
        rest = rest[1:]
    else:
        between = rest.split(None, 2)[:2]
        between = between[:-1] if between[1:] and _number(between[-1])[0] >= 0 else between
        if not between or not words.is_a("of", " ".join(between)):
            return 0, 0, said
        rest = rest[rest.find(between[-1]) + len(between[-1]) :]
    whole, rest = _number(rest.lstrip())
    return (part, whole, rest) if whole > 0 and rest[:1] != structure.SLASH else (0, 0, said)


def overall(line: str, words: PlanWords) -> tuple[int, int]:
    """Return the share of the whole plan that a line gives, as ``Progress: 3/7`` does; else 0 and 0."""
    said = line.strip(structure.BOX_LEAD_WITHOUT_NUMBERS)
    head, colon, rest = said.replace(structure.COLONS[1], ":").partition(":")
    if colon and words.is_a("overall", head):
        at = next((n for n, letter in enumerate(rest) if letter in structure.DIGITS), len(rest))
        return share(rest[at:], words)
    for opening in structure.STATE_BRACKETS:
        title, found, inside = said.rpartition(opening)
        if found and inside.rstrip(structure.AROUND_A_WORD + structure.PERCENTS)[-1:] in structure.DIGITS:
            return share(inside, words) if words.is_a("overall", title) else (0, 0)
    part, whole, behind = _share(said, words)
    return (
        (part, whole)
        if whole and (not any(map(str.isalnum, behind)) or words.is_a("overall", behind))
        else (0, 0)
    )


def _number(said: str) -> tuple[int, str]:
    """Return the number at the start of a text and what follows it; -1 without one."""
    rest = said.lstrip(structure.DIGITS)
    size = len(said) - len(rest)
    return (int(said[:size]), rest) if 0 < size <= DIGITS else (-1, said)


def _leading(text: str) -> str:
    """Return what is between the brackets with which a text begins; empty without them."""
    closing = structure.STATE_BRACKETS.get(text[:1])
    close = text.find(closing) if closing else -1
    return text[1:close] if 0 < close < len(text) - 1 else ""


def _trailing(text: str) -> str:
    """Return the brackets with which a text ends, with what is between them; empty without them."""
    for opening, closing in structure.STATE_BRACKETS.items():
        if text.endswith(closing):
            at = text.rfind(opening)
            return text[at:] if at > 0 else ""
    return ""


def _capitals(said: str) -> list[str]:
    """Return the words in capitals with which a text begins."""
    found: list[str] = []
    for word in said.split(None, PARTS)[:PARTS]:
        bare = word.rstrip(structure.AROUND_A_WORD)
        if not (bare.isupper() and len(bare) > 1):
            break
        found.append(bare)
        if bare != word:
            break
    return found


def may_state(line: str) -> bool:
    """Return whether a line has a mark that may lead to a state or enclose one; seen at a glance."""
    if not line.isascii() or any(mark in line for mark in structure.STATE_HINTS):
        return True
    ends = line.rstrip()[-1:]
    return bool(ends) and ends in structure.STATE_ENDS


# Items of lists without boxes, whose states the other items of the list make likely.


class Candidate(Value):
    """
    An item of a list that has no box.

    Args:
        item: The item, taken as open.
        of_list: Which list it is in.
        state: Its state, or the empty text.
        sure: How sure that is.
        measured: Whether the section is headed by a word for progress.
    """

    __slots__ = ("item", "measured", "of_list", "state", "sure")

    def __init__(self, item: Item, of_list: int, state: str, sure: int, measured: bool) -> None:
        self.item = item
        self.of_list = of_list
        self.state = state
        self.sure = sure
        self.measured = measured


def likely(candidates: Sequence[Candidate], boxes: bool) -> list[Item]:
    """
    Return the open tasks whose states are likely, of a plan with `boxes` or without.

    A doubtful state counts beside another one, a share in a section of progress or beside finished items. In
    a plan without boxes an item without a state is open beside finished ones.
    """
    stated: dict[int, list[Candidate]] = {}
    for one in candidates:
        if one.state and one.sure > TRUTH:
            stated.setdefault(one.of_list, []).append(one)
    return [one.item for one in candidates if _open(one, stated.get(one.of_list, []), boxes)]


def _open(one: Candidate, beside: Sequence[Candidate], boxes: bool) -> bool:
    """Return whether an item is open, by itself and by the items with states of its list."""
    if one.sure == SURE or one.state == DONE:
        return False
    if one.sure in (TRUTH, SHARE) and one.measured:
        return True
    finished = any(other.state == DONE for other in beside)
    if one.sure in (NOT, SHARE):
        return finished and not boxes
    worded = sum(other.sure > SHARE for other in beside)
    return one.sure > TRUTH and (worded > 1 or (one.sure >= MAYBE and not boxes))


# The words of a lexicon by what they name in a plan: sections, states, columns, keys.

#: Characters of the longest word.
LONGEST = 40


class PlanWords(Value):
    """What each kind of word is (`reports` of the lexicon's entries), folded; none without a lexicon."""

    __slots__ = ("_kinds", "_last", "_of_kind", "_written")

    def __init__(self, options: JsonObject) -> None:
        self._written: dict[str, list[object]] = {}
        for entry in entries_of(options.object("lexicon")):
            self._written.setdefault(str(entry.get("reports")), []).extend(entry.array("words"))
        #: Folded when first asked: most plans need one or two kinds.
        self._kinds: dict[str, frozenset[str]] = {}
        self._of_kind: dict[str, _Kind] = {}
        self._last = ("", "")

    def kind(self, name: str) -> frozenset[str]:
        """Return the words of one kind."""
        known = self._kinds.get(name)
        if known is None:
            known = frozenset([fold(str(word)) for word in self._written.get(name, ())])
            self._kinds[name] = known
        return known

    def names(self, kind: str, title: str) -> str | None:
        """
        Return what follows a word of `kind` that `title` begins with, or None.

        Marks around the word do not count; behind it is nothing, or something that is not a letter.
        """
        words = self._asked(kind)
        folded = self._begin(title)
        if not folded.startswith(words.starts):
            return None
        for end in words.lengths:
            if (
                end <= len(folded)
                and not folded[end : end + 1].isalnum()
                and folded[:end] in words.all
                and _breaks(folded[end:])
            ):
                return bare(fold(title))[end:].strip()
        return None

    def begins(self, kind: str, text: str) -> bool:
        """Return whether `text` begins with a word of `kind` and continues with another word."""
        folded = bare(fold(text))
        return any(folded.startswith(f"{word} ") for word in self.kind(kind))

    def is_a(self, kind: str, text: str) -> bool:
        """Return whether the whole of `text`, without marks around it, is a word of `kind`."""
        words = self._asked(kind)
        if not self._begin(text).startswith(words.starts):
            return False
        return bare(fold(text)).rstrip(structure.AROUND_A_WORD) in words.all

    def _asked(self, kind: str) -> _Kind:
        found = self._of_kind.get(kind)
        if found is None:
            found = self._of_kind[kind] = _Kind(self.kind(kind))
        return found

    def _begin(self, text: str) -> str:
        """Return the beginning of a text, folded, from its first letter or digit on; the last one is kept."""
        known, folded = self._last
        if known is not text:
            folded = bare(fold(text, structure.ESCAPE_LIMIT + LONGEST + BEHIND))
            self._last = (text, folded)
        return folded


class _Kind(Value):
    """The words of one kind, how they begin, and how long those of at most `LONGEST` characters are."""

    __slots__ = ("all", "lengths", "starts")

    def __init__(self, words: frozenset[str]) -> None:
        self.all = words
        self.starts = tuple({word[:LONGEST] for word in words})
        self.lengths = sorted({len(word) for word in words if 0 < len(word) <= LONGEST})


def bare(text: str) -> str:
    """Return `text` from its first letter or digit on."""
    if text[:1].isalnum():
        return text
    at = next((n for n, letter in enumerate(text[: structure.ESCAPE_LIMIT]) if letter.isalnum()), len(text))
    return text[at:]


def _breaks(rest: str) -> bool:
    """Return whether what follows a word begins something new rather than a longer word."""
    if not rest:
        return True
    joined = rest[0] in structure.JOINERS and rest[1:2].isalnum()
    return not joined and not rest.lstrip()[0].isalpha()


words_of = kept(PlanWords)
