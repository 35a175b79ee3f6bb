"""Where two policies first part on a run, with what each of them had before it."""

from __future__ import annotations

from collections import deque

from exitgate.dryrun.play import Walk
from exitgate.dryrun.scores import cost_between
from exitgate.dryrun.scores_runs import stop_of
from exitgate.language.written import written
from exitgate.model.value import Value
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.dryrun.extracted import Extracted
    from exitgate.dryrun.play import Decided
    from exitgate.dryrun.players import Player
    from exitgate.dryrun.scores import Stop
    from exitgate.model.decision import Step
    from exitgate.transcripts.run import Begin

#: So many rules that nearly decided are reported about a policy that continues.
NEAR = 3


class Reason(Value):
    """
    A rule as one policy evaluated it.

    Args:
        rule: Its id.
        state: ``decided``, ``false``, ``pending 2 of 3``, ``unknown`` or ``not asked``.
        written: Its condition with values written in.
    """

    __slots__ = ("rule", "state", "written")

    def __init__(self, rule: str, state: str, written: str) -> None:
        self.rule = rule
        self.state = state
        self.written = written


class Side(Value):
    """
    One policy at a divergence.

    Args:
        policy: As it is called here.
        verdict, exit_class, outcome, rule, message, firm: Of its decision there.
        reasons: The rule that decided; without one those that came nearest, the other policy's first.
        stop: Where it stops in the end, None where it never stops.
    """

    __slots__ = (
        "exit_class", "firm", "message", "outcome", "policy", "reasons", "rule", "stop", "verdict",
    )  # fmt: skip

    def __init__(
        self,
        policy: str,
        verdict: str,
        exit_class: str | None,
        outcome: str,
        rule: str | None,
        message: str,
        firm: bool,
        reasons: tuple[Reason, ...],
        stop: Stop | None = None,
    ) -> None:
        self.policy = policy
        self.verdict = verdict
        self.exit_class = exit_class
        self.outcome = outcome
        self.rule = rule
        self.message = message
        self.firm = firm
        self.reasons = reasons
        self.stop = stop


class Divergence(Value):
    """
    The first iteration at which two policies decide differently.

    Args:
        run: Id of the run.
        iteration: Its number.
        one, other: What each decides there.
        iterations: Iterations between the two stops, or from the only one to the end of the run.
        cost: USD of them, None where the transcript shows none what it cost.
    """

    __slots__ = ("cost", "iteration", "iterations", "one", "other", "run")

    def __init__(
        self, run: str, iteration: int, one: Side, other: Side, iterations: int = 0, cost: float | None = None
    ) -> None:
        self.run = run
        self.iteration = iteration
        self.one = one
        self.other = other
        self.iterations = iterations
        self.cost = cost

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

    def __init__(self, player: Player, begin: Begin) -> None:
        self.name = player.name
        self.policy = player.policy
        self.stop: Stop | None = None
        self._walk = Walk(player.policy, begin, player.program)
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
    return side.but(stop=stop)
