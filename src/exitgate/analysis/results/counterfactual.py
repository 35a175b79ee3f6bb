"""What it would have taken to decide otherwise, how far thresholds are, and what comes next."""

from __future__ import annotations

from exitgate.core.model.value import Unknown, Value, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.model.value import Type

    #: Verdict and class.
    Result = tuple[str, str | None]

    Effort = tuple[int, float]


#: There are changes; it is proved that no change of any facts does it, or none of few facts; not decided.
FOUND, NONE, FAR, OPEN = "found", "none", "far", "open"


class Nearest(Value):
    """
    What it takes to get one result.

    Args:
        result: Verdict and class.
        status: FOUND, by the engine; NONE: no change of facts does it; FAR: none of fewer than `fewer` facts,
            both proved for every value of the facts; OPEN: not decided.
        changes: Changes of fewest facts that were found, the smallest first; empty unless FOUND.
        fewer: It is proved that no change of fewer facts than this does it; 1 where nothing is proved.
        why: Why it is OPEN: a limit was reached, or only some values were tried.
    """

    __slots__ = ("changes", "fewer", "result", "status", "why")

    def __init__(
        self,
        result: Result,
        status: str,
        changes: tuple[Change, ...] = (),
        fewer: int = 1,
        why: str = "",
    ) -> None:
        if (status == OPEN) != bool(why) or (status == FOUND) != bool(changes):
            raise ValueError(f"{status} with {len(changes)} changes, because of {why!r}")
        self.result = result
        self.status = status
        self.changes = changes
        self.fewer = fewer
        self.why = why

    @property
    def best(self) -> tuple[Change, ...]:
        """The smallest changes: those of the same effort."""
        return tuple(c for c in self.changes if c.effort == self.changes[0].effort)


class Distance(Value):
    """
    How far a comparison is from what a rule wants of it.

    Args:
        rules: Ids of the rules that want it, in chain order.
        text: What is measured: a fact, an expression, a history form, in canonical text.
        value: What it is; `Unknown` where that is not known.
        threshold: What it is compared with.
        type: Type of both, or None.
        wants: ``>=``, ``>``, ``<=``, ``<``, ``==`` or ``!=``: how the value has to be to the threshold;
            ``of`` for a history form that is `value` of `threshold` iterations, times or seconds along.
        parameter: The parameter that is the threshold, or None.
        place: Who set that parameter.
        gap: How far the value has to go, in its unit; 0 where it is on a threshold that it has to pass;
            None where that cannot be reported.
        share: The gap as a share of the larger of the two, 0 to 1; 2 where it cannot be determined.
    """

    __slots__ = (
        "gap", "parameter", "place", "rules", "share", "text", "threshold", "type", "value", "wants",
    )  # fmt: skip

    def __init__(
        self,
        rules: tuple[str, ...],
        text: str,
        value: object,
        threshold: object,
        type: Type | None,
        wants: str,
        parameter: str | None = None,
        place: Location | None = None,
        gap: float | None = None,
        share: float = 2.0,
    ) -> None:
        self.rules = rules
        self.text = text
        self.value = value
        self.threshold = threshold
        self.type = type
        self.wants = wants
        self.parameter = parameter
        self.place = place
        self.gap = gap
        self.share = share


class Outlook(Value):
    """
    What there is to say beside a decision.

    Args:
        turns: For each other result what it would have taken, the easiest first.
        knobs: For each other result the smallest change of a parameter, the smallest first.
        distances: How far thresholds are, the nearest first.
        ahead: What the next iteration can bring; None where the run has ended.
    """

    __slots__ = ("ahead", "distances", "knobs", "turns")

    def __init__(
        self,
        turns: tuple[Nearest, ...] = (),
        knobs: tuple[Change, ...] = (),
        distances: tuple[Distance, ...] = (),
        ahead: Ahead | None = None,
    ) -> None:
        self.turns = turns
        self.knobs = knobs
        self.distances = distances
        self.ahead = ahead


class Ahead(Value):
    """
    What the next iteration can bring, with the history as it is.

    Args:
        same: The decision if it shows the same facts again.
        after: So many iterations with the same facts it takes until the run ends; 1 where the next one
            ends it, None its destination on for longer than was looked at.
        end: The decision that ends it then, or None.
        turns: For each other result what the next iteration has to show, the easiest first.
        bound: It is proved that the run ends no matter what the next iteration shows.
        resumed: The decision was an interruption, and the next iteration is looked at without one.
    """

    __slots__ = ("after", "bound", "end", "resumed", "same", "turns")

    def __init__(
        self,
        same: Decision,
        after: int | None,
        end: Decision | None,
        turns: tuple[Nearest, ...],
        bound: bool = False,
        resumed: bool = False,
    ) -> None:
        self.same = same
        self.after = after
        self.end = end
        self.turns = turns
        self.bound = bound
        self.resumed = resumed


# A change of one value, and of several, that gives another decision.


class Edit(Value):
    """
    A value in place of another.

    Args:
        name: A fact, or a parameter with its ``$``.
        before: The value it has, `Unknown` included.
        after: The value tried.
        new: `after` only stands for any value that was missing before.
    """

    __slots__ = ("after", "before", "name", "new")

    def __init__(self, name: str, before: object, after: object, new: bool = False) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.new = new

    @property
    def effort(self) -> Effort:
        """
        Return how small the edit is, smaller first.

        Facts come before parameters, what is known before what is not, and known values before
        losing one. Of numbers the distance counts, as a share of the larger of the two; of percents,
        as a share of the whole.
        """
        kind = 3 if self.name.startswith("$") else 1 if isinstance(self.before, Unknown) else 0
        if isinstance(self.after, Unknown):
            return 2, 1.0
        return kind, distance(self.before, self.after)


class Change(Value):
    """
    What would have given another decision.

    Args:
        name, before, after: The first edit; see `Edit`.
        decision: The decision it leads to; its verdict or class differs from the one explained.
        also: Further edits it takes; empty for a single change.
        new: Of the first edit.
    """

    __slots__ = ("after", "also", "before", "decision", "name", "new")

    def __init__(
        self,
        name: str,
        before: object,
        after: object,
        decision: Decision,
        also: tuple[Edit, ...] = (),
        new: bool = False,
    ) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.decision = decision
        self.also = also
        self.new = new

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, the first included."""
        return (Edit(self.name, self.before, self.after, self.new), *self.also)

    @property
    def effort(self) -> tuple[int, Effort]:
        """How many edits it takes, then the hardest kind among them and how far they go together."""
        efforts = [edit.effort for edit in self.edits]
        return len(efforts), (max(kind for kind, _ in efforts), round(sum(far for _, far in efforts), 9))

    @property
    def result(self) -> tuple[str, str | None]:
        """Verdict and class it leads to."""
        return self.decision.verdict, self.decision.exit_class


def change_of(edits: tuple[Edit, ...], decision: Decision) -> Change:
    """Return the change of these edits, at least one, the easiest first."""
    first, *others = sorted(edits, key=lambda edit: (edit.effort, edit.name))
    return Change(first.name, first.before, first.after, decision, tuple(others), first.new)


def distance(before: object, after: object) -> float:
    """Return how far two values lie apart: 1 for what are not numbers, else a share of the larger one."""
    if not (is_number(before) and is_number(after)):
        return 1.0
    assert isinstance(before, int | float)
    assert isinstance(after, int | float)
    try:
        return float(abs(after - before) / max(1.0, abs(before), abs(after)))
    except OverflowError:
        return 1.0
