"""How many iterations a run can have, and what the count of iterations can be in each of them."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.endings import FAILURES, NAMES, can_end
from exitgate.analysis.walk.first import AFTER, BEFORE, FAILURE, ITERATIONS, SUSPENDING
from exitgate.analysis.walk.guesses import unasked
from exitgate.language.tree import Node
from exitgate.model.type import BOOL
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.walk.questions import Question
    from exitgate.analysis.walk.units import Region, Units
    from exitgate.policy.compiled import CompiledPolicy

#: Seconds and regions for one count; policies of which the length is remembered.
SECONDS, REGIONS, REMEMBERED = 1.0, 2_000, 8
#: Stages of which every iteration passes one of each group.
PASSED = ((BEFORE,), (AFTER, FAILURE))


class _One:
    """A policy as a key by what it is, not by what it holds."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self.policy = policy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _One) and self.policy is other.policy

    def __hash__(self) -> int:
        return id(self.policy)


def most_iterations(policy: CompiledPolicy) -> int | None:
    """
    Return the number of iterations that no run exceeds; None where none is proved.

    That is the smallest count from which no stage that every iteration passes can continue. An iteration that
    failed passes `after_failure` in place of `after_iteration`. Where a rule suspends runs there is no such
    number: they go on after an exit.
    """
    return _most(_One(policy))


@lru_cache(maxsize=REMEMBERED)
def _most(one: _One) -> int | None:
    policy = one.policy
    if any(rule.exit_class in SUSPENDING for rule in policy.rules):
        return None
    points = sorted(v for v in domains(policy).get(ITERATIONS, ()) if isinstance(v, int) and v > 0)
    found: int | None = None
    for count in reversed(points):
        if not (
            _ends(policy, count, BEFORE) or (_ends(policy, count, AFTER) and _ends(policy, count, FAILURE))
        ):
            break
        found = count
    return found


def _ends(policy: CompiledPolicy, count: int, stage: str) -> bool:
    """Return whether it is proved that a stage never continues from a count of iterations on."""
    from exitgate.analysis.ask import proved_of
    from exitgate.analysis.walk.chain import deciding
    from exitgate.analysis.walk.questions import Decided, results
    from exitgate.analysis.walk.search import Limits

    if not any(rule.effect == "exit" for rule in deciding(policy, stage)):
        return False
    counted = policy.facts[ITERATIONS].type
    fact, number = (Node(op, (arg,), 0, 0, counted) for op, arg in (("fact", ITERATIONS), ("number", count)))
    given = Node("compare", (">=", fact, number), 0, 0, BOOL)
    question = Decided(policy, results(policy, CONTINUE, stage), stage, given)
    question.from_first = False
    return proved_of(question, Limits(SECONDS, REGIONS, small=False))


def begin(question: Question, units: Units) -> Region | None:
    """Return the regions of runs that count their iterations and end as a check asks about; None for all."""
    if not question.from_first:
        return None
    counted = None
    if not question.uncounted:
        counted = start(units, question.longest, question.most, question.looks or not question.staged)
    return ending(units, counted, question.stage if question.staged else "", question.looks)


def start(units: Units, longest: int, most: int | None, looks: bool) -> Region | None:
    """
    Return all regions in which the count of iterations is one that it can be; None where no fact counts them.

    A run shorter than the `longest` that conditions tell apart begins at its first iteration; a longer one
    answers like its last ones. No run has more than `most` iterations. Between two points a count answers
    like one of them, so both neighbours of those it can have are kept. Only a look has the count 0.
    """
    if ITERATIONS not in units.of or units.length != units.iterations:
        return None
    unit, place = units.of[ITERATIONS]
    counts = [choice[place] for choice in units.units[unit].choices]
    known = sorted(count for count in counts if isinstance(count, int))
    changed = list(units.full)
    for back in range(units.length):
        low = 0 if units.length == 1 and looks else units.length - back
        high = units.length - back if units.length < longest else None if most is None else most - back
        least = max((count for count in known if count <= low), default=low)
        above = [count for count in known if high is not None and count >= high]
        greatest = min(above, default=None)
        kept = sum(
            1 << number
            for number, count in enumerate(counts)
            if isinstance(count, int) and least <= count and (greatest is None or count <= greatest)
        )
        changed[units.index(unit, back)] &= kept
    return tuple(changed)


def ending(units: Units, region: Region | None, stage: str, looks: bool) -> Region | None:
    """
    Return the regions whose last iteration is one that a check asks `stage` of; empty for any stage.

    `after_iteration` is asked where the agent is not known to have failed, `after_failure` where it is. How
    many signals of progress are known is not known in a look, nor in a first iteration that began before
    its run.
    """
    if units.length != units.iterations:
        return region
    changed = list(units.full if region is None else region)
    for unit in {units.of[name][0] for name in (*NAMES, FAILURES) if name in units.of} if stage else ():
        one = units.units[unit]
        asked = [can_end(one.known(choice), one.names, stage) for choice in one.choices]
        changed[units.index(unit, 0)] &= sum(1 << number for number, fits in enumerate(asked) if fits)
    for unit in units.progress:
        for back in range(units.length - 1):
            if back or not looks:
                changed[units.index(unit, back)] &= ~unasked(units.units[unit])
    return tuple(changed)
