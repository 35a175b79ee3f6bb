"""Which parts of recorded iterations policies look at: readers need not gather the others."""

from __future__ import annotations

from exitgate.dryrun.entries import COUNTED
from exitgate.facts.given import NAME as GIVEN
from exitgate.facts.registry import beside, own_files
from exitgate.transcripts import gives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.policy.compiled import CompiledPolicy

#: Always: stages, budgets and guards rest on them, and they cost next to nothing.
_ALWAYS = frozenset((gives.RESPONSE, gives.TASK, gives.TIMES, gives.EXIT_STATUS, gives.COST, gives.TOKENS))
#: Source -> the parts that it is made of.
_PARTS = {
    "response": (gives.RESPONSE,),
    "output": (gives.OUTPUT,),
    "tool_results": (gives.TOOL_RESULTS,),
    "tool_calls": (gives.TOOL_CALLS,),
    "result": (gives.RESULT, gives.DENIALS),
    "plan": (gives.PLAN,),
    "task": (gives.TASK,),
    "git": (gives.GIT,),
    "circuit": (gives.CIRCUIT,),
}


def wants_of(policies: Iterable[CompiledPolicy]) -> frozenset[str]:
    """Return what the facts of `policies` rest on, in words of `gives`; all where that is not known."""
    found = set(_ALWAYS)
    for policy in policies:
        for entry in policy.extractions:
            if entry.extractor in COUNTED or entry.extractor == GIVEN:
                continue
            if any(option in entry.options for option in own_files(entry.extractor)):
                found.add(gives.FILES)
            elif entry.source in _PARTS:
                for source in (entry.source, *beside(entry.extractor, entry.options)):
                    found.update(_PARTS[source])
            else:
                return gives.ALL
    return frozenset(found)
