"""
Facts with secrets hidden, before anything is decided, kept or shown.

They are hidden first, so that a message made of facts, a line of the ledger and a replay of it all
see the same. Where a match is in its source is not changed, nor is any number. A signature is made
of words that were folded and shortened, so that a secret in it has lost its shape: where its evidence
holds one, a digest stands for the whole signature, and for each of a list of them, equal for equal ones.
"""

from __future__ import annotations

from exitgate.core.facts.text.secrets import Mask, extent
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import SIGNATURE, Unknown
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.facts.text.secrets import Secret
    from exitgate.core.model.fact import Source
    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import CompiledPolicy


#: Pieces of evidence of one kind that are kept or shown of a fact, at most; the rest is only counted.
PIECES = 20
_NUMBERS = frozenset((bool, int, float))


def masked(
    facts: Mapping[str, Fact], sources: Mapping[str, Source], policy: CompiledPolicy
) -> dict[str, Fact]:
    """
    Return the facts with secrets hidden in values, notes, reasons and excerpts.

    Args:
        facts: By name.
        sources: What their evidence is in, by name.
        policy: Says what is a secret.
    """
    whole, facts = facts, {fact.name: fact for fact in telling(facts.values())}
    if not facts:
        return dict(whole)
    mask = Mask(policy.mask)
    texts = {name: source.text for name, source in sources.items() if source.text is not None}
    # One search for all markers in everything that could be kept; nearly always nothing is found.
    signed = {n for n in facts if (spec := policy.facts.get(n)) is not None and _is_signed(spec.type)}
    seen = {
        piece
        for name, fact in facts.items()
        for piece in _texts(fact, texts, None if name in signed else PIECES)
    }
    suspects = mask.suspects("\n".join(seen))
    if not suspects:
        return dict(whole)
    hidden = {name: _fact(fact, texts, mask, suspects) for name, fact in facts.items()}
    for name in signed:
        hidden[name] = _signed(facts[name], hidden[name], texts, mask, suspects)
    return {**whole, **hidden}


def telling(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts that hold a text, in which a secret could be; most hold none."""
    return [
        fact
        for fact in facts
        if fact.note or fact.evidence or fact.rejected or fact.value.__class__ not in _NUMBERS
    ]


def covered(sources: Mapping[str, Source], policy: CompiledPolicy) -> dict[str, str]:
    """Return the texts of sources to quote from: secrets hidden, every other character where it was."""
    mask = Mask(policy.mask)
    return {name: mask.cover(source.text) for name, source in sources.items() if source.text is not None}


def kept_text(source: Source | None, policy: CompiledPolicy) -> JsonObject:
    """
    Return the text of a source to keep for later checks, shortened and with secrets hidden, under `text`.

    It is empty for a file that does not exist; for one that cannot be read there is the `reason`.
    """
    from exitgate.core.facts.extractors.similarity import KEPT, bounded

    if source is None or source.absent:
        return JsonObject(text="")
    if source.text is None:
        return JsonObject(reason=source.reason)
    return JsonObject(text=bounded(Mask(policy.mask).cover(source.text), KEPT))


def _texts(fact: Fact, texts: Mapping[str, str], pieces: int | None) -> Iterator[str]:
    """Yield the texts of a fact, for each of the first `pieces` of evidence the whole lines it is on."""
    yield fact.note
    if isinstance(fact.value, Unknown):
        yield fact.value.reason
    elif isinstance(fact.value, str):
        yield fact.value
    elif isinstance(fact.value, tuple):
        yield from (item for item in fact.value if isinstance(item, str))
    for piece in (*fact.evidence[:pieces], *fact.rejected[:pieces]):
        yield piece.note
        text = texts.get(piece.source)
        if text is None:
            yield piece.excerpt
            continue
        left, right = extent(text, piece.start, max(piece.start, piece.end))
        yield text[left:right]


def _fact(fact: Fact, texts: Mapping[str, str], mask: Mask, suspects: Sequence[Secret]) -> Fact:
    value = fact.value
    if isinstance(value, Unknown):
        value = Unknown(mask.mask(value.reason), value.origin, value.least, value.most)
    elif isinstance(value, str):
        value = mask.mask(value)
    elif isinstance(value, tuple):
        value = tuple(mask.mask(item) if isinstance(item, str) else item for item in value)
    return Fact(
        fact.name,
        value,
        tuple(_piece(one, texts, mask, suspects) for one in fact.evidence[:PIECES]) + fact.evidence[PIECES:],
        tuple(_piece(one, texts, mask, suspects) for one in fact.rejected[:PIECES]) + fact.rejected[PIECES:],
        mask.mask(fact.note),
    )


def _is_signed(type: Type) -> bool:
    """Return whether values of the type are signatures, or lists of them."""
    return (type.item.kind if type.item is not None else type.kind) == SIGNATURE.kind


def _signed(
    fact: Fact, hidden: Fact, texts: Mapping[str, str], mask: Mask, suspects: Sequence[Secret]
) -> Fact:
    """Return the fact with digests for signatures that rest on a secret."""
    if not isinstance(fact.value, str | tuple):
        return hidden
    pieces = (*fact.evidence, *fact.rejected)
    if hidden.value == fact.value and all(
        _excerpt(p, texts.get(p.source), mask, suspects) == p.excerpt for p in pieces
    ):
        return hidden
    value = _digest(fact.value) if isinstance(fact.value, str) else tuple(map(_digest, fact.value))
    return Fact(hidden.name, value, hidden.evidence, hidden.rejected, hidden.note)


def _digest(signature: object) -> str:
    return f"masked-{hex_digest(str(signature).encode('utf-8', 'surrogatepass'))}"


def _piece(one: Evidence, texts: Mapping[str, str], mask: Mask, suspects: Sequence[Secret]) -> Evidence:
    excerpt = _excerpt(one, texts.get(one.source), mask, suspects)
    return Evidence(
        one.source, one.line, one.column, one.start, one.end, excerpt, mask.mask(one.note), one.guard
    )


def _excerpt(one: Evidence, text: str | None, mask: Mask, suspects: Sequence[Secret]) -> str:
    """Return the excerpt masked as part of its source: one that an end cuts in two is hidden, too."""
    if text is not None:
        at = text.find(one.excerpt, max(0, one.start - len(one.excerpt)), one.end + len(one.excerpt))
        if at >= 0:
            return mask.part(text, at, at + len(one.excerpt), suspects)
    return mask.mask(one.excerpt)
