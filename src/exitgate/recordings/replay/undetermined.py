"""What the formats that were met can never tell a policy, and which of its rules stay open for that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from exitgate.core.facts.registry import own_files
from exitgate.core.language.functions import COUNTING_TRUE
from exitgate.core.language.measure import is_chosen
from exitgate.core.language.tree import ELAPSED, Node
from exitgate.core.model import capabilities
from exitgate.core.observe.sources import keeps
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.recordings import registry
from exitgate.recordings.recorded_probes import RESULTS

Truths = frozenset[bool | None]


#: Source -> what a format must give for it, of the words in `exitgate.core.model.capabilities`.
_SOURCES = {
    "response": capabilities.RESPONSE,
    "output": capabilities.OUTPUT,
    "tool_results": capabilities.TOOL_RESULTS,
    "tool_calls": capabilities.TOOL_CALLS,
    "probes": capabilities.TOOL_CALLS,
    "result": capabilities.RESULT,
    "plan": capabilities.PLAN,
    "task": capabilities.TASK,
    "git": capabilities.GIT,
    "circuit": capabilities.CIRCUIT,
}
#: Extractor and fact -> any one of these; else what the source says.
_FACTS = {
    ("clock", ""): (capabilities.TIMES,),
    ("run", "elapsed"): (capabilities.TIMES,),
    ("run", "cost"): (capabilities.COST,),
    ("run", "tokens"): (capabilities.TOKENS,),
    ("run", "agent_exit"): (capabilities.EXIT_STATUS,),
    ("run", "interrupted"): (capabilities.EXIT_STATUS,),
    ("run", "failed"): (capabilities.EXIT_STATUS, capabilities.RESULT),
    ("run", "failures_in_row"): (capabilities.EXIT_STATUS, capabilities.RESULT),
    ("result", "cost"): (capabilities.COST,),
    ("result", "tokens"): (capabilities.TOKENS,),
}
#: Known from the mere number of iterations.
_ALWAYS = ("run",)
#: Formats that record facts themselves: which ones, only the file says.
_RECORD_FACTS = frozenset(("exitgate-ledger",))


class Missing(Struct, frozen=True):
    """
    What some readers cannot give a policy.

    Args:
        readers: Their ids.
        facts: Facts that rules ask for and that stay unknown, in the policy's order.
        rules: Ids of the rules that can never be true for that, in order.
    """

    readers: tuple[str, ...]
    facts: tuple[str, ...]
    rules: tuple[str, ...]


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
        unknown = always_unknown(policy, registry.load(id).GIVES)
        reachable = Reachable(policy, unknown)
        rules = tuple(rule.id for rule in policy.rules if True not in reachable.truths(rule.when))
        if rules:
            wanted = reachable.asked(rule.when for rule in policy.rules if rule.id in rules)
            facts = tuple(name for name in policy.facts if name in wanted and name in unknown)
            groups.setdefault((facts, rules), []).append(id)
    return tuple(Missing(tuple(ids), facts, rules) for (facts, rules), ids in groups.items())


def always_unknown(policy: CompiledPolicy, given: frozenset[str]) -> frozenset[str]:
    """Return the extracted facts that stay unknown where a format gives only `given`."""
    found = []
    for entry in policy.extractions:
        if keeps(policy, entry) or (entry.source == "probes" and policy.layers.get(RESULTS)):
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
        return (capabilities.FILES,)
    word = _SOURCES.get(entry.source)
    return () if word is None else (word,)


def _is_of(name: str, entry: Extraction) -> bool:
    return name == entry.prefix or name.startswith(f"{entry.prefix}.")


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# Which truths a condition can come out with where some facts are always unknown.

_ANY: Truths = frozenset((True, False, None))
_KNOWN: Truths = frozenset((True, False))
_OPEN: Truths = frozenset((None,))
#: A look back is false as long as there is too little history.
_NEVER: Truths = frozenset((False, None))

_LOOKS_BACK = frozenset(("unchanged", "declined", "rose", "repeats"))
#: What has to last for a time, by a clock.
_LASTS = frozenset(("consecutive", "unchanged", "declined", "rose"))


class Reachable:
    """
    Conditions of a policy under facts that are always unknown.

    It errs to the side of more: what it says cannot be, cannot be.

    Args:
        policy: Its conditions and computed facts are looked through.
        unknown: Names of the facts.
    """

    def __init__(self, policy: CompiledPolicy, unknown: frozenset[str]) -> None:
        self._policy = policy
        self._unknown = set(unknown)
        for fact in policy.derived:
            if fact.formula is not None and self._never_known(fact.formula):
                self._unknown.add(fact.name)
            if fact.signals and fact.type.kind == "bool" and all(s in self._unknown for s in fact.signals):
                self._unknown.add(fact.name)

    def truths(self, node: Node) -> Truths:
        """Return the truths that a condition can have."""
        children = list(node.children())
        if node.op == "bool":
            return frozenset((bool(node.args[0]),))
        if node.op == "condition":
            return self.truths(self._policy.conditions[str(node.args[0])])
        if node.op == "not":
            return frozenset(None if t is None else not t for t in self.truths(children[0]))
        if node.op in ("and", "or"):
            return _joined(node.op, [self.truths(child) for child in children])
        if node.op in ("known", "unknown"):
            return frozenset((node.op == "unknown",)) if self._never_known(children[0]) else _KNOWN
        if node.op == "or_else":
            first, second = (self.truths(child) for child in children)
            return (first - _OPEN) | second
        if node.op in _LASTS and is_chosen(node) and ELAPSED in self._unknown:
            return _NEVER
        if node.op == "consecutive":
            return _ANY if True in self.truths(children[0]) else _NEVER
        if node.op == "quantified":
            few = node.args[0] == "at_most"
            return _ANY if few or True in self.truths(children[-1]) else _NEVER
        if node.op in _LOOKS_BACK:
            return _NEVER if self._never_known(children[0]) else _ANY
        return _OPEN if self._never_known(node) else _ANY

    def asked(self, conditions: Iterable[Node]) -> frozenset[str]:
        """Return the names of all facts that conditions rest on, through conditions and computed facts."""
        found: set[str] = set()
        waiting = list(conditions)
        derived = {fact.name: fact for fact in self._policy.derived}
        while waiting:
            for node in waiting.pop().walk():
                name = str(node.args[0]) if node.op in ("fact", "condition") else ""
                if node.op == "condition":
                    waiting.append(self._policy.conditions[name])
                elif name and name not in found:
                    found.add(name)
                    fact = derived.get(name)
                    if fact is not None:
                        waiting += [row.when for row in fact.rows]
                        waiting += [fact.formula] if fact.formula is not None else []
                        found.update(fact.signals)
        return frozenset(found)

    def _never_known(self, node: Node) -> bool:
        """Return whether a value is unknown no matter what else is."""
        children = list(node.children())
        if node.op == "fact":
            return str(node.args[0]) in self._unknown
        if node.op == "or_else":
            return all(self._never_known(child) for child in children)
        if node.op in COUNTING_TRUE:
            return False
        if node.op in ("of_items", "count_items"):
            return self._never_known(children[0])
        if node.op in ("and", "or", "not", "condition", "known", "unknown", "consecutive", "quantified"):
            return self.truths(node) == _OPEN
        if node.op in ("contains", "compare", "is", "is_not", "between", "in", "not_in", "matches"):
            return any(self._never_known(child) for child in children)
        if node.op in ("add", "sub", "mul", "div", "neg"):
            return any(self._never_known(child) for child in children)
        return False


def _joined(op: str, parts: list[Truths]) -> Truths:
    """Return the truths of a strong Kleene `and` or `or`."""
    decides = op == "or"
    found: Truths = frozenset((not decides,))
    for part in parts:
        found = frozenset(
            decides if decides in (a, b) else None if None in (a, b) else not decides
            for a in found
            for b in part
        )
    return found
