"""
What a change of a policy leaves as it was: the records of a run, what is computed in them, or nothing.

Most changes touch only what rules ask. One that touches computed facts or the breaker has records made anew
from those that are there: nothing of a transcript is read again. One that touches what is extracted needs the
transcripts.
"""

from __future__ import annotations

from msgspec.structs import replace

from exitgate.core.engine.breaker import facts_of
from exitgate.core.engine.evaluation import Before, Evaluation
from exitgate.core.engine.record import Record
from exitgate.core.language.measure import parameters_of, reachable
from exitgate.core.model.value import Value
from exitgate.recordings import recorded_probes
from exitgate.recordings.incremental.moves import CIRCUIT
from exitgate.recordings.incremental.records import Gathering, Run, value_at
from exitgate.recordings.replay.extraction import COUNTED, digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.engine.program import Program
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.records import RunRecords


def same_extraction(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """
    Return whether two policies extract the same from every run, and take the same for what is unknown.

    Policies that ask probes are the same only if all of them is: which are asked depends on their rules.
    """
    if one.digest == other.digest:
        return True
    if recorded_probes.asks(one) or recorded_probes.asks(other) or digest_of(one) != digest_of(other):
        return False
    return _taken(one) == _taken(other)


def _taken(policy: CompiledPolicy) -> object:
    counted = [entry for entry in policy.extractions if entry.extractor in COUNTED]
    computed = {fact.name for fact in policy.derived}
    types = {name: spec.type for name, spec in policy.facts.items() if name not in computed}
    return _meaning([counted, policy.unreadable, types, policy.breaker is None])


def same_computing(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """Return whether two policies of `same_extraction` compute the same facts, the breaker aside."""
    trees = [[tree for fact in policy.derived for tree in fact.trees()] for policy in (one, other)]
    return _meaning(one.derived) == _meaning(other.derived) and _named(trees[0], one) == _named(
        trees[1], other
    )


def same_breaker(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """Return whether two policies of `same_extraction` have the same breaker."""
    pair = [(policy, policy.breaker) for policy in (one, other)]
    first, second = (_named(b.conditions() if b is not None else (), policy) for policy, b in pair)
    return _meaning(one.breaker) == _meaning(other.breaker) and first == second


def _named(trees: Iterable[Node], policy: CompiledPolicy) -> object:
    """Return named conditions and values of parameters that trees rest on."""
    trees, values = list(trees), policy.values()
    named = sorted({name for tree in trees for name in reachable(tree, policy.conditions)})
    read = sorted({name for tree in trees for name in parameters_of(tree, policy.conditions)})
    return (
        tuple((name, policy.conditions[name]) for name in named),
        tuple((name, values[name].__class__, values[name]) for name in read),
    )


#: What a value of a policy has that says where it was written or what it is about.
_WORDS = frozenset(("doc", "place"))


def _meaning(value: object) -> object:
    """Return a value of a policy as far as it means something: a line more above it changes nothing."""
    if isinstance(value, Value):
        names = (name for name in value.__slots__ if name not in _WORDS)
        return (type(value).__name__, *(_meaning(getattr(value, name)) for name in names))
    if isinstance(value, dict):
        return tuple((name, _meaning(value[name])) for name in sorted(value))
    if isinstance(value, list | tuple):
        return tuple(_meaning(one) for one in value)
    return value


def reads_breaker(policy: CompiledPolicy) -> bool:
    """Return whether a computed fact reads the breaker: those are computed before it moves, and after."""
    trees = [tree for fact in policy.derived for tree in fact.trees()]
    named = {name for tree in trees for name in reachable(tree, policy.conditions)}
    every = [*trees, *(policy.conditions[name] for name in named)]
    read = {name for tree in every for name in tree.uses().get("fact", ())}
    return any(name.startswith(CIRCUIT) for name in read.union(*(fact.signals for fact in policy.derived)))


def computed_anew(run: Run, old: CompiledPolicy, program: Program) -> RunRecords | None:
    """
    Return a run with all that a policy computes from what was extracted in it.

    Args:
        run: With the records of `old`.
        old: A policy with the same extraction, `same_extraction`.
        program: The policy.

    None where the run says itself how its breaker moved: then the transcript has to be read.
    """
    records, policy = run.records, program.policy
    if records.elsewhere:
        return None
    computed, own = {fact.name for fact in old.derived}, policy.breaker is not None
    kept = [n for n in run.columns if n not in computed and not (own and n.startswith(CIRCUIT))]
    names = kept if _asks_for_silence(policy) else _read_computing(policy).intersection(kept)
    gathering = Gathering(policy, records.remembered)
    evaluation = Evaluation(program, Before(remembered=records.remembered, whole=True))
    read = run.reader(names)
    for at in range(records.length):
        before, now = evaluation.before, records.nows[at]
        values = read(at)
        if own:
            values |= {fact.name: fact.value for fact in facts_of(before.breaker, now)}
        stand_ins = value_at(records.stand_ins, at)
        observed = evaluation.observe(Record(values, stand_ins), now)  # type: ignore[arg-type]
        stages = value_at(records.stages, at)
        gathering.take(observed.record, stages, now, before)  # type: ignore[arg-type]
    anew = gathering.done()
    columns = {name: records.columns[name] for name in kept if name in records.columns}
    columns |= {name: column for name, column in anew.columns.items() if name not in columns}
    return replace(anew, columns=columns, blind=records.blind)


def _trees(policy: CompiledPolicy) -> list[Node]:
    """Return what computed facts and the breaker ask, named conditions in it included."""
    breaker = policy.breaker
    trees = [tree for fact in policy.derived for tree in fact.trees()]
    trees += breaker.conditions() if breaker is not None else ()
    named = {name for tree in trees for name in reachable(tree, policy.conditions)}
    return [*trees, *(policy.conditions[name] for name in sorted(named))]


def _read_computing(policy: CompiledPolicy) -> frozenset[str]:
    """Return the facts that computed facts and the breaker read."""
    read = {name for tree in _trees(policy) for name in tree.uses().get("fact", ())}
    return frozenset(read.union(*(fact.signals for fact in policy.derived)))


def _asks_for_silence(policy: CompiledPolicy) -> bool:
    return any("silence" in tree.uses() for tree in _trees(policy))
