"""Comparisons in several words, with `or equal to` or `not`, as the sign that they stand for."""

from __future__ import annotations

from exitgate.core.language.literals import RESERVED
from exitgate.core.language.problem import Problem
from exitgate.core.language.syntax.foreign import LIMITS, THAN
from exitgate.core.language.syntax.scan import Piece

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_EQUAL = ("equal", "equals")


def compared(pieces: list[Piece]) -> tuple[list[Piece], list[Problem]]:
    """Return the pieces with a sign for each phrase such as `is not more than`, and a problem for each."""
    kept: list[Piece] = []
    problems: list[Problem] = []
    at = 0
    while at < len(pieces):
        words = [piece.text.lower() for piece in pieces[at : at + 8]]
        found = _limit(words)
        if found is None and kept and _is_value(kept[-1]):
            found = _phrase(words)
        if found is None:
            kept.append(pieces[at])
            at += 1
            continue
        right, length = found
        start, end = pieces[at].start, pieces[at + length - 1].end
        said = " ".join(piece.text for piece in pieces[at : at + length])
        message = f"`{said}` is not a comparison of the language"
        problems.append(Problem("EP307", message, start, end, f"write `{right}`"))
        kept.append(Piece("word" if right[0].isalpha() else "sign", right, start, end))
        at += length
    return kept, problems


def _limit(words: list[str]) -> tuple[str, int] | None:
    """Return `at most` for `no more than 3 of`, and how many words it takes the place of."""
    if words[:1] != ["no"] or words[2:3] != ["than"] or words[4:5] != ["of"] or words[1] not in THAN:
        return None
    return "at most" if THAN[words[1]] == ">" else "at least", 3


def _is_value(piece: Piece) -> bool:
    if piece.kind == "sign":
        return piece.text in (")", "]")
    return piece.text.lower() not in RESERVED


def _phrase(words: list[str]) -> tuple[str, int] | None:
    """Return the sign that the first words stand for, and how many they are; None where it is plain."""
    at = 1 if words[:1] in (["is"], ["are"], ["was"]) else 0
    negated = words[at : at + 1] in (["not"], ["no"], ["never"])
    at += negated
    if words[at : at + 1] == ["at"] and negated and words[at + 1 : at + 2]:
        limit = LIMITS.get(words[at + 1])
        return (_OPPOSITE[limit], at + 2) if limit else None
    equal = False
    if words[at : at + 1] and words[at] in _EQUAL:
        at += 2 if words[at + 1 : at + 2] == ["to"] else 1
        if words[at : at + 1] != ["or"]:
            return None
        equal, at = True, at + 1
    sign = THAN.get(words[at]) if at < len(words) else None
    if sign is None:
        return None
    at += 1
    than = words[at : at + 1] == ["than"]
    at += than
    if not equal and words[at : at + 1] == ["or"] and words[at + 1 : at + 2] and words[at + 1] in _EQUAL:
        equal, at = True, at + 2
        at += words[at : at + 1] in (["to"], ["than"])
    if not equal and not (negated and than):
        return None
    sign = f"{sign}=" if equal else sign
    return _OPPOSITE[sign] if negated else sign, at
