"""The variables of a walk: what each fact, or group of tied facts, can be in one iteration."""

from __future__ import annotations

from itertools import combinations
from math import prod

from exitgate.analysis.space.dependencies import fields_of_blocks, shapes
from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.space.reads import reads
from exitgate.analysis.walk.gates import ANY
from exitgate.analysis.walk.leaves import sums_of
from exitgate.core.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.space.domains import Domains
    from exitgate.core.policy.compiled import CompiledPolicy

    #: For each cluster of each iteration the choices it has left, as bits; see `Units.index`.
    Region = tuple[int, ...]

    from collections.abc import Iterator

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import Derived


class Variables:
    """
    The clusters of one or several policies over a run of `length` iterations.

    A variable is a cluster in one iteration; `index` counts iterations back from the last one, which
    is 0. All policies share the facts they both name; `found` holds the candidates of each.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], length: int, found: Domains) -> None:
        self.length = length
        #: How many iterations have variables of their own.
        self.iterations = length
        self.policies = tuple(policies)
        plain = plain_clusters(self.policies, found)
        guesses = guessed_clusters(self.policies)
        self.clusters = (*plain, *guesses.clusters)
        self.width = len(self.clusters)
        self.tied = plain
        self.guessed = frozenset(range(len(plain), self.width))
        self.progress = frozenset(n + len(plain) for n in guesses.progress)
        self.called = guesses.called
        self.of = {
            name: (number, i)
            for number, cluster in enumerate(self.clusters)
            for i, name in enumerate(cluster.names)
        }
        self.full: Region = tuple((1 << len(cluster.choices)) - 1 for cluster in self.clusters) * length
        #: For each cluster its choices, those with the fewest known facts first; the first of equals.
        self._plainest = tuple(tuple(_by_known(cluster)) for cluster in self.clusters)
        #: For each cluster and choice the facts that it makes known.
        self._known = tuple(tuple(map(cluster.known, cluster.choices)) for cluster in self.clusters)
        self._groups: dict[tuple[int, tuple[str, ...], str], tuple[tuple[tuple[object, ...], int], ...]] = {}
        self._blocks = tuple(block for policy in self.policies for block in fields_of_blocks(policy))
        self._bound = self._bindings()
        self.moving = self._movements()

    def index(self, cluster: int, back: int) -> int:
        """Return the place of a cluster's variable `back` iterations before the last one."""
        return back * self.width + cluster

    def narrowed(self, region: Region, variable: int, choices: int) -> Region | None:
        """Return the region with only `choices` left for a variable, and what follows; None if nothing is."""
        changed = list(region)
        changed[variable] &= choices
        if not changed[variable]:
            return None
        back, cluster = divmod(variable, self.width)
        for present, absent, field, silent in self._bound:
            if cluster not in (present, field):
                continue
            at, other = self.index(present, back), self.index(field, back)
            if not changed[at] & ~absent:
                changed[other] &= silent
            if not changed[other] & silent:
                changed[at] &= ~absent
            if not (changed[at] and changed[other]):
                return None
        for guess, unknown, signals in self.moving:
            if cluster == guess or any(cluster == signal for signal, _ in signals):
                at = self.index(guess, back)
                if not any(changed[self.index(signal, back)] & known for signal, known in signals):
                    changed[at] &= unknown
                if not changed[at]:
                    return None
        return tuple(changed)

    def groups(
        self, cluster: int, names: tuple[str, ...], stand_ins: Mapping[str, object]
    ) -> tuple[tuple[tuple[object, ...], int], ...]:
        """
        Return the values that some facts of a cluster have together, each with the choices that give them.

        `stand_ins` are the values of facts while they are unknown.
        """
        stood_in = not stand_ins.keys().isdisjoint(names)
        instead = tuple([stand_ins.get(name, UNKNOWN) for name in names]) if stood_in else ()
        kept = (cluster, names, repr(instead))
        if kept not in self._groups:
            instead = instead or (UNKNOWN,) * len(names)
            places = [self.of[name][1] for name in names]
            bits: dict[tuple[object, ...], int] = {}
            values: dict[tuple[object, ...], tuple[object, ...]] = {}
            for number, choice in enumerate(self.clusters[cluster].choices):
                said = zip((choice[place] for place in places), instead, strict=True)
                value = tuple(other if isinstance(v, Unknown) and v.least is None else v for v, other in said)
                key = tuple(_key(v) for v in value)
                bits[key] = bits.get(key, 0) | 1 << number
                values.setdefault(key, value)
            self._groups[kept] = tuple((values[key], choices) for key, choices in bits.items())
        return self._groups[kept]

    def points(self, region: Region) -> int:
        """Return how many points a region holds."""
        return prod(map(int.bit_count, region))

    def run(self, region: Region) -> tuple[dict[str, object], ...]:
        """
        Return the plainest run of a region, oldest first, unknown facts left out.

        Unknown comes before known, and what an earlier iteration had before something new.
        """
        return self.last(region, self.length)

    def last(self, region: Region, count: int) -> tuple[dict[str, object], ...]:
        """Return the last `count` iterations of a run of the region."""
        run: list[dict[str, object]] = []
        chosen = [0] * self.width
        for back in reversed(range(count)):
            values: dict[str, object] = {}
            for number in range(self.width):
                if number in self.guessed:
                    continue
                left = region[self.index(number, back)]
                kept = chosen[number] if back < count - 1 and left >> chosen[number] & 1 else None
                if kept is None:
                    kept = next(choice for choice in self._plainest[number] if left >> choice & 1)
                chosen[number] = kept
                values.update(self._known[number][kept])
            run.append(values)
        return tuple(run)

    def _movements(self) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]:
        """Return for each progress its cluster and unknown choices, and those of its signals, known ones."""
        found = []
        for number in sorted(self.progress):
            name, signals = self.clusters[number].names[0], self._signals(number)
            if not signals or any(signal not in self.of for signal in signals):
                continue  # a signal that is computed itself says nothing here
            unknown = _bits(self.clusters[number], self.of[name][1], _is_silent(None))
            known = []
            for signal in signals:
                cluster, place = self.of[signal]
                stood_in = any(signal in policy.unreadable for policy in self.policies)
                silent = 0 if stood_in else _bits(self.clusters[cluster], place, _is_silent(None))
                known.append((cluster, ~silent))
            if unknown:
                found.append((number, unknown, tuple(known)))
        return tuple(found)

    def _signals(self, number: int) -> tuple[str, ...]:
        names = set(self.clusters[number].names)
        for policy, called in zip(self.policies, self.called, strict=True):
            for fact in policy.derived:
                if called.get(fact.name) in names:
                    return fact.signals
        return ()

    def _bindings(self) -> tuple[tuple[int, int, int, int], ...]:
        """Return for each field of a block: cluster of presence, its false choices, field, silent ones."""
        found = []
        for present, fields in self._blocks:
            if present not in self.of:
                continue
            cluster, place = self.of[present]
            absent = _bits(self.clusters[cluster], place, lambda value: value is False)
            for name, stand_in in fields.items():
                if name in self.of:
                    field, at = self.of[name]
                    silent = _bits(self.clusters[field], at, _is_silent(stand_in))
                    found.append((cluster, absent, field, silent))
        return tuple(found)


def _is_silent(stand_in: object) -> Callable[[object], bool]:
    return lambda value: isinstance(value, Unknown) or (stand_in is not None and value == stand_in)


def _bits(cluster: Cluster, place: int, wanted: Callable[[object], bool]) -> int:
    return sum(1 << number for number, choice in enumerate(cluster.choices) if wanted(choice[place]))


def _by_known(cluster: Cluster) -> list[int]:
    """Return the numbers of the choices, those with the fewest known facts first; equals in their order."""
    return sorted(range(len(cluster.choices)), key=lambda number: len(cluster.known(cluster.choices[number])))


def _key(value: object) -> tuple[object, ...]:
    """Return what tells values apart: unknown ones by what is known of them."""
    return (Unknown, value.least, value.most) if isinstance(value, Unknown) else (type(value), value)


# Facts that are looked at together, and what they can be.


class Cluster(Value):
    """Facts and the values they can have together: `choices` holds a tuple for each, in order of `names`."""

    __slots__ = ("choices", "names")

    def __init__(self, names: tuple[str, ...], choices: tuple[tuple[object, ...], ...]) -> None:
        self.names = names
        self.choices = choices

    def known(self, choice: tuple[object, ...]) -> dict[str, object]:
        """Return the facts that a choice makes known."""
        pairs = zip(self.names, choice, strict=True)
        return {name: value for name, value in pairs if not isinstance(value, Unknown)}


def plain_clusters(
    policies: Sequence[CompiledPolicy], found: Mapping[str, tuple[object, ...]]
) -> tuple[Cluster, ...]:
    """Return the clusters of all facts with candidates in `found`: one of those that determine each other."""
    clusters: dict[str, Cluster] = {}
    for policy in policies:
        for names, choices in shapes(policy, found):
            if not any(name in clusters for name in names):
                silent = (UNKNOWN,) * len(names)
                cluster = Cluster(names, tuple(dict.fromkeys((*choices, silent))))
                clusters.update(dict.fromkeys(names, cluster))
    for name, values in found.items():
        if name not in clusters:
            clusters[name] = Cluster((name,), tuple((value,) for value in values))
    return tuple(dict.fromkeys(clusters.values()))


# What computed facts can say, as if they were free.

#: Signals of progress of which every way to move is a choice, where a condition reads which or how many.
SIGNALS = 4


class Guesses(Value):
    """
    Units of computed facts.

    Args:
        clusters: The clusters.
        progress: Places among them of those for progress.
        called: For each policy the name under which a cluster has its fact: two policies may compute facts of
            one name differently.
    """

    __slots__ = ("called", "clusters", "progress")

    def __init__(
        self, clusters: tuple[Cluster, ...], progress: frozenset[int], called: tuple[Mapping[str, str], ...]
    ) -> None:
        self.clusters = clusters
        self.progress = progress
        self.called = called


def guessed_clusters(policies: Sequence[CompiledPolicy]) -> Guesses:
    """
    Return clusters for progress and for sums of points.

    Progress follows from all that its signals were in the run: a region says what it shall be, and a
    run of the region that brings it about is looked for afterwards (`realised`). A sum follows from
    its rows: a region says what it shall be, and whether the rows give that is settled last (`Sum`).
    """
    clusters: dict[Cluster, None] = {}
    progress: set[Cluster] = set()
    called: list[dict[str, str]] = []
    defined: dict[str, object] = {}
    read = {fact.name for policy in policies for fact in policy.derived if reads(policy, fact.name)}
    for number, policy in enumerate(policies):
        names: dict[str, str] = {}
        called.append(names)
        for facts in _together(policy):
            means = facts if facts[0].signals else (number, facts)
            alike = all(defined.setdefault(fact.name, means) == means for fact in facts)
            names |= {fact.name: fact.name if alike else f"{fact.name}@{number}" for fact in facts}
            cluster = _progress(facts, names, read) if facts[0].signals else _sums(facts[0], names)
            if cluster is None:
                names.pop(facts[0].name)
                continue
            clusters[cluster] = None
            if facts[0].signals:
                progress.add(cluster)
    every = tuple(clusters)
    return Guesses(every, frozenset(n for n, one in enumerate(every) if one in progress), tuple(called))


def _together(policy: CompiledPolicy) -> list[tuple[Derived, ...]]:
    """Return the facts of each progress, and each points fact by itself."""
    prefixes: dict[str, list[Derived]] = {}
    for fact in policy.derived:
        if fact.signals:
            prefixes.setdefault(fact.name.rpartition(".")[0], []).append(fact)
    points = [(fact,) for fact in policy.derived if fact.rows]
    return [*(tuple(facts) for facts in prefixes.values()), *points]


def _progress(facts: tuple[Derived, ...], called: Mapping[str, str], read: set[str]) -> Cluster:
    """Return the cluster of one progress; which signals move, or how many tell, only if that is in `read`."""
    signals = facts[0].signals
    told = [
        tuple(_said(fact, moved, known, fact.name in read) for fact in facts)
        for moved, known in _outcomes(signals if len(signals) <= SIGNALS else signals[:1])
    ]
    names = tuple(called[fact.name] for fact in facts)
    return Cluster(names, tuple(dict.fromkeys((*told, (UNKNOWN,) * len(facts)))))


def _outcomes(signals: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield which of some signals moved, and how many could tell."""
    for known in range(len(signals) + 1):
        for count in range(known + 1):
            yield from ((moved, known) for moved in combinations(signals, count))


def _said(fact: Derived, moved: tuple[str, ...], known: int, is_read: bool) -> object:
    if fact.type.kind == "count":
        return known if is_read else min(known, 1)
    if not known:
        return UNKNOWN
    if fact.type.kind == "bool":
        return bool(moved)
    return moved if is_read or not moved else fact.signals[:1]


def beyond_choices(tree: Node, policy: CompiledPolicy, own: bool) -> bool:
    """
    Return whether a condition reads which signals moved, or how many can tell, and not all ways are choices.

    Args:
        tree: The condition.
        policy: Whose progress it reads.
        own: Whether it is one of the policy's own.
    """
    read = tree.uses().get("fact", ())
    return any(
        len(fact.signals) > (SIGNALS if own else 1) and fact.type.kind != "bool" and fact.name in read
        for fact in policy.derived
    )


def unasked(cluster: Cluster) -> int:
    """
    Return the choice of a cluster of progress that only an iteration has which did not end, as a bit.

    There not even the number of known signals is known. 0 where the cluster has no such number: it is
    like an iteration then in which no signal is known.
    """
    counts = any(type(value) is int for value in cluster.choices[0])
    return 1 << (len(cluster.choices) - 1) if counts else 0


def _sums(fact: Derived, called: Mapping[str, str]) -> Cluster | None:
    found = sums_of(fact, (ANY,) * len(fact.rows))
    if found is None:
        return None  # the rows are looked at every time
    return Cluster((called[fact.name],), tuple((value,) for value in found))


# Units of a run that goes round: iteration n is like iteration n - period.


class CyclicVariables(Variables):
    """
    The clusters of a run of `length` iterations that repeats itself every `period` of them.

    A region has variables for one round only; the gates of a condition read as far back as they like.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], length: int, found: Domains, period: int) -> None:
        super().__init__(policies, length, found)
        self.period = self.iterations = period
        self.full = self.full[: self.width * period]

    def index(self, cluster: int, back: int) -> int:
        """Return the place of a cluster's variable `back` iterations before the last one."""
        return back % self.period * self.width + cluster

    def round(self, region: Region) -> tuple[dict[str, object], ...]:
        """Return one round of the plainest run of a region, oldest first, unknown facts left out."""
        return self.last(region, self.period)

    def run(self, region: Region) -> tuple[dict[str, object], ...]:
        """Return the plainest run of a region, round after round."""
        one = self.round(region)
        rounds = -(-self.length // self.period)
        return (one * rounds)[-self.length :]
