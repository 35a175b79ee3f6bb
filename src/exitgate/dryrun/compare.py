"""Policies compared with each other on recorded runs: how often they agree, and where they first part."""

from __future__ import annotations

from exitgate.dryrun.divergence import Divergence, Lane, part_ways
from exitgate.dryrun.gathered_runs import stream, unique
from exitgate.dryrun.players import Player
from exitgate.model.value import Value
from exitgate.transcripts.unread import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.gathered_runs import GatheredRun, Tell
    from exitgate.dryrun.result import RecordedRun
    from exitgate.dryrun.scores import Stop
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.run import Problem

BOTH_CONTINUE, SAME, OTHER_CLASS, EARLIER, LATER, ONLY_ONE, ONLY_OTHER = (
    "both_continue", "same_stop", "same_iteration_other_class", "first_stops_earlier", "second_stops_earlier",
    "only_first_stops", "only_second_stops",
)  # fmt: skip
KINDS = (BOTH_CONTINUE, SAME, OTHER_CLASS, EARLIER, LATER, ONLY_ONE, ONLY_OTHER)
AGREEING = (BOTH_CONTINUE, SAME)


class Agreement(Value):
    """Two policies over all runs: how many runs are of each of `KINDS`."""

    __slots__ = ("counts", "one", "other")

    def __init__(self, one: str, other: str, counts: Mapping[str, int]) -> None:
        self.one = one
        self.other = other
        self.counts = counts

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(self.counts.values())

    @property
    def agreeing(self) -> int:
        """On how many runs both stop at the same iteration with the same class, or neither does."""
        return sum(self.counts[kind] for kind in AGREEING)


class Comparison(Value):
    """
    Several policies on the same runs.

    Args:
        policies: As they are called here, in order.
        runs: All that were walked, sub-agents left out.
        stops: Id of a run -> policy -> its stop, or None.
        agreements: One for each pair.
        divergences: The first of each pair on each run, the most costly first.
        sub_agents: Runs of sub-agents, left out.
        problems, unread: As in `exitgate.dryrun.gathered_runs.Gathered`.
    """

    __slots__ = (
        "agreements", "divergences", "policies", "problems", "runs", "stops", "sub_agents", "unread",
    )  # fmt: skip

    def __init__(
        self,
        policies: tuple[str, ...],
        runs: tuple[RecordedRun, ...],
        stops: Mapping[str, Mapping[str, Stop | None]],
        agreements: tuple[Agreement, ...],
        divergences: tuple[Divergence, ...],
        sub_agents: int,
        problems: tuple[Problem, ...],
        unread: Unread,
    ) -> None:
        self.policies = policies
        self.runs = runs
        self.stops = stops
        self.agreements = agreements
        self.divergences = divergences
        self.sub_agents = sub_agents
        self.problems = problems
        self.unread = unread


def compare(
    paths: Sequence[str],
    policies: Mapping[str, CompiledPolicy],
    *,
    reader: str | None = None,
    tell: Tell = lambda _: None,
) -> Comparison:
    """
    Return how policies agree on the runs that `paths` lead to.

    Args:
        paths: Files, folders, globs, URLs.
        policies: At least two, by what each is called in the result.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called with each path before it is read.
    """
    players = {name: Player(name, policy) for name, policy in policies.items()}
    problems: list[Problem] = []
    unread = Unread()
    runs: list[RecordedRun] = []
    walked: list[tuple[dict[str, Stop | None], list[Divergence]]] = []
    named: list[tuple[str, str]] = []
    own: list[int] = []
    wanted = stream(
        paths, players, problems, unread, reader=reader, wanted=lambda begin: begin.parent is None, tell=tell
    )
    for one in wanted:
        named.append((one.run.id, one.run.file))
        if one.run.parent is None:
            runs.append(one.run)
            own.append(len(named) - 1)
            walked.append(_walk(one, players))
    # Sub-agents have a say in what runs are called: so it is in every other command.
    everyone = unique(named)
    ids = [everyone[at] for at in own]
    runs = [run.but(id=id) for run, id in zip(runs, ids, strict=True)]
    stops = {id: found for id, (found, _) in zip(ids, walked, strict=True)}
    divergences = [one.of_run(id) for id, (_, parted) in zip(ids, walked, strict=True) for one in parted]
    divergences.sort(key=lambda one: (-(one.cost or 0.0), -one.iterations))
    names = tuple(policies)
    pairs = [(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
    agreements = tuple(_agreement(one, other, tuple(stops.values())) for one, other in pairs)
    return Comparison(
        names,
        tuple(runs),
        stops,
        agreements,
        tuple(divergences),
        len(named) - len(own),
        tuple(problems),
        unread,
    )


def _walk(one: GatheredRun, players: Mapping[str, Player]) -> tuple[dict[str, Stop | None], list[Divergence]]:
    """Return the stop of each policy on a run, and where each pair first parts."""
    assert one.extracted is not None
    lanes = [Lane(player, one.begin) for player in players.values()]
    parted: list[Divergence] = []
    for at in range(one.run.iterations):
        going = [lane for lane in lanes if lane.stop is None]
        if not going:
            break
        for lane in going:
            lane.step(one.extracted[lane.name][at])
        parted += part_ways(going, one.run.id)
    stops = {lane.name: lane.stop for lane in lanes}
    return stops, [found.at_stake(stops, one.costs) for found in parted]


def _agreement(one: str, other: str, stops: Sequence[Mapping[str, Stop | None]]) -> Agreement:
    counts = dict.fromkeys(KINDS, 0)
    for of in stops:
        counts[_kind(of[one], of[other])] += 1
    return Agreement(one, other, counts)


def _kind(one: Stop | None, other: Stop | None) -> str:
    if one is None or other is None:
        if one is None and other is None:
            return BOTH_CONTINUE
        return ONLY_OTHER if one is None else ONLY_ONE
    if one.iteration != other.iteration:
        return EARLIER if one.iteration < other.iteration else LATER
    return SAME if one.exit_class == other.exit_class else OTHER_CLASS
