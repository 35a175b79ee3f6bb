"""What is decided differently by two policies, as plain values."""

from __future__ import annotations

from exitgate.model.answer import PROVED
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.model.answer import Answer

    Run = Sequence[Mapping[str, object]]


class Result(Value):
    """What one policy says to an input: the decision, the rule that made it, the warn rules that are true."""

    __slots__ = ("exit_class", "outcome", "rule", "verdict", "warnings")

    def __init__(
        self,
        verdict: str,
        exit_class: str | None,
        outcome: str,
        rule: str | None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.verdict = verdict
        self.exit_class = exit_class
        self.outcome = outcome
        self.rule = rule
        self.warnings = warnings

    @property
    def decides(self) -> tuple[str, str | None, str]:
        """Verdict, class and outcome: what a loop acts on."""
        return self.verdict, self.exit_class, self.outcome


class Kind(Value):
    """
    A kind of input on which two policies decide differently.

    Args:
        stage: The stage asked.
        before, after: What the first and the second say to the example.
        run: The example: facts of each iteration, oldest first, unknown ones left out. The engine said
            both results.
        points: How many of the points looked at one by one are of this kind.
    """

    __slots__ = ("after", "before", "points", "run", "stage")

    def __init__(self, stage: str, before: Result, after: Result, run: Run, points: int) -> None:
        self.stage = stage
        self.before = before
        self.after = after
        self.run = run
        self.points = points


class Decided(Value):
    """
    What the walk over both found.

    Args:
        kinds: Where verdict, class or outcome differ, the most frequent first.
        warned: Where only warnings do.
        rest: Of the claim that nothing else is decided differently, on the facts: proved or not decided.
            Its points are those settled by the walk, region by region; 0 where no walk was needed.
        quiet: Of the claim that no other warning differs, likewise.
        points: Points of the stages that were looked at one by one, to count kinds.
        every: Whether these were all there are; else they were drawn, always the same ones.
        only_before, only_after: Facts that decide in one of the two and that the other cannot have.
    """

    __slots__ = (
        "every",
        "kinds",
        "only_after",
        "only_before",
        "points",
        "quiet",
        "rest",
        "warned",
    )

    def __init__(
        self,
        kinds: tuple[Kind, ...],
        warned: tuple[Kind, ...],
        rest: Answer,
        quiet: Answer,
        points: int,
        every: bool,
        only_before: tuple[str, ...] = (),
        only_after: tuple[str, ...] = (),
    ) -> None:
        self.kinds = kinds
        self.warned = warned
        self.rest = rest
        self.quiet = quiet
        self.points = points
        self.every = every
        self.only_before = only_before
        self.only_after = only_after

    @property
    def differ(self) -> bool | None:
        """Whether some input is decided differently; None where that is not decided."""
        if self.kinds:
            return True
        return False if self.rest.status == PROVED else None


class Unseen(Value):
    """
    What may change a decision and cannot be seen from facts.

    Args:
        reading: Entries of facts, by name, that both have and that are read differently.
        breaker: Conditions of the breaker, by name, that differ: when it opens or closes.
        silence: After how many blind decisions a run ends, differs.
    """

    __slots__ = ("breaker", "reading", "silence")

    def __init__(self, reading: tuple[str, ...], breaker: tuple[str, ...], silence: bool) -> None:
        self.reading = reading
        self.breaker = breaker
        self.silence = silence

    def __bool__(self) -> bool:
        return bool(self.reading or self.breaker or self.silence)
