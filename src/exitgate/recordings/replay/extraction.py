"""
What a policy finds in texts, entry by entry: the same entry of two policies is asked once.

An entry is known by a digest of everything its facts depend on beside the iteration: its extractor, name,
source and options, parameters and lexicons resolved in them, and what the policy hides as a secret.
Parameters that only rules read are not part of it.
"""

from __future__ import annotations

import json

from msgspec import Struct

from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.registry import ASKING, beside, load, own_files
from exitgate.core.gate.new_run import OF_AN_ITERATION
from exitgate.core.model import capabilities
from exitgate.core.model.value import Value
from exitgate.core.observe.sources import keeps
from exitgate.core.policy.compiled import Extraction
from exitgate.core.system.digest import hex_digest
from exitgate.recordings import recorded_probes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.facts.registry import Extractor
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.history import Reported


#: Extractors that look at the totals of the run: cheap, of no text, and different from walk to walk.
COUNTED = ("clock", "run")
#: The extractor by which a policy knows errors of the agent's program.
INFRASTRUCTURE = "infrastructure"
#: Stands for the fact whether a result is an error, where what a policy finds is kept.
IS_ERROR = "result is an error"


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
        id = self.extraction.extractor
        return recorded_probes if id == recorded_probes.NAME else load(id)


def failure_key(policy: CompiledPolicy) -> str:
    """
    Return a digest of what a policy knows errors of the agent's program by.

    Whether a result is an error depends on it (`exitgate.core.observe.sources.with_failure`).
    """
    known = [_plain(one.options) for one in policy.extractions if one.extractor == INFRASTRUCTURE]
    return hex_digest("\0".join(("failure", *known)).encode("utf-8", "surrogatepass"))


def entries_of(policy: CompiledPolicy) -> tuple[Entry, ...]:
    """
    Return the entries of a policy that rest on what was recorded, in its order.

    Facts of probes rest on which of them a run asks: one entry has the answers of all that a policy names.
    """
    own = {e.source: e for e in policy.extractions if _names_files(e)}
    mask, failure = _plain(policy.mask), failure_key(policy)
    found = []
    for one in policy.extractions:
        if one.extractor in COUNTED or one.extractor in ASKING or keeps(policy, one):
            continue
        file = own.get(one.source)
        parts = [one.extractor, one.prefix, one.source, _plain(one.options), _plain(one.unasked), mask]
        if file is not None:
            parts += [file.extractor, _plain(file.options)]
        if "result" in (one.source, *beside(one.extractor, one.options)):
            parts.append(failure)
        key = hex_digest("\0".join(parts).encode("utf-8", "surrogatepass"))
        found.append(Entry(key, one, hasattr(load(one.extractor), "earlier"), _is_early(one)))
    if recorded_probes.asks(policy):
        told = _plain([recorded_probes.definitions(policy), policy.mask])
        key = hex_digest("\0".join((recorded_probes.NAME, told)).encode("utf-8", "surrogatepass"))
        one = Extraction(recorded_probes.NAME, recorded_probes.NAME, recorded_probes.SOURCE, {})
        found.append(Entry(key, one, compares=False, early=False))
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


# What is known of an iteration before anything is decided.


class Extracted(Struct, frozen=True):
    """
    What is known of an iteration before anything is decided.

    Args:
        index: Its number within the run.
        facts: Those that rest on what was recorded, by name, secrets hidden.
        reported: What the iteration used up, a resumed session's cost as this iteration's share.
        exit_status: Of the agent.
        responded: Whether there is a response.
        started_at: Seconds since the epoch, or None.
        ended_at: Seconds since the epoch, or None.
        file: Where the iteration is.
        line: Its first line, from 1; 0 where lines mean nothing.
        baseline: Of the first iteration of a run: what was known before any work, by name.
        breaker: As `exitgate.recordings.model.RecordedIteration` has it.
        looked_at: Likewise.
    """

    index: int
    facts: Mapping[str, Fact]
    reported: Reported
    exit_status: int | None = None
    responded: bool = True
    started_at: float | None = None
    ended_at: float | None = None
    file: str = ""
    line: int = 0
    baseline: Mapping[str, Fact] | None = None
    breaker: Mapping[str, object] | None = None
    looked_at: float | None = None


# Which parts of recorded iterations policies look at: readers need not gather the others.

#: Always: stages, budgets and guards rest on them, and they cost next to nothing.
_ALWAYS = frozenset(
    (
        capabilities.RESPONSE,
        capabilities.TASK,
        capabilities.TIMES,
        capabilities.EXIT_STATUS,
        capabilities.COST,
        capabilities.TOKENS,
    )
)
#: Source -> the parts that it is made of.
_PARTS = {
    "response": (capabilities.RESPONSE,),
    "output": (capabilities.OUTPUT,),
    "tool_results": (capabilities.TOOL_RESULTS,),
    "tool_calls": (capabilities.TOOL_CALLS,),
    "probes": (capabilities.TOOL_CALLS,),
    "result": (capabilities.RESULT, capabilities.DENIALS),
    "plan": (capabilities.PLAN,),
    "task": (capabilities.TASK,),
    "git": (capabilities.GIT,),
    "tampering": (),
    "circuit": (capabilities.CIRCUIT,),
}


def wants_of(policies: Iterable[CompiledPolicy]) -> frozenset[str]:
    """Return what the facts of `policies` rest on, as `capabilities`; all where that is not known."""
    found = set(_ALWAYS)
    for policy in policies:
        for entry in policy.extractions:
            if entry.extractor in COUNTED or entry.extractor == GIVEN:
                continue
            if any(option in entry.options for option in own_files(entry.extractor)):
                found.add(capabilities.FILES)
            elif entry.source in _PARTS:
                for source in (entry.source, *beside(entry.extractor, entry.options)):
                    found.update(_PARTS[source])
            else:
                return capabilities.ALL
    return frozenset(found)
