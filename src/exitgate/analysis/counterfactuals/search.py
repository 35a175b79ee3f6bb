"""For each other result the smallest changes that bring it about, or that there are none."""

from __future__ import annotations

from time import process_time

from exitgate.analysis.counterfactuals.build import Builder
from exitgate.analysis.counterfactuals.conditions import TRUE, moved
from exitgate.analysis.counterfactuals.last_iteration import LastIteration, deciding
from exitgate.analysis.counterfactuals.parameters import parameter_changes, with_parameter
from exitgate.analysis.counterfactuals.search_space import SearchSpace, result_of
from exitgate.analysis.results.counterfactual import FAR, FOUND, NONE, OPEN, Change, Edit, Nearest, change_of
from exitgate.core.engine.record import Record
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Value, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.counterfactuals.conditions import Part
    from exitgate.analysis.counterfactuals.search_space import Point, Result, SearchSpace
    from exitgate.analysis.results.counterfactual import Change
    from exitgate.core.engine.program import Program

    Records = Sequence[Mapping[str, object]]


# The search for the changes of fewest facts that bring about a result.

#: So many changes that bring about one result are looked at; more are as good as these.
KEPT = 48


class Limits(Value):
    """
    How long a search may take.

    Args:
        changes: Facts changed at most.
        tests: Tests of conditions asked of the engine: the same on every machine.
        seconds: Time of the processor, for where tests are slow beyond measure.
    """

    __slots__ = ("changes", "seconds", "tests")

    def __init__(self, changes: int = 3, tests: int = 2000, seconds: float = 5.0) -> None:
        self.changes = changes
        self.tests = tests
        self.seconds = seconds


class Spent:
    """What is left of the limits."""

    def __init__(self, limits: Limits, space: SearchSpace) -> None:
        self._until = process_time() + limits.seconds
        self._limits = limits
        self._space = space

    def over(self) -> bool:
        """Return whether a limit was reached."""
        return self._space.asked > self._limits.tests or process_time() >= self._until

    def why(self) -> str:
        """Return which limit was reached."""
        if self._space.asked > self._limits.tests:
            return f"not decided within {self._limits.tests} tests"
        return f"not decided within {self._limits.seconds:g} s"


class Search:
    """
    One search for points at which one of `goals` is true.

    After `go`, `found` holds points of as few changes as it takes; `beyond` says that there may be some
    with more changes than were allowed, `exact` that what was ruled out is ruled out for every value.
    """

    def __init__(self, space: SearchSpace, goals: Sequence[Part], spent: Spent) -> None:
        self._space = space
        self._goals = goals
        self._spent = spent
        self.found: list[Point] = []
        self.beyond = False
        self.exact = True

    def go(self, changes: int) -> bool:
        """Look at all points of up to so many changes; return False when a limit was reached."""
        self.found, self.beyond = [], False
        for goal in self._goals:
            for point in self._points(goal, changes):
                if point not in self.found:
                    self.found.append(point)
                if len(self.found) >= KEPT:
                    return True
            if self._spent.over():
                return False
        return True

    def _points(self, goal: Part, changes: int) -> Iterator[Point]:
        stack, seen = [self._space.start], {self._space.start}
        while stack:
            if self._spent.over():
                return
            point = stack.pop()
            if goal.truth(point) == TRUE:
                yield point
                continue
            left = changes - self._space.cost(point)
            if left <= 0:
                self.beyond = True
                continue
            cut = goal.cut(point, TRUE, left)
            self.beyond |= not cut.whole
            self.exact &= cut.exact
            for move in cut.moves:
                next_point = moved(point, move)
                if next_point in seen:
                    continue
                seen.add(next_point)
                if self._space.cost(next_point) <= changes:
                    stack.append(next_point)
                else:
                    self.beyond = True


LIMITS = Limits()
#: Small numbers in words.
WORDS = {2: "two", 3: "three"}


def smallest_changes(
    space: SearchSpace, limits: Limits = LIMITS, enough: int | None = None
) -> tuple[Nearest, ...]:
    """
    Return for each result that the stages of a space can give, but the one it has, what it takes.

    Those that take least come first. What is found was decided so by the engine. Where so many results as are
    `enough` take fewer facts than all others, only results that take so few are returned.
    """
    now = space.result
    spent = Spent(limits, space)
    builder = Builder(space)
    searches = {
        result: Search(space, builder.goals(result), spent) for result in results(space) if result != now
    }
    found: dict[Result, Nearest] = {}
    for changes in range(1, limits.changes + 1):
        for result, search in searches.items():
            if result in found:
                continue
            done = search.go(changes)
            if not done:
                found[result] = Nearest(result, OPEN, fewer=_least(search, changes), why=spent.why())
            elif search.found:
                found[result] = _changes(space, search, result, changes)
            elif not search.beyond:
                found[result] = _none(result, NONE, search, changes + 1)
        if enough is not None and sum(one.status == FOUND for one in found.values()) >= enough:
            return tuple(sorted((one for one in found.values() if one.status == FOUND), key=_order))
    for result, search in searches.items():
        if result not in found:
            found[result] = _none(result, FAR, search, limits.changes + 1)
    return tuple(sorted(found.values(), key=_order))


def results(space: SearchSpace) -> tuple[Result, ...]:
    """Return the results that rules of the stages give, in chain order, and CONTINUE."""
    rules = [rule for stage in space.played.stages for rule in deciding(space.played.policy, stage)]
    exits: list[Result] = [(EXIT, rule.exit_class) for rule in rules if rule.effect == "exit"]
    return tuple(dict.fromkeys([(CONTINUE, None), *exits]))


def _least(search: Search, fewer: int) -> int:
    """Return `fewer` where it is proved that no change of fewer facts does it; else 1."""
    return fewer if search.exact else 1


def _none(result: Result, status: str, search: Search, fewer: int) -> Nearest:
    """Return that no change does it as far as that is proved; what only some values show is not decided."""
    if search.exact:
        return Nearest(result, status, fewer=fewer)
    changes = "no change" if status == NONE else f"no {WORDS.get(fewer - 1, str(fewer - 1))} changes"
    return Nearest(result, OPEN, why=f"{changes} of the values tried would do it, which is not a proof")


def _changes(space: SearchSpace, search: Search, result: Result, fewer: int) -> Nearest:
    made = []
    for point in search.found:
        decision = space.decide(point)
        if result_of(decision) == result:
            made.append(tightened(space, point, change_of(space.edits(point), decision)))
    if not made:
        why = "the engine decides differently from what its rules promise"
        return Nearest(result, OPEN, fewer=_least(search, fewer), why=why)
    return Nearest(result, FOUND, _each_once(made), _least(search, fewer))


def _each_once(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return of the changes of the same facts the smallest, all in order of effort."""
    best: dict[tuple[str, ...], Change] = {}
    for change in sorted(changes, key=_effort):
        best.setdefault(tuple(sorted(edit.name for edit in change.edits)), change)
    return tuple(best.values())


def _effort(change: Change) -> tuple[object, ...]:
    return change.effort, tuple(edit.name for edit in change.edits), str(change.edits[0].after)


def _order(one: Nearest) -> tuple[object, ...]:
    rank = {FOUND: 0, OPEN: 1, FAR: 2, NONE: 3}[one.status]
    effort = one.changes[0].effort if one.changes else (one.fewer, (0, 0.0))
    return rank, effort, one.result[0], one.result[1] or ""


# Numbers moved as near to what they are as keeps the result: for where no constant marks the border.

#: Halvings on the way from a number that brings the result about to the nearest that does.
HALVINGS = 40


def tightened(space: SearchSpace, point: Point, change: Change) -> Change:
    """
    Return the change with its numbers halved towards what they are as long as the result stays.

    Only facts that are computed with, or compared with each other: for others a constant marks the
    border. Counts that other facts follow from stay as they are too.
    """
    record = space.record(point)
    for number, chosen in enumerate(point):
        choice = space.slots[number].choices[chosen]
        if chosen and len(choice.values) == 1 and space.loose.intersection(choice.values):
            record, change = _halved(space, record, choice.edits[0], change)
    return change


def _halved(space: SearchSpace, record: Record, edit: Edit, change: Change) -> tuple[Record, Change]:
    """Return the record and the change with one of its numbers as near as it can be."""
    name, low, high = edit.name, edit.before, edit.after
    if not (is_number(low) and is_number(high)):
        return record, change
    whole = space.played.policy.facts[name].type.kind == "count"
    others = tuple(one for one in change.edits if one.name != name)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        step = round(middle) if whole else round(middle, 2)
        if step in (low, high):
            break
        tried = Record({**record, name: step}, record.stand_ins, record.remembered)
        decision = space.played.decide(space.played.whole(tried))
        if result_of(decision) == change.result:
            high, record = step, tried
            change = change_of((*others, edit.but(after=step)), decision)
        else:
            low = step
    return record, change


# Every change of one fact, or of one parameter, that gives another result: for each name the smallest.


def single_changes(space: SearchSpace) -> Iterator[Change]:
    """Yield for each fact and each other result the smallest change of that fact and what follows from it."""
    now = space.result
    for number, slot in enumerate(space.slots):
        reached: set[tuple[str, Result]] = set()
        for one in range(1, len(slot.choices)):
            point = (*space.start[:number], one, *space.start[number + 1 :])
            if len(slot.choices[one].edits) > 1:
                continue
            decision = space.decide(point)
            key = slot.choices[one].edits[0].name, result_of(decision)
            if key[1] != now and key not in reached:
                reached.add(key)
                yield tightened(space, point, change_of(space.edits(point), decision))


# The smallest changes that would have given another decision, each seen to work on the engine.

__all__ = ["counterfactuals", "with_parameter"]


def counterfactuals(
    program: Program, records: Records, stage: str = "after_iteration", limit: int = 8
) -> tuple[Change, ...]:
    """
    Return the changes of one value that would have given another verdict or class, smallest first.

    Args:
        program: The policy that decided.
        records: As it saw them, the last one with its derived facts.
        stage: The stage explained.
        limit: Changes returned at most.

    For each fact, or group of facts that follow from each other, and each parameter the smallest
    change per result is returned. When no single change does it, those of fewest facts are: up to
    three, within the limits of `exitgate.analysis.counterfactuals.search`.
    """
    last = records[-1]
    base = last if isinstance(last, Record) else Record(last)
    space = SearchSpace(LastIteration(program, records[:-1], (stage,)), base)
    found = [*single_changes(space), *parameter_changes(space)]
    if not found:
        found = [change for one in smallest_changes(space) if one.status == FOUND for change in one.changes]
    found.sort(key=lambda change: change.effort)
    return tuple(found[:limit])
