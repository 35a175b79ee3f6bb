"""Runs whose last iteration is an answer, changed until the iterations before it go on."""

from __future__ import annotations

from random import Random

from exitgate.analysis.walk.read_by import read_by
from exitgate.analysis.walk.replay import numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.walk.questions import Question, Shown
    from exitgate.analysis.walk.search import Spent
    from exitgate.analysis.walk.unit import Unit
    from exitgate.analysis.walk.units import Units
    from exitgate.policy.compiled import CompiledPolicy, Rule

    Run = Sequence[Mapping[str, object]]

#: Changes tried for one run, the seed they are drawn from, and how often one resembles what was there.
CHANGES, SEED, ALIKE = 400, 1, 0.7


def repaired(question: Question, run: Run, units: Units, spent: Spent) -> Shown | None:
    """
    Return a run like `run` that can be shown; None where none was found.

    One fact after the other that ends an earlier iteration is changed, as long as the last one stays an
    answer and the run gets at least as far as before.
    """
    draw = Random(SEED)  # noqa: S311 - the same runs on every machine
    first = next(numbered(run), None)
    if first is None or not question.holds(first):
        return None
    run = first
    at, rule, policy = question.play.ended_by(run)
    for _ in range(CHANGES):
        if rule is None or not spent.step():
            break
        drawn = _changed(run, at, _units_of(rule, policy, units), draw)
        if drawn is None:
            return None
        changed = next(numbered(drawn), drawn)
        if not question.holds(changed):
            continue
        further = question.play.ended_by(changed)
        if further[0] >= at:
            run, (at, rule, policy) = changed, further
    return question.shown(run)


def _units_of(rule: Rule, policy: CompiledPolicy, units: Units) -> list[Unit]:
    read = read_by([rule.when], policy)
    return [unit for unit in units.tied if not read.isdisjoint(unit.names)]


def _changed(run: Run, at: int, units: Sequence[Unit], draw: Random) -> Run | None:
    """Return the run with another choice of one of the units in one iteration up to `at`."""
    if not units:
        return None
    unit, number = draw.choice(units), draw.randint(0, at)
    values = run[number]
    choices = unit.choices
    if draw.random() < ALIKE:
        alike = [
            choice
            for choice in choices
            if any(n in values and values[n] == v for n, v in zip(unit.names, choice, strict=True))
        ]
        choices = tuple(alike) or choices
    known = unit.known(draw.choice(choices))
    kept = {name: value for name, value in values.items() if name not in unit.names}
    return (*run[:number], {**kept, **known}, *run[number + 1 :])
