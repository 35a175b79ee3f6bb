"""Policies compared with each other on recorded runs: how often they agree, and where they first part."""

from __future__ import annotations

from collections import deque

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.language.unparse import written
from exitgate.core.model.decision import EXIT
from exitgate.recordings.replay.loaded_runs import is_own, stream, unique
from exitgate.recordings.replay.replay import Replay
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.scored_runs import stop_of
from exitgate.recordings.scoring.scores import cost_between
from exitgate.recordings.unread import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.decision import Step
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.model import Begin, Problem
    from exitgate.recordings.replay.executors import Executor
    from exitgate.recordings.replay.extraction import Extracted
    from exitgate.recordings.replay.loaded_runs import LoadedRun, Tell
    from exitgate.recordings.replay.replay import Decided
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.replay.result import RecordedRun
    from exitgate.recordings.scoring.scores import Stop


BOTH_CONTINUE, SAME, OTHER_CLASS, EARLIER, LATER, ONLY_ONE, ONLY_OTHER = (
    "both_continue", "same_stop", "same_iteration_other_class", "first_stops_earlier", "second_stops_earlier",
    "only_first_stops", "only_second_stops",
)  # fmt: skip
KINDS = (BOTH_CONTINUE, SAME, OTHER_CLASS, EARLIER, LATER, ONLY_ONE, ONLY_OTHER)
AGREEING = (BOTH_CONTINUE, SAME)


class Agreement(Struct, frozen=True):
    """Two policies over all runs: how many runs are of each of `KINDS`."""

    one: str
    other: str
    counts: Mapping[str, int]

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return sum(self.counts.values())

    @property
    def agreeing(self) -> int:
        """On how many runs both stop at the same iteration with the same class, or neither does."""
        return sum(self.counts[kind] for kind in AGREEING)


class Comparison(Struct, frozen=True):
    """
    Several policies on the same runs.

    Args:
        policies: As they are called here, in order.
        runs: All that were walked, sub-agents left out.
        stops: Id of a run -> policy -> its stop, or None.
        agreements: One for each pair.
        divergences: The first of each pair on each run, the most costly first.
        sub_agents: Runs of sub-agents, left out.
        problems, unread: As in `exitgate.recordings.replay.loaded_runs.LoadedRuns`.
    """

    policies: tuple[str, ...]
    runs: tuple[RecordedRun, ...]
    stops: Mapping[str, Mapping[str, Stop | None]]
    agreements: tuple[Agreement, ...]
    divergences: tuple[Divergence, ...]
    sub_agents: int
    problems: tuple[Problem, ...]
    unread: Unread


def compare(
    paths: Sequence[str],
    policies: Mapping[str, CompiledPolicy],
    *,
    reader: str | None = None,
    tell: Tell = lambda _: None,
    executor: Executor | None = None,
) -> Comparison:
    """
    Return how policies agree on the runs that `paths` lead to.

    Args:
        paths: Files, folders, globs, URLs.
        policies: At least two, by what each is called in the result.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called with each path before it is read.
        executor: Where they are read, this process by default.
    """
    players = {name: PolicyReplay(name, policy) for name, policy in policies.items()}
    problems: list[Problem] = []
    unread = Unread()
    runs: list[RecordedRun] = []
    walked: list[tuple[dict[str, Stop | None], list[Divergence]]] = []
    named: list[tuple[str, str]] = []
    own: list[int] = []
    wanted = stream(
        paths, players, problems, unread, reader=reader, wanted=is_own, tell=tell, executor=executor
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
    runs = [replace(run, id=id) for run, id in zip(runs, ids, strict=True)]
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


def _walk(
    one: LoadedRun, players: Mapping[str, PolicyReplay]
) -> tuple[dict[str, Stop | None], list[Divergence]]:
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


# Where two policies first part on a run, with what each of them had before it.

#: So many rules that nearly decided are reported about a policy that continues.
NEAR = 3


class Reason(Struct, frozen=True):
    """
    A rule as one policy evaluated it.

    Args:
        rule: Its id.
        state: ``decided``, ``false``, ``pending 2 of 3``, ``unknown`` or ``not asked``.
        written: Its condition with values written in.
    """

    rule: str
    state: str
    written: str


class Side(Struct, frozen=True):
    """
    One policy at a divergence.

    Args:
        policy: As it is called here.
        verdict, exit_class, outcome, rule, message, firm: Of its decision there.
        reasons: The rule that decided; without one those that came nearest, the other policy's first.
        stop: Where it stops in the end, None where it never stops.
    """

    policy: str
    verdict: str
    exit_class: str | None
    outcome: str
    rule: str | None
    message: str
    firm: bool
    reasons: tuple[Reason, ...]
    stop: Stop | None = None


class Divergence(Struct, frozen=True):
    """
    The first iteration at which two policies decide differently.

    Args:
        run: Id of the run.
        iteration: Its number.
        one, other: What each decides there.
        iterations: Iterations between the two stops, or from the only one to the end of the run.
        cost: USD of them, None where the transcript shows none what it cost.
    """

    run: str
    iteration: int
    one: Side
    other: Side
    iterations: int = 0
    cost: float | None = None

    def of_run(self, id: str) -> Divergence:
        """Return it under another id of the run."""
        return Divergence(id, self.iteration, self.one, self.other, self.iterations, self.cost)

    def at_stake(self, stops: Mapping[str, Stop | None], costs: Sequence[float | None]) -> Divergence:
        """Return it with both stops, and the iterations and USD between them."""
        sides = [_with_stop(side, stops[side.policy]) for side in (self.one, self.other)]
        ends = sorted(s.stop.iteration if s.stop is not None else len(costs) for s in sides)
        cost = cost_between(costs, *ends)
        return Divergence(self.run, self.iteration, sides[0], sides[1], ends[1] - ends[0], cost)


class Lane:
    """One policy on its way through a run, with as much of its records as its conditions read."""

    def __init__(self, player: PolicyReplay, begin: Begin) -> None:
        self.name = player.name
        self.policy = player.policy
        self.stop: Stop | None = None
        self._walk = Replay(player.policy, begin, player.program)
        self._records: deque[Mapping[str, object]] = deque(maxlen=player.policy.lookback + 1)
        self.decided: Decided | None = None

    def step(self, extracted: Extracted) -> None:
        """Decide on the next iteration."""
        self.decided = self._walk.step(extracted)
        self._records.append(self.decided.record)
        if self.decided.decision.verdict == EXIT:
            self.stop = stop_of(self.decided)

    def side(self, asked: str | None) -> Side:
        """Return what it decided last; `asked` is the rule that decided for the other policy."""
        assert self.decided is not None
        decision = self.decided.decision
        return Side(
            self.name, decision.verdict, decision.exit_class, decision.outcome, decision.rule,
            decision.message, decision.firm, tuple(self._reasons(asked)),
        )  # fmt: skip

    def _reasons(self, asked: str | None) -> list[Reason]:
        assert self.decided is not None
        decision = self.decided.decision
        steps = {step.rule: step for step in decision.steps}
        if decision.rule is not None and decision.verdict == EXIT:
            return [self._reason(steps[decision.rule], decided=True)] if decision.rule in steps else []
        near = [step for step in decision.steps if step.truth is not True and (step.pending or step.unknowns)]
        near.sort(key=lambda step: not step.pending)
        named = [steps[id] for id in (decision.rule, asked) if id is not None and id in steps]
        chosen = {step.rule: step for step in (*named, *near) if self._exits(step) or step in named}
        return [
            self._reason(step, decided=step.rule == decision.rule) for step in list(chosen.values())[:NEAR]
        ]

    def _exits(self, step: Step) -> bool:
        return any(rule.id == step.rule and rule.effect == "exit" for rule in self.policy.rules)

    def _reason(self, step: Step, *, decided: bool) -> Reason:
        rule = next(rule for rule in self.policy.rules if rule.id == step.rule)
        text = written(rule.when, tuple(self._records), self.policy.values(), self.policy.conditions)
        if decided:
            state = "decided"
        elif step.truth is None:
            state = "not asked"
        elif step.pending:
            state = "pending " + ", ".join(str(one) for one in step.pending)
        else:
            state = "false" if step.truth is False else "true" if step.truth is True else "unknown"
        return Reason(step.rule, state, text)


def part_ways(lanes: Sequence[Lane], run: str) -> list[Divergence]:
    """Return where policies that have all gone on so far part at the iteration they have just decided on."""
    found = []
    for at, one in enumerate(lanes):
        for other in lanes[at + 1 :]:
            if _class(one) == _class(other):
                continue
            assert one.decided is not None and other.decided is not None
            rules = one.decided.decision.rule, other.decided.decision.rule
            sides = one.side(rules[1]), other.side(rules[0])
            found.append(Divergence(run, one.decided.extracted.index, *sides))
    return found


def _class(lane: Lane) -> str | None:
    return lane.stop.exit_class if lane.stop is not None else None


def _with_stop(side: Side, stop: Stop | None) -> Side:
    return replace(side, stop=stop)
