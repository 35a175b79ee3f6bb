"""
What a policy finds in texts, entry by entry: the same entry of two policies is asked once.

An entry is known by a digest of everything its facts depend on beside the iteration: its extractor, name,
source and options, parameters and lexicons resolved in them, and what the policy hides as a secret.
Parameters that only rules read are not part of it.
"""

from __future__ import annotations

import json

from exitgate.facts.registry import load, own_files
from exitgate.gate.begin import OF_AN_ITERATION
from exitgate.gate.sources import keeps
from exitgate.model.digest import hex_digest
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.facts.registry import Extractor
    from exitgate.policy.compiled import CompiledPolicy, Extraction

#: Extractors that look at the totals of the run: cheap, of no text, and different from walk to walk.
COUNTED = ("clock", "run")


class Entry(Value):
    """
    One entry that rests on what was recorded.

    Args:
        key: Digest of what its facts depend on.
        extraction: As the policy has it.
        compares: Whether it compares with earlier texts.
        early: Whether it says something before any work is done.
    """

    __slots__ = ("compares", "early", "extraction", "key")

    def __init__(self, key: str, extraction: Extraction, compares: bool, early: bool) -> None:
        self.key = key
        self.extraction = extraction
        self.compares = compares
        self.early = early

    @property
    def module(self) -> Extractor:
        """Its extractor."""
        return load(self.extraction.extractor)


def entries_of(policy: CompiledPolicy) -> tuple[Entry, ...]:
    """Return the entries of a policy that rest on what was recorded, in its order."""
    own = {e.source: e for e in policy.extractions if _names_files(e)}
    mask = _plain(policy.mask)
    found = []
    for one in policy.extractions:
        if one.extractor in COUNTED or keeps(policy, one):
            continue
        file = own.get(one.source)
        parts = [one.extractor, one.prefix, one.source, _plain(one.options), _plain(one.unasked), mask]
        if file is not None:
            parts += [file.extractor, _plain(file.options)]
        key = hex_digest("\0".join(parts).encode("utf-8", "surrogatepass"))
        found.append(Entry(key, one, hasattr(load(one.extractor), "earlier"), _is_early(one)))
    return tuple(found)


def digest_of(policy: CompiledPolicy) -> str:
    """Return a digest of all entries: policies and settings with the same one share all extracted facts."""
    return joined(entries_of(policy))


def joined(entries: Iterable[Entry]) -> str:
    """Return one digest of entries."""
    return hex_digest("\0".join(entry.key for entry in entries).encode())


def _is_early(one: Extraction) -> bool:
    return one.source not in OF_AN_ITERATION and one.extractor != "git"


def _names_files(entry: Extraction) -> bool:
    return any(option in entry.options for option in own_files(entry.extractor))


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
