"""What the cases of a policy have shown of it, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.value import Value

TRUE, FALSE, UNKNOWN, DECIDES = "true", "false", "unknown", "decides"


class Aim(Struct, frozen=True):
    """
    A truth that a case can show.

    Args:
        what: `TRUE`, `FALSE` or `UNKNOWN` of a leaf; `DECIDES` of a rule; `TRUE` of a rule that warns.
        shown_by: Name of the first case that shows it, or the empty text.
        excused: Why no case can, as the tests say, or the empty text.
        wanted: Whether it counts; one that does not is only listed.
    """

    what: str
    shown_by: str = ""
    excused: str = ""
    wanted: bool = True

    @property
    def counts(self) -> bool:
        """Whether it is part of the share that is covered."""
        return self.wanted and not self.excused

    @property
    def is_missing(self) -> bool:
        """Whether it counts and no case covers it."""
        return self.counts and not self.shown_by


class Leaf(Value):
    """A leaf of a condition: its canonical text, every place it is at in its part, and its aims."""

    __slots__ = ("aims", "places", "text")

    def __init__(self, text: str, places: tuple[Location, ...], aims: tuple[Aim, ...]) -> None:
        self.text = text
        self.places = places
        self.aims = aims


class Part(Value):
    """
    A part of a policy with conditions.

    Args:
        kind: ``rule``, ``condition``, ``points``, ``formula`` or ``circuit``.
        name: Id of the rule; name of the condition or fact; ``open ID``, ``watch`` or ``close``.
        says: What it does: ``exit complete``, ``continue``, ``warn``, ``shadow``; else empty.
        place: Where it is, or None.
        leaves: Its leaves, from left to right.
        aim: For a rule: that it decides, or is true. None for others.
    """

    __slots__ = ("aim", "kind", "leaves", "name", "place", "says")

    def __init__(
        self,
        kind: str,
        name: str,
        says: str,
        place: Location | None,
        leaves: tuple[Leaf, ...],
        aim: Aim | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.says = says
        self.place = place
        self.leaves = leaves
        self.aim = aim

    def aims(self) -> Iterator[Aim]:
        """Yield every aim of it."""
        if self.aim is not None:
            yield self.aim
        for leaf in self.leaves:
            yield from leaf.aims


class Coverage(Struct, frozen=True):
    """
    What the cases of one tests.yaml have shown of its policy.

    Args:
        policy: Name of the policy.
        version: Its version.
        tests: The tests.yaml, as its user names it.
        cases: How many cases were run.
        parts: Its parts: rules in chain order, then conditions, computed facts and the breaker.
        results: Result -> aim: each class of exit that an enforced rule has, ``undetermined`` where the
            policy ends blind runs, and ``otherwise``.
        texts: Text of every file that a part is in, by its name in places.
        problems: What is wrong with excuses.
    """

    policy: str
    version: str
    tests: str
    cases: int
    parts: tuple[Part, ...]
    results: Mapping[str, Aim]
    texts: Mapping[str, str]
    problems: tuple[Diagnostic, ...] = ()

    def aims(self) -> Iterator[Aim]:
        """Yield every aim."""
        for part in self.parts:
            yield from part.aims()
        yield from self.results.values()

    @property
    def share(self) -> Share:
        """How many of the aims that count are shown."""
        return share_of(self.aims())


class Share(Struct, frozen=True):
    """`shown` of `whole` aims; `excused` are left out of both."""

    shown: int
    whole: int
    excused: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.shown + other.shown, self.whole + other.whole, self.excused + other.excused)

    @property
    def percent(self) -> float:
        """The share in percent with one decimal, rounded down: 100 only where everything is shown."""
        return 100.0 if self.shown == self.whole else (1000 * self.shown // self.whole) / 10

    def reaches(self, percent: float) -> bool:
        """Return whether the exact share is at least `percent`."""
        return 100 * self.shown >= percent * self.whole


def share_of(aims: Iterator[Aim]) -> Share:
    """Return how many of `aims` are shown."""
    found = [aim for aim in aims if aim.wanted]
    counting = [aim for aim in found if aim.counts]
    return Share(sum(bool(aim.shown_by) for aim in counting), len(counting), len(found) - len(counting))
