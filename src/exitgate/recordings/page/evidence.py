"""Evidence of all policies on one iteration: what the facts of their rules rest on, and its place."""

from __future__ import annotations

from typing import NamedTuple

from exitgate.recordings.page.view import Piece
from exitgate.report.decision.explanation import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.core.facts.text.secrets import Mask
    from exitgate.core.model.fact import Evidence
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.model import RecordedIteration
    from exitgate.recordings.page.iterations import Span
    from exitgate.recordings.replay.replay import Decided


#: Pieces of one fact, pieces listed of one iteration, facts named of one piece.
OF_FACT, LISTED, NAMED = 3, 8, 2
#: Characters and line ends of the largest piece that is marked in a text: a mark on everything marks nothing.
MARKED, OVER = 160, 1
#: Characters of an excerpt, where it is not in the text that is shown.
EXCERPT = 100


class Shown(NamedTuple):
    """The text of an iteration that the page shows, and its beginning in the source `output`."""

    source: str
    text: str
    in_output: int


class Found(NamedTuple):
    """One piece of evidence and the facts that rest on it."""

    one: Evidence
    facts: list[str]
    decisive: bool


def shown_text(iteration: RecordedIteration, mask: Mask) -> Shown | None:
    """Return the response, the output where there is no response, or None; secrets hidden in their places."""
    response, output = iteration.response, iteration.output
    if response is None:
        return None if output is None else Shown("output", mask.cover(output), 0)
    at = -1 if output is None or not response else output.rfind(response)
    return Shown("response", mask.cover(response), at)


def read_names(policy: CompiledPolicy) -> frozenset[str]:
    """Return the facts that any rule of the policy reads."""
    return frozenset(name for rule in policy.rules for name in names_of(rule.when, policy))


def evidence_of(
    decided: Iterable[tuple[Decided, frozenset[str], frozenset[str]]],
) -> list[Found]:
    """
    Return the evidence of several policies' facts on one iteration, each piece once.

    `decided` are decisions with the facts that the policy's rules read and those that its deciding rule
    reads; what rests on the latter comes first.
    """
    found: dict[tuple[str, int, int, str | None], Found] = {}
    for one, read, decisive in decided:
        for name, piece in _pieces(one, read):
            key = (piece.source, piece.start, piece.end, piece.guard)
            there = found.setdefault(key, Found(piece, [], name in decisive))
            if name not in there.facts:
                there.facts.append(name)
            if name in decisive and not there.decisive:
                found[key] = there._replace(decisive=True)
    return sorted(found.values(), key=lambda f: (not f.decisive, f.one.guard is not None, f.one.start))


def placed(
    found: Sequence[Found], shown: Shown | None, mask: Mask
) -> tuple[list[Span], tuple[Piece, ...], int]:
    """Return the spans to mark in the text that is shown, the pieces to list, and how many are not listed."""
    kept = found[:LISTED]
    spots = [(entry, None if shown is None else _spot(entry.one, shown)) for entry in kept]
    spots.sort(key=lambda item: (item[1] is None, item[1] or (0, 0)))
    spans: list[Span] = []
    pieces: list[Piece] = []
    for entry, spot in spots:
        number = 0
        if spot is not None:
            number = len(spans) + 1
            spans.append((*spot, number, entry.one.guard is None))
        pieces.append(_piece(entry, number, mask))
    return spans, tuple(pieces), len(found) - len(kept)


def _pieces(one: Decided, read: frozenset[str]) -> Iterator[tuple[str, Evidence]]:
    for name, fact in one.facts.items():
        if name in read:
            for group in (fact.evidence[:OF_FACT], fact.rejected[:OF_FACT]):
                yield from ((name, piece) for piece in group)


def _spot(one: Evidence, shown: Shown) -> tuple[int, int] | None:
    """Return where a piece is in the text that is shown: by its span, else by its excerpt."""
    shift = 0 if one.source == shown.source else shown.in_output if one.source == "output" else -1
    if shift < 0:
        return None
    start, end = one.start - shift, one.end - shift
    if end - start > MARKED or shown.text.count("\n", max(0, start), max(0, end)) > OVER:
        return None
    if 0 <= start < end <= len(shown.text) and _agrees(shown.text[start:end], one.excerpt):
        return start, end
    at = shown.text.find(one.excerpt) if one.excerpt.strip() else -1
    return None if at < 0 else (at, at + len(one.excerpt))


def _agrees(text: str, excerpt: str) -> bool:
    return not excerpt or text in excerpt or excerpt in text or text[:40] in excerpt or "[masked" in text


def _piece(entry: Found, number: int, mask: Mask) -> Piece:
    one, names = entry.one, entry.facts
    facts = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    excerpt = "" if number else mask.mask(one.excerpt)
    if len(excerpt) > EXCERPT:
        excerpt = excerpt[: EXCERPT - 1] + "…"
    where = f"{one.source}:{one.line}" if one.line else one.source
    return Piece(number, facts, where, excerpt, mask.mask(one.note), one.guard or "")
