"""What the formats that were met can never tell a policy, and which of its rules stay open for that."""

from __future__ import annotations

from exitgate.dryrun.reachable import Reachable
from exitgate.facts.registry import own_files
from exitgate.gate.sources import keeps
from exitgate.model.value import Value
from exitgate.transcripts import gives, registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.policy.compiled import CompiledPolicy, Extraction

#: Source -> what a format must give for it, of the words in `exitgate.transcripts.gives`.
_SOURCES = {
    "response": gives.RESPONSE,
    "output": gives.OUTPUT,
    "tool_results": gives.TOOL_RESULTS,
    "tool_calls": gives.TOOL_CALLS,
    "result": gives.RESULT,
    "plan": gives.PLAN,
    "task": gives.TASK,
    "git": gives.GIT,
    "circuit": gives.CIRCUIT,
}
#: Extractor and fact -> any one of these; else what the source says.
_FACTS = {
    ("clock", ""): (gives.TIMES,),
    ("run", "elapsed"): (gives.TIMES,),
    ("run", "cost"): (gives.COST,),
    ("run", "tokens"): (gives.TOKENS,),
    ("run", "agent_exit"): (gives.EXIT_STATUS,),
    ("run", "interrupted"): (gives.EXIT_STATUS,),
    ("run", "failed"): (gives.EXIT_STATUS, gives.RESULT),
    ("run", "failures_in_row"): (gives.EXIT_STATUS, gives.RESULT),
    ("result", "cost"): (gives.COST,),
    ("result", "tokens"): (gives.TOKENS,),
}
#: Known from the mere number of iterations.
_ALWAYS = ("run",)
#: Formats that record facts themselves: which ones, only the file says.
_RECORD_FACTS = frozenset(("exitgate-ledger",))


class Missing(Value):
    """
    What some readers cannot give a policy.

    Args:
        readers: Their ids.
        facts: Facts that rules ask for and that stay unknown, in the policy's order.
        rules: Ids of the rules that can never be true for that, in order.
    """

    __slots__ = ("facts", "readers", "rules")

    def __init__(self, readers: tuple[str, ...], facts: tuple[str, ...], rules: tuple[str, ...]) -> None:
        self.readers = readers
        self.facts = facts
        self.rules = rules


def undetermined(name: str, policy: CompiledPolicy, readers: Sequence[str]) -> tuple[str, ...]:
    """
    Return a line for people on each group of readers whose transcripts leave rules of the policy open.

    `name` is what the policy goes by.
    """
    return tuple(
        f"{name}: transcripts of {_listed(one.readers)} never record {_listed(one.facts)}; "
        f"{'rule' if len(one.rules) == 1 else 'rules'} {_listed(one.rules)} "
        f"{'stays' if len(one.rules) == 1 else 'stay'} undetermined or false there"
        for one in missing(policy, readers)
    )


def missing(policy: CompiledPolicy, readers: Sequence[str]) -> tuple[Missing, ...]:
    """Return what readers cannot give a policy, those beside each other that lack the same."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for id in readers:
        if id in _RECORD_FACTS:
            continue
        unknown = never_told(policy, registry.load(id).GIVES)
        reachable = Reachable(policy, unknown)
        rules = tuple(rule.id for rule in policy.rules if True not in reachable.truths(rule.when))
        if rules:
            wanted = reachable.asked(rule.when for rule in policy.rules if rule.id in rules)
            facts = tuple(name for name in policy.facts if name in wanted and name in unknown)
            groups.setdefault((facts, rules), []).append(id)
    return tuple(Missing(tuple(ids), facts, rules) for (facts, rules), ids in groups.items())


def never_told(policy: CompiledPolicy, given: frozenset[str]) -> frozenset[str]:
    """Return the extracted facts that stay unknown where a format gives only `given`."""
    found = []
    for entry in policy.extractions:
        if keeps(policy, entry):
            continue
        for name in policy.facts:
            if _is_of(name, entry) and name not in policy.unreadable:
                short = name[len(entry.prefix) + 1 :]
                wants = _wants(entry, short)
                if wants is not None and not given.intersection(wants):
                    found.append(name)
    return frozenset(found)


def _wants(entry: Extraction, short: str) -> Iterable[str] | None:
    """Return of which words one is enough for a fact; None where nothing needs to be reported."""
    for key in ((entry.extractor, short), (entry.extractor, "")):
        if key in _FACTS:
            return _FACTS[key]
    if entry.extractor in _ALWAYS:
        return None
    if any(option in entry.options for option in own_files(entry.extractor)):
        return (gives.FILES,)
    word = _SOURCES.get(entry.source)
    return () if word is None else (word,)


def _is_of(name: str, entry: Extraction) -> bool:
    return name == entry.prefix or name.startswith(f"{entry.prefix}.")


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
