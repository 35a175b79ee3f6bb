"""States that a plan writes beside a task: behind its title, in brackets, as a share or as a sign."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.checklist_items import CANCELLED, DONE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.plan_words import PlanWords

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
    text = said.strip(structural.AROUND_A_STATE)
    leading = _leading(text)
    found = named(leading, words) if leading else _NONE
    if found[0]:
        return found
    trailing = _trailing(text)
    if trailing:
        found = named(trailing[1:-1], words)
        if found[0]:
            return found
        text = text[: -len(trailing)].rstrip(structural.AROUND_A_STATE)
    for _ in range(PARTS):
        at, width = max((text.rfind(mark), len(mark)) for mark in structural.STATE_SEPARATORS)
        if at <= 0:
            break
        found = named(text[at + width :], words)
        if found[0]:
            return found
        text = text[:at].rstrip()
    return sign(said.strip(structural.AROUND_A_STATE + structural.INVISIBLE)[-1:])


def before_or_beside(said: str, words: PlanWords) -> tuple[str, int]:
    """Return the state that `beside` finds, or that of a sign before the title; given up where it warns."""
    found, first = beside(said, words), sign(said[:1])
    if first[1] <= found[1]:
        return found
    warns = words.names("forbids", said[1:]) is not None or words.begins("forbids", said[1:])
    return (CANCELLED, NOT) if warns else first


def named(part: str, words: PlanWords) -> tuple[str, int]:
    """Return the state that a part of an item names, and how sure it is."""
    said = part.strip(structural.AROUND_A_STATE + structural.INVISIBLE)
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
    if letter in structural.WAITING_SIGNS:
        return OPEN, SURE
    if letter in structural.UNMET or letter in structural.UNMET_LIGHTS:
        return OPEN, MAYBE
    return (DONE, SURE) if letter in structural.FILLED_SIGNS or letter in structural.MET_LIGHTS else _NONE


def share(said: str, words: PlanWords) -> tuple[int, int]:
    """Return part and whole of a share at the start of a text, such as ``3/7`` or ``60%``; else 0 and 0."""
    return _share(said, words)[:2]


def _share(said: str, words: PlanWords) -> tuple[int, int, str]:
    """Return part and whole of a share at the start of a text, and what follows it."""
    part, rest = _number(said)
    if part < 0:
        return 0, 0, said
    if rest[:1] in tuple(structural.POINTS) and rest[1:2] in tuple(structural.DIGITS):
        rest = _number(rest[1:])[1]
    rest = rest.lstrip()
    if rest[:1] in tuple(structural.PERCENTS):
        return min(part, 100), 100, rest[1:]
    if rest[:1] == structural.SLASH:
        rest = rest[1:]
    else:
        between = rest.split(None, 2)[:2]
        between = between[:-1] if between[1:] and _number(between[-1])[0] >= 0 else between
        if not between or not words.is_a("of", " ".join(between)):
            return 0, 0, said
        rest = rest[rest.find(between[-1]) + len(between[-1]) :]
    whole, rest = _number(rest.lstrip())
    return (part, whole, rest) if whole > 0 and rest[:1] != structural.SLASH else (0, 0, said)


def overall(line: str, words: PlanWords) -> tuple[int, int]:
    """Return the share of the whole plan that a line gives, as ``Progress: 3/7`` does; else 0 and 0."""
    said = line.strip(structural.BOX_LEAD_WITHOUT_NUMBERS)
    head, colon, rest = said.replace(structural.COLONS[1], ":").partition(":")
    if colon and words.is_a("overall", head):
        at = next((n for n, letter in enumerate(rest) if letter in structural.DIGITS), len(rest))
        return share(rest[at:], words)
    for opening in structural.STATE_BRACKETS:
        title, found, inside = said.rpartition(opening)
        if found and inside.rstrip(structural.AROUND_A_WORD + structural.PERCENTS)[-1:] in structural.DIGITS:
            return share(inside, words) if words.is_a("overall", title) else (0, 0)
    part, whole, behind = _share(said, words)
    return (
        (part, whole)
        if whole and (not any(map(str.isalnum, behind)) or words.is_a("overall", behind))
        else (0, 0)
    )


def _number(said: str) -> tuple[int, str]:
    """Return the number at the start of a text and what follows it; -1 without one."""
    rest = said.lstrip(structural.DIGITS)
    size = len(said) - len(rest)
    return (int(said[:size]), rest) if 0 < size <= DIGITS else (-1, said)


def _leading(text: str) -> str:
    """Return what is between the brackets with which a text begins; empty without them."""
    closing = structural.STATE_BRACKETS.get(text[:1])
    close = text.find(closing) if closing else -1
    return text[1:close] if 0 < close < len(text) - 1 else ""


def _trailing(text: str) -> str:
    """Return the brackets with which a text ends, with what is between them; empty without them."""
    for opening, closing in structural.STATE_BRACKETS.items():
        if text.endswith(closing):
            at = text.rfind(opening)
            return text[at:] if at > 0 else ""
    return ""


def _capitals(said: str) -> list[str]:
    """Return the words in capitals with which a text begins."""
    found: list[str] = []
    for word in said.split(None, PARTS)[:PARTS]:
        bare = word.rstrip(structural.AROUND_A_WORD)
        if not (bare.isupper() and len(bare) > 1):
            break
        found.append(bare)
        if bare != word:
            break
    return found


def may_state(line: str) -> bool:
    """Return whether a line has a mark that may lead to a state or enclose one; seen at a glance."""
    if not line.isascii() or any(mark in line for mark in structural.STATE_HINTS):
        return True
    ends = line.rstrip()[-1:]
    return bool(ends) and ends in structural.STATE_ENDS
