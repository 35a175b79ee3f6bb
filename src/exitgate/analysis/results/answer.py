"""
What the analysis of a policy answers: a claim is proved, refuted by a run, or not decided.

There is nothing in between. What holds at every point that was looked at is not decided, and that is
why. Answers are made by `proved`, `refuted`, `undecided` and `together`, and in no other way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exitgate.core.model.value import Value

Run = tuple[Mapping[str, object], ...]


PROVED, REFUTED, UNDECIDED = "proved", "refuted", "not decided"
STATUSES = (PROVED, REFUTED, UNDECIDED)
#: Parts of an answer that may change without changing what it says.
_BESIDES = frozenset(("points", "stage", "kind"))
#: From so many digits on a number of points is known from its size.
DIGITS = 7


class Answer(Value):
    """
    One answer to the claim that no input is as a question asks.

    Args:
        status: PROVED: there is none. REFUTED: `run` is one. UNDECIDED: neither, because of `why`.
        run: Facts of each iteration, oldest first, unknown ones left out; None unless REFUTED.
        why: Why it is UNDECIDED, a sentence part; else empty.
        points: Points of the regions that were settled; of an example, the points of its region.
        stage: The stage it is about, where the question is about several.
        kind: What the example stands for, if there are several kinds.
    """

    __slots__ = ("kind", "points", "run", "stage", "status", "why")

    def __init__(
        self,
        status: str,
        run: Run | None,
        why: str,
        points: int,
        stage: str,
        kind: tuple[object, ...],
    ) -> None:
        fits = (status == REFUTED) == (run is not None) and (status == UNDECIDED) == bool(why)
        if status not in STATUSES or not fits:
            raise ValueError(f"not an answer: {status}, {run!r}, {why!r}")
        self.status = status
        self.run = run
        self.why = why
        self.points = points
        self.stage = stage
        self.kind = kind

    def but(self, **parts: object) -> Answer:
        """
        Return the same answer with other points, stage or kind, or with another run that refutes the same.

        Raises `ValueError` for anything that would make another answer of it.
        """
        allowed = _BESIDES | ({"run"} if self.status == REFUTED else frozenset())
        if not parts.keys() <= allowed:
            raise ValueError(f"an answer stays what it is: {', '.join(sorted(parts.keys() - allowed))}")
        return super().but(**parts)


def proved(points: int = 0, stage: str = "after_iteration") -> Answer:
    """Return the answer that there is no such input, for every possible input."""
    return Answer(PROVED, None, "", points, stage, ())


def refuted(
    run: Run, points: int = 0, stage: str = "after_iteration", kind: tuple[object, ...] = ()
) -> Answer:
    """Return the answer that there is one: `run`, on which the engine has said so."""
    return Answer(REFUTED, tuple(run), "", points, stage, kind)


def undecided(why: str, points: int = 0, stage: str = "after_iteration") -> Answer:
    """Return the answer that neither is known, because of `why`. Raises ValueError without a reason."""
    return Answer(UNDECIDED, None, why, points, stage, ())


def together(answers: Iterable[Answer]) -> Answer:
    """
    Return the answer to all claims as one; with no claim, it is proved.

    One that is refuted refutes them all; without one, the first that is not decided leaves them so.
    """
    every = tuple(answers)
    worst = max(every, key=lambda one: _RANK.index(one.status), default=proved())
    return worst if worst.status == REFUTED else worst.but(points=sum(one.points for one in every))


_RANK = (PROVED, UNDECIDED, REFUTED)


def at_no_point(points: int) -> str:
    """Return why something is not decided although each of so many points was looked at."""
    return f"no example at any of {points_text(points)} points, which is not a proof"


def points_text(count: int) -> str:
    """Return a number of points as people read it; a large one by its power of ten."""
    digits = len(str(count))
    return f"{count:,}" if digits < DIGITS else f"about 10^{digits - 1}"
