"""The smallest changes that would have given another decision, found by trying them on the engine."""

from __future__ import annotations

from exitgate.analysis.change import Change, Edit
from exitgate.analysis.landmarks import Landmarks
from exitgate.analysis.tied import settle
from exitgate.analysis.trials import fact_trials, parameter_trials
from exitgate.engine.program import Program
from exitgate.engine.record import Record
from exitgate.language.problem import LanguageError
from exitgate.policy.compiled import CompiledPolicy, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.model.decision import Decision

    Records = Sequence[Mapping[str, object]]
    Result = tuple[str, str | None]

#: Decisions tried for single changes, and again for pairs; programs made for changed parameters.
TRIES, PROGRAMS = 600, 60
#: Halvings on the way from a value that flips the decision to the nearest that does.
HALVINGS = 40


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

    Tried are, for each fact and parameter that an enforced rule of the stage reads: the values
    around every constant it is compared with, its earlier values, the members of an enum, true and
    false. For each name the smallest change per result is kept. When no single change does it,
    pairs are tried. Every change was seen to work on the engine; that none is found within the
    bounds is no proof that there is none.
    """
    search = _Search(program, records, stage)
    found = [*search.single_facts(), *search.single_parameters()] or list(search.pairs())
    found.sort(key=lambda change: [edit.effort for edit in change.edits])
    return tuple(found[:limit])


def with_parameter(policy: CompiledPolicy, name: str, value: object) -> CompiledPolicy:
    """Return `policy` with another effective value of one parameter."""
    old = policy.parameters[name]
    new = Parameter(name, old.type, value, old.default, old.low, old.high, old.doc, old.place)
    return policy.but(parameters={**policy.parameters, name: new})


class _Search:
    """One search: what is known of the decision explained, and how many tries are left."""

    def __init__(self, program: Program, records: Records, stage: str) -> None:
        self._program = program
        self._records = records
        self._stage = stage
        now = records[-1]
        self._now = now if isinstance(now, Record) else Record(now)
        self._landmarks = Landmarks(program.policy, records, stage)
        self._trials = fact_trials(program.policy, self._landmarks, self._now)
        self._result = _result(program.decide(records, stage))
        self._left = TRIES

    def single_facts(self) -> Iterator[Change]:
        for name, values in self._trials.items():
            reached: set[Result] = set()
            for value in values:
                decision = self._try({name: value})
                if decision is not None and _result(decision) not in (self._result, *reached):
                    reached.add(_result(decision))
                    yield self._nearer(name, value, decision)

    def single_parameters(self) -> Iterator[Change]:
        programs = PROGRAMS
        reading = {name for e in self._program.policy.extractions for name in e.parameters}
        for name, values in self._landmarks.parameters.items():
            if name in reading:
                continue  # facts would have been read otherwise, and the text is not here to read again
            parameter = self._program.policy.parameters[name]
            reached: set[Result] = set()
            for value in parameter_trials(parameter, values, len(self._records)):
                if programs == 0:
                    return
                programs -= 1
                decision = self._try_parameter(name, value)
                if decision is not None and _result(decision) not in (self._result, *reached):
                    reached.add(_result(decision))
                    yield Change(f"${name}", parameter.value, value, decision)

    def pairs(self) -> Iterator[Change]:
        self._left = TRIES
        names = list(self._trials)
        seen: set[tuple[str, str, Result]] = set()
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                for first in self._trials[one][:4]:
                    for second in self._trials[other][:4]:
                        decision = self._try({one: first, other: second})
                        if decision is None or _result(decision) == self._result:
                            continue
                        if (one, other, _result(decision)) not in seen:
                            seen.add((one, other, _result(decision)))
                            also = (Edit(other, self._now.get(other), second),)
                            yield Change(one, self._now.get(one), first, decision, also)

    def _try(self, edits: Mapping[str, object]) -> Decision | None:
        """Return the decision with these facts, or None when they do not go together or tries are used up."""
        if self._left == 0:
            return None
        self._left -= 1
        record = self._now
        for name, value in edits.items():
            settled = settle(record, name, value)
            if settled is None:
                return None
            record = Record({**record, **settled}, record.stand_ins - settled.keys(), record.remembered)
        records = self._program.complete((*self._records[:-1], record))
        return self._program.decide(records, self._stage)

    def _try_parameter(self, name: str, value: object) -> Decision | None:
        """Return the decision with this parameter, or None for a value no history form can take."""
        changed = Program(with_parameter(self._program.policy, name, value))
        try:
            return changed.decide(changed.complete(self._records), self._stage)
        except LanguageError:
            return None

    def _nearer(self, name: str, value: object, decision: Decision) -> Change:
        """
        Return the change, moved as near to the present value as keeps its result.

        Only for facts that feed a computation: for the others a constant marks the border.
        """
        before = self._now.get(name)
        change = Change(name, before, value, decision)
        if name not in self._landmarks.computed or not _numbers(before, value):
            return change
        spec = self._program.policy.facts[name]
        low, high = float(before), float(value)  # type: ignore[arg-type]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            step: float = round(middle) if spec.type.kind == "count" else round(middle, 2)
            if step in (low, high):
                break
            nearer = self._try({name: int(step) if spec.type.kind == "count" else step})
            if nearer is not None and _result(nearer) == change.result:
                high, change = step, Change(name, before, step, nearer)
            else:
                low = step
        return change


def _result(decision: Decision) -> Result:
    return decision.verdict, decision.exit_class


def _numbers(*values: object) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
