"""Which stages a check asks, and one decision out of two."""

from __future__ import annotations

from exitgate.core.model.decision import CONTINUE, EXIT, Alternative, Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.program import Program
    from exitgate.core.model.decision import Decision, Warned

    Records = Sequence[Mapping[str, object]]
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.engine.chain import Message, RuleChain, Truths
    from exitgate.core.model.decision import Step

    Alternatives = tuple[Alternative, ...]
    #: What else it could be, and what if facts were readable.
    Open = Callable[[], tuple[Alternatives, Alternatives]]


BEFORE, AFTER, FAILURE = "before_iteration", "after_iteration", "after_failure"


def stages_due(
    forced: str | None = None,
    agent_exit: int | None = None,
    *,
    response: bool,
    begun: bool,
    is_error: bool = False,
) -> tuple[str, ...]:
    """
    Return the stages to ask, in order; each is asked only when those before it say CONTINUE.

    Args:
        forced: The one stage the caller wants, or None.
        agent_exit: The agent's exit status, or None when it is not known.
        response: Whether there is a response.
        begun: Whether the run has had an iteration.
        is_error: Whether the agent's result is an error, no matter what its exit status.
    """
    if forced is not None:
        return (forced,)
    if not response and not begun and agent_exit is None:
        return (BEFORE,)
    return (FAILURE if agent_exit or is_error else AFTER, BEFORE)


def decide_stages(
    program: Program,
    records: Records,
    stages: Sequence[str],
    notes: Sequence[Warned] = (),
    silent: int = 0,
    moment: float | None = None,
) -> Decision:
    """
    Return the decision of the first of `stages` that says EXIT, else of the first.

    Where that could have been CONTINUE, the stage behind it says what else it could be.
    A stage after the first is asked only when the policy has rules for it. Warnings, shadows,
    alternatives and steps of all stages asked are in the decision, in the order of asking.
    `notes`, `silent` and `moment` are as for `Program.decide`.
    """
    decision = program.decide(records, stages[0], notes, silent, moment)
    for stage in stages[1:]:
        if stage not in program.stages:
            continue
        if decision.verdict == EXIT:
            _follow(decision, program, records, stage, moment)
            break
        decision = _joined(decision, program.decide(records, stage, moment=moment))
    return decision


def _follow(
    decision: LazyDecision, program: Program, records: Records, stage: str, moment: float | None
) -> None:
    decision.followed_by(lambda: program.decide(records, stage, moment=moment))


def _joined(first: LazyDecision, second: LazyDecision) -> LazyDecision:
    leading = second if second.verdict == EXIT else first
    return JoinedDecision(first, second, leading)


# A decision whose messages and steps are written out when somebody reads them.


class LazyDecision(Decision):
    """
    A `Decision` that keeps the truths it was made from and writes texts and steps at the first reading.

    The truths are found while deciding; filled-in messages, the reasons of unknowns, the counts of
    history forms and what else it could be are a second walk that many callers never look at. To
    everyone else this is a `Decision`: equal to one, shown as one, and pickled as one. The records it
    was made from must not be changed afterwards.

    Args:
        open_: Returns what else it could be, and what it could be if facts were readable.
        texts: Message, advice and escalation, from the records.
        ladder, records, truths, winner: What it was made from.
    """

    __slots__ = ("_ladder", "_open", "_records", "_steps", "_texts", "_truths", "_winner")

    # No call of the class above: its slots for texts stay empty, so that the first reading of each
    # comes to __getattr__.
    def __init__(
        self,
        verdict: str,
        exit_class: str | None,
        outcome: str,
        rule: str | None,
        stage: str,
        blind: bool,
        open_: Open,
        warnings: tuple[Warned, ...],
        shadows: tuple[str, ...],
        texts: tuple[Message, Message, Message],
        ladder: RuleChain,
        records: Records,
        truths: Truths,
        winner: int,
        retry_at: float | None = None,
    ) -> None:
        self.verdict = verdict
        self.exit_class = exit_class
        self.outcome = outcome
        self.rule = rule
        self.stage = stage
        self.blind = blind
        self._open = open_
        self.warnings = warnings
        self.shadows = shadows
        self.retry_at = retry_at
        self._texts = texts
        self._ladder = ladder
        self._records = records
        self._truths = truths
        self._winner = winner
        self._steps: tuple[Step, ...] | None = None

    @property
    def steps(self) -> tuple[Step, ...]:  # type: ignore[override]
        """The recording, a step for each rule of the stage."""
        steps = self._steps
        if steps is None:
            steps = self._steps = self._ladder.steps(self._records, self._truths, self._winner)
        return steps

    def __getattr__(self, name: str) -> object:
        if name in _OPEN:
            self._look_further()
            return {"firm": self.firm, "alternatives": self.alternatives}.get(name, self.if_readable)
        if name not in _TEXTS:
            raise AttributeError(name)
        text = self._texts[_TEXTS.index(name)](self._records)
        setattr(self, name, text)
        return text

    def _look_further(self) -> None:
        self.alternatives, self.if_readable = self._open()
        self.firm = not self.alternatives

    def followed_by(self, ask: Callable[[], Decision]) -> None:
        """Let the decision of a stage behind this one count where this one could be CONTINUE."""
        open_, result = self._open, (self.verdict, self.exit_class)

        def both() -> tuple[Alternatives, Alternatives]:
            first, behind = open_(), None
            settled: dict[Alternative, None] = {}
            readable: dict[Alternative, None] = {}
            for one in (*first[0], *first[1]):
                kind = readable if one.unreadable else settled
                if one.verdict != CONTINUE:
                    kind[one] = None
                    continue
                behind = ask() if behind is None else behind
                for other in _results(behind):
                    names = tuple(dict.fromkeys((*one.unreadable, *other.unreadable)))
                    joined = (
                        one if other.verdict == CONTINUE else other.but(rule=one.rule, assumed=one.assumed)
                    )
                    if (joined.verdict, joined.exit_class) != result:
                        (readable if names else kind)[joined.but(unreadable=names)] = None
            return tuple(settled), tuple(readable)

        self._open = both

    def plain(self) -> Decision:
        """Return the same decision with everything written out."""
        return Decision(*(getattr(self, name) for name in _PARTS))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decision):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _PARTS)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __repr__(self) -> str:
        return repr(self.plain())

    def __reduce__(self) -> tuple[object, ...]:
        return (Decision, tuple(getattr(self, name) for name in _PARTS))


class JoinedDecision(LazyDecision):
    """
    Two decisions of one iteration as one; steps and texts of both are written out at the first reading.

    Args:
        first: Of the stage that was asked first.
        second: Of the stage behind it.
        leading: The one of them that counts.
    """

    __slots__ = ("_both",)

    def __init__(self, first: Decision, second: Decision, leading: Decision) -> None:
        self.verdict = leading.verdict
        self.exit_class = leading.exit_class
        self.outcome = leading.outcome
        self.rule = leading.rule
        self.stage = leading.stage
        self.blind = first.blind
        self._open = self._of_either
        self.warnings = (*first.warnings, *second.warnings)
        self.shadows = (*first.shadows, *second.shadows)
        self.retry_at = leading.retry_at
        self._both = (first, second, leading)
        self._steps = None

    @property
    def steps(self) -> tuple[Step, ...]:  # type: ignore[override]
        """The recording of both."""
        if self._steps is None:
            first, second, _ = self._both
            self._steps = (*first.steps, *second.steps)
        return self._steps

    def _of_either(self) -> tuple[Alternatives, Alternatives]:
        """Return what rules of either stage leave open, as long as it would change the two together."""
        first, second, leading = self._both
        result = leading.verdict, leading.exit_class

        def others(*found: Alternative) -> Alternatives:
            return tuple(one for one in found if (one.verdict, one.exit_class) != result)

        return (
            others(*first.alternatives, *second.alternatives),
            others(*first.if_readable, *second.if_readable),
        )

    def __getattr__(self, name: str) -> object:
        if name not in _TEXTS:
            return super().__getattr__(name)
        first, second, leading = self._both
        text = leading.message
        if name == "escalation":
            text = leading.escalation or second.escalation
        elif name == "advice":
            text = leading.advice if leading is second else _both(first.advice, second.advice)
        setattr(self, name, text)
        return text


def _results(decision: Decision) -> Alternatives:
    """Return what a decision is and what it could be."""
    own = Alternative(decision.rule or "", decision.verdict, decision.exit_class, decision.outcome)
    return (own, *decision.alternatives, *decision.if_readable)


def _both(first: str, second: str) -> str:
    return f"{first} {second}" if first and second else first or second


_OPEN = ("alternatives", "firm", "if_readable")
_TEXTS = ("message", "advice", "escalation")
_PARTS = (
    "verdict", "exit_class", "outcome", "rule", "message", "stage", "firm", "blind", "alternatives",
    "warnings", "shadows", "steps", "advice", "escalation", "retry_at", "if_readable",
)  # fmt: skip
