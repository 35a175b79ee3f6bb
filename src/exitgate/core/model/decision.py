"""Decisions and the recording of how they came about."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.value import Unknown


def _span(seconds: int) -> str:
    """Return whole seconds as they are written in a condition: ``1h30m``."""
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number) or "0s"


class Pending(Value):
    """
    How far a history form has come: `have` of `need`. `form` is its source text.

    Both count iterations or times, or whole seconds where the form is `of_time`.
    """

    __slots__ = ("form", "have", "need", "of_time")

    def __init__(self, form: str, have: int, need: int, of_time: bool = False) -> None:
        self.form = form
        self.have = have
        self.need = need
        self.of_time = of_time

    def __str__(self) -> str:
        if self.of_time:
            return f"{_span(self.have)} of {_span(self.need)}"
        return f"{self.have} of {self.need}"

    def to_json(self) -> dict[str, object]:
        """Return it as plain JSON; `of_time` is there if it is true."""
        plain: dict[str, object] = {"form": self.form, "have": self.have, "need": self.need}
        return plain | ({"of_time": True} if self.of_time else {})

    @property
    def is_first(self) -> bool:
        """Whether the form counts equal values and there is only one yet: nothing has repeated."""
        return self.have == 1 and ("repeats(" in self.form or " repeats " in self.form)


class Step(Value):
    """
    One rule of the chain as it was evaluated.

    Args:
        rule: Id of the rule.
        truth: True, False, `Unknown`, or None for a rule behind the winner that was not asked.
        unknowns: Every unknown leaf of an undetermined condition, with reason and origin.
        pending: Progress of each history form that is under way.
    """

    __slots__ = ("pending", "rule", "truth", "unknowns")

    def __init__(
        self,
        rule: str,
        truth: bool | Unknown | None,
        unknowns: tuple[Unknown, ...] = (),
        pending: tuple[Pending, ...] = (),
    ) -> None:
        self.rule = rule
        self.truth = truth
        self.unknowns = unknowns
        self.pending = pending


class Alternative(Value):
    """
    What the decision could be as well, because of one rule.

    Args:
        rule: Id of a rule that is undetermined, or that came out as it did only because of what it takes
            for unknown values.
        verdict, exit_class, outcome: The decision if it came out otherwise.
        assumed: The rule was definite by what it takes for unknown values.
        unreadable: Names of facts that had to have another value than the policy declares for them under
            `unreadable:`; none if the decision could be this all the same.
    """

    __slots__ = ("assumed", "exit_class", "outcome", "rule", "unreadable", "verdict")

    def __init__(
        self,
        rule: str,
        verdict: str,
        exit_class: str | None,
        outcome: str,
        assumed: bool = False,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        self.rule = rule
        self.verdict = verdict
        self.exit_class = exit_class
        self.outcome = outcome
        self.assumed = assumed
        self.unreadable = unreadable


class Warned(Value):
    """A warning beside a decision; it never changes it. `rule` is the warn rule's id or None."""

    __slots__ = ("message", "rule")

    def __init__(self, message: str, rule: str | None = None) -> None:
        self.message = message
        self.rule = rule


class Decision(Value):
    """
    CONTINUE or EXIT, and why.

    Args:
        verdict: `CONTINUE` or `EXIT`.
        exit_class: One of `exitgate.core.model.decision.CLASSES` for EXIT, None for CONTINUE.
        outcome: Stable reason code; by default the id of the rule, ``otherwise`` without one.
        rule: Id of the rule that decided, or None if none was repeated.
        message: The rule's `because` with values filled in.
        stage: Stage whose rules decided.
        firm: False when an undetermined enforced rule above the winner could change verdict or
            class; then `alternatives` names each.
        blind: No fact read from what the agent said or did is known.
        warnings: Warn rules that are true, rules in warn mode, remarks on sources.
        shadows: Ids of rules in shadow mode that would have decided.
        steps: The recording, a step for each rule of the stage, in chain order.
        advice: For the agent's next prompt, filled in, or the empty text; where the run continues, that
            of warnings behind that of the rule that decided.
        escalation: Markdown for a person, filled in, or the empty text.
        retry_at: For class `wait`: when the run may go on, seconds since the epoch; None where that
            is not known.
        if_readable: What the decision could be if facts had another value than the policy declares for them
            under `unreadable:`.
    """

    __slots__ = (
        "advice", "alternatives", "blind", "escalation", "exit_class", "firm", "if_readable", "message",
        "outcome", "retry_at", "rule", "shadows", "stage", "steps", "verdict", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        verdict: str,
        exit_class: str | None,
        outcome: str,
        rule: str | None,
        message: str,
        stage: str = "after_iteration",
        firm: bool = True,
        blind: bool = False,
        alternatives: tuple[Alternative, ...] = (),
        warnings: tuple[Warned, ...] = (),
        shadows: tuple[str, ...] = (),
        steps: tuple[Step, ...] = (),
        advice: str = "",
        escalation: str = "",
        retry_at: float | None = None,
        if_readable: tuple[Alternative, ...] = (),
    ) -> None:
        self.verdict = verdict
        self.exit_class = exit_class
        self.outcome = outcome
        self.rule = rule
        self.message = message
        self.stage = stage
        self.firm = firm
        self.blind = blind
        self.alternatives = alternatives
        self.warnings = warnings
        self.shadows = shadows
        self.steps = steps
        self.advice = advice
        self.escalation = escalation
        self.retry_at = retry_at
        self.if_readable = if_readable

    def __bool__(self) -> bool:
        raise TypeError("a decision is neither true nor false; use `go_on` or `is_exit`")

    @property
    def go_on(self) -> bool:
        """Whether the loop continues: the verdict is CONTINUE."""
        return self.verdict == CONTINUE

    @property
    def is_exit(self) -> bool:
        """Whether the loop ends here: the verdict is EXIT, of any class."""
        return self.verdict == EXIT

    @property
    def undetermined(self) -> tuple[Step, ...]:
        """The steps whose condition came out unknown."""
        return tuple(s for s in self.steps if s.truth is not None and not isinstance(s.truth, bool))


# Verdicts, classes of exit and the exit codes of the process.

CONTINUE = "CONTINUE"
EXIT = "EXIT"

#: The one class that is success.
COMPLETE = "complete"

#: Exit code of each class, as `docs/reference/exit-codes.md` lists them. Only `complete` is success.
CLASS_CODES = {
    "blocked": 2,
    "complete": 10,
    "review": 11,
    "stuck": 12,
    "halted": 13,
    "exhausted": 14,
    "undetermined": 15,
    "idle": 16,
    "wait": 17,
    "failed": 18,
    "interrupted": 130,
}

CLASSES = tuple(CLASS_CODES)

OK = 0
USAGE = 64
BAD_POLICY = 65
NOTHING_TO_DECIDE = 66
FINDINGS = 69
INTERNAL = 70
CANNOT_WRITE = 73
CANNOT_READ = 74
LOCKED = 75


def code_of(error: Exception) -> int:
    """
    Return the exit code for a file that cannot be used.

    66 when it does not exist, 65 when what it holds is not text, else 74.
    """
    if not isinstance(error, OSError):
        return BAD_POLICY
    return NOTHING_TO_DECIDE if isinstance(error, FileNotFoundError | NotADirectoryError) else CANNOT_READ


STAGES = ("before_iteration", "after_iteration", "after_failure")
