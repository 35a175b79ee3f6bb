"""What became of the mutants of a policy, as every form of output reads it."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.diagnostic import Diagnostic
    from exitgate.model.place import Place

#: A case or an invariant noticed it; none did, and a run shows that it decides otherwise; it is proved that
#: it decides the same on every input; neither is decided.
KILLED, SURVIVED, EQUIVALENT, OPEN = "killed", "survived", "equivalent", "open"
STATUSES = (KILLED, SURVIVED, EQUIVALENT, OPEN)


class FoundMutant(Value):
    """
    One mutant and what became of it.

    Args:
        id, kind, subject, place, before, after: As `exitgate.analysis.mutation.mutant.Mutant` says.
        status: One of `STATUSES`.
        by: For a killed one: the name of the case that noticed it, or ``invariant ID``.
        points: Points that the analysis walked, 0 where it was not asked.
        why: For an open one: why it is not decided.
        example: For a survivor: a case for `tests:` that would have noticed it, or the empty text.
        excuse: Why it may survive, or the empty text.
    """

    __slots__ = (
        "after", "before", "by", "example", "excuse", "id", "kind", "place", "points", "status", "subject",
        "why",
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        kind: str,
        subject: str,
        place: Place | None,
        before: str,
        after: str,
        status: str,
        by: str = "",
        points: int = 0,
        why: str = "",
        example: str = "",
        excuse: str = "",
    ) -> None:
        self.id = id
        self.kind = kind
        self.subject = subject
        self.place = place
        self.before = before
        self.after = after
        self.status = status
        self.by = by
        self.points = points
        self.why = why
        self.example = example
        self.excuse = excuse

    @property
    def is_left(self) -> bool:
        """Whether somebody has to look at it: it survived and is not excused."""
        return self.status == SURVIVED and not self.excuse

    @property
    def is_open(self) -> bool:
        """Whether it is not decided what becomes of it, and it is not excused."""
        return self.status == OPEN and not self.excuse


class FoundMutants(Value):
    """
    The mutants of one policy under one file of tests.

    Args:
        file: The tests, as they are reported.
        policy, version: Of the policy.
        cases: How many cases they were compared with.
        mutants: In the order of the policy.
        stale: Diagnostics on excuses for mutants that do not survive.
        tests_seconds: Time of the processor for the policy's own tests.
        seconds: Of all this, the tests included.
    """

    __slots__ = ("cases", "file", "mutants", "policy", "seconds", "stale", "tests_seconds", "version")

    def __init__(
        self,
        file: str,
        policy: str,
        version: str,
        cases: int,
        mutants: tuple[FoundMutant, ...],
        stale: tuple[Diagnostic, ...] = (),
        tests_seconds: float = 0.0,
        seconds: float = 0.0,
    ) -> None:
        self.file = file
        self.policy = policy
        self.version = version
        self.cases = cases
        self.mutants = mutants
        self.stale = stale
        self.tests_seconds = tests_seconds
        self.seconds = seconds

    @property
    def left(self) -> tuple[FoundMutant, ...]:
        """Those that somebody has to look at."""
        return tuple(one for one in self.mutants if one.is_left)

    @property
    def open(self) -> tuple[FoundMutant, ...]:
        """Those of which it is not decided whether they survive."""
        return tuple(one for one in self.mutants if one.is_open)

    def counts(self) -> Mapping[str, int]:
        """Return how many there are of each status, excused ones apart, under ``excused``."""
        found = dict.fromkeys((*STATUSES, "excused"), 0)
        for one in self.mutants:
            found["excused" if one.excuse and one.status in (SURVIVED, OPEN) else one.status] += 1
        return found


def score(found: Iterable[FoundMutants], strict: bool = False) -> float:
    """
    Return the share of mutants that were noticed, in percent, 100 where there is none to notice.

    Equivalent and excused ones count neither way, nor do those not decided unless it is `strict`: then they
    count as not noticed.
    """
    killed = left = 0
    for one in found:
        killed += one.counts()[KILLED]
        left += len(one.left) + (len(one.open) if strict else 0)
    return 100 * killed / (killed + left) if killed + left else 100.0
