"""Puts a claim to z3 and compares what it finds with the engine."""

from __future__ import annotations

from time import monotonic

import z3

from exitgate.analysis.results.answer import Answer, proved, refuted, undecided
from exitgate.analysis.simulation import RUN
from exitgate.analysis.solver.context import Context, TooLateError
from exitgate.analysis.solver.encode import Encoder
from exitgate.analysis.solver.facts import Facts, Reading, signalled
from exitgate.analysis.solver.logic import silent
from exitgate.analysis.solver.terms import Amount, Truth, both, either, every, negated, some, z3_flag
from exitgate.analysis.space.counters import AFTER, BEFORE, FAILURE, ITERATIONS, SUSPENDING
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.endings import FAILURES, INTERRUPTED, STATUS
from exitgate.analysis.space.reads import reach
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.queries import most_of
from exitgate.core.engine.record import FAILED
from exitgate.core.model.decision import INTERNAL
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from exitgate.analysis.solver.claims import Claim
    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.terms import Flag
    from exitgate.analysis.walk.questions import Question, Shown
    from exitgate.analysis.walk.search import Limits
    from exitgate.core.policy.compiled import Rule


#: Iterations beyond those that conditions read, in which signals of progress can have been seen.
MEMORY = 2
#: Lengths of runs that are looked for before those of full length.
SHORT = (1, 2, 4, 8, 16)
#: Parts of 1 that numbers are multiples of, where their first values were not floats.
GRAIN = 1024


class Check:
    """One question put to z3, over runs up to a length; or several on the same ground, in turn."""

    def __init__(self, question: Question, limits: Limits, length: int, until: float) -> None:
        self._question = question
        self._limits = limits
        self._until = until
        self._world = Context(question.policies, _trees(question), length, until, looks=question.looks)
        self._facts = Facts(self._world, question.policies)
        self._solver = z3.Solver()
        self._told = 0
        self._goes_on = False
        self._odd = z3.Bool("odd")
        self._candidates: dict[str, tuple[object, ...]] = {}
        self.encoders = tuple(Encoder(policy, self._world, self._facts) for policy in question.policies)
        self.checks = 0

    def claim(self, flag: Flag) -> None:
        """Demand what is claimed, and all that is known of the facts it names."""
        told = self._world.constraints[self._told :]
        self._solver.add(*told, z3_flag(flag), *self._counts(), *self._ends())
        self._told = len(self._world.constraints)

    def _counts(self) -> list[Any]:
        """Return what the count of iterations is, where a run begins with its first iteration."""
        if not self._question.from_first or self._question.uncounted:
            return []
        terms = {
            at: term
            for (name, at), term in self._facts.names().items()
            if name == ITERATIONS and isinstance(term, Amount)
        }
        most, found = most_of(self._question), []
        for at, term in terms.items():
            begun = term.value >= 1
            if self._world.length == 1:
                looked = self._world.look if self._question.staged else True
                begun = z3.And(term.value >= 0, z3_flag(either(looked, begun)))
            found += [z3_flag(term.known), begun]
            found += [term.value <= most - at] if most is not None else []
            if at + 1 in terms:
                there = z3_flag(self._world.there(at + 1))
                found.append(z3.Implies(there, term.value == terms[at + 1].value + 1))
        return found

    def _ends(self) -> list[Any]:
        """Return what is known of the last iteration, where a check asks the stage of it."""
        if not (self._question.from_first and self._question.staged):
            return []
        terms = self._facts.names()
        known = [term for name in (FAILED, INTERRUPTED) if isinstance(term := terms.get((name, 0)), Truth)]
        status, row = (terms.get((name, 0)) for name in (STATUS, FAILURES))
        if self._question.stage == AFTER:
            told = [one.known for one in (*known, status) if isinstance(one, Truth | Amount)]
            over = [either(negated(one), row.value == 0) for one in told if isinstance(row, Amount)]
            sound = [either(negated(status.known), status.value == 0)] if isinstance(status, Amount) else []
            return [z3_flag(flag) for flag in (*(negated(term.yes) for term in known), *sound, *over)]
        failed, found = terms.get((FAILED, 0)), []
        if self._question.stage == FAILURE and isinstance(failed, Truth):
            found.append(failed.yes)
        if self._question.stage == FAILURE and isinstance(row, Amount):
            found.append(row.known)
            if isinstance(status, Amount) or isinstance(terms.get((INTERRUPTED, 0)), Truth):
                found.append(either(signalled(status, terms.get((INTERRUPTED, 0))), row.value >= 1))
        return [z3_flag(flag) for flag in found]

    def in_turn(self, flag: Flag, until: float) -> Answer:
        """Return the answer to a claim, and take the claim back."""
        self._until = until
        self.claim(True)
        told = self._told
        self._solver.push()
        self._solver.add(z3_flag(flag))
        try:
            return self.answer()
        finally:
            self._solver.pop()
            self._told, self._goes_on = told, False

    def answer(self) -> Answer:
        """Return the answer; REFUTED is confirmed by the engine, PROVED is about runs of this length."""
        found = self._check()
        if found == z3.unsat:
            return proved(self.checks)
        if found != z3.sat:
            return self._open(f"not decided within {self._limits.seconds:g} s")
        example = self.example()
        if example is None and self.goes_on():
            return self.answer()
        return example or self._open(self._why())

    def example(self) -> Answer | None:
        """Return REFUTED with a run that the engine confirms, or None."""
        for assumed in self._attempts():
            if self._check(*assumed) != z3.sat:
                continue
            reading = Reading(self._solver.model(), self._world, self._facts)
            shown = self._question.shown(reading.run)
            if shown is not None:
                return refuted(self._smallest(shown), self.checks)
            if reading.exact and not self._world.loose and not self._question.holds(reading.run):
                raise _fault(reading.run)
        return None

    def goes_on(self) -> bool:
        """
        Demand that the iterations before the last one go on; return False where that says nothing new.

        Most answers need it not, and a long run of many rules is long to write out.
        """
        question = self._question
        if self._goes_on or self._world.length == 1 or not (question.from_first and question.chained):
            return False
        self._goes_on = True
        for encoder in self.encoders:
            self.claim(went_on(encoder, self._odd))
        return True

    def _why(self) -> str:
        if not self._world.loose:
            return "no run that a transcript could contain was found that produces it"
        return f"not written out exactly: {', '.join(self._world.loose)}"

    def _attempts(self) -> Iterator[tuple[Any, ...]]:
        """Yield what to assume, one after the other: what the engine is sure to do, then plain numbers."""
        strict = (self._world.strict,) if self._world.loose else ()
        strict += (z3.Not(self._odd),) if self._goes_on else ()
        yield strict
        plain = [
            z3.IsInt(term.value * GRAIN)
            for term in self._facts.names().values()
            if isinstance(term, Amount) and z3.is_real(term.value)
        ]
        if plain:
            yield (*strict, *plain)

    def _check(self, *assumed: Any) -> Any:
        left = self._until - monotonic()
        if left <= 0:
            raise TooLateError
        self.checks += 1
        self._solver.set("timeout", max(1, int(left * 1000)))
        return self._solver.check(*assumed)

    def _smallest(self, run: Shown) -> Shown:
        for policy in self._question.policies if not self._candidates else ():
            self._candidates |= domains(policy)
        smaller = shrink(run, lambda one: self._question.shown(one) == one, self._candidates)
        return tuple(dict(values) for values in smaller)

    def _open(self, why: str) -> Answer:
        return undecided(why, self.checks)


def _fault(run: Shown) -> ExitgateError:
    """Return the error of an example that z3 gives and the engine denies although nothing was left out."""
    message = f"z3 finds an input that the engine rejects: {run!r}"
    help = "this is a bug in exitgate: report it with the policy"
    return ExitgateError([Diagnostic("EP532", message, help=help)], INTERNAL)


def _trees(question: Question) -> list[Any]:
    """Return every tree whose texts a fact can be compared with."""
    found = list(question.nodes)
    for policy in question.policies:
        found += policy.conditions.values()
        found += [row.when for fact in policy.derived for row in fact.rows]
        found += [fact.formula for fact in policy.derived if fact.formula is not None]
    return found


def length_of(question: Question) -> int:
    """Return how many iterations can matter to a question; a longer run answers like one of these."""
    longest = 0
    for policy in question.policies:
        memory = MEMORY if any(fact.signals for fact in policy.derived) else 0
        for node in question.nodes:
            try:
                longest = max(longest, reach(policy, node, windows=False) + memory)  # others are left open
            except KeyError:
                continue  # a condition of the other policy
    return longest + 1


def check(question: Question, claim: Claim, limits: Limits) -> Answer:
    """
    Return the answer of z3 to a question: where `claim` holds, and `question.holds` on the engine.

    Short runs are looked for first; that there is none is then proved for all runs at once.
    """
    until = monotonic() + limits.seconds
    longest, checks = length_of(question), 0
    most = most_of(question)
    if most is not None:
        longest = min(longest, most)
    try:
        for length in (*(length for length in SHORT if length < longest), longest):
            one = Check(question, limits, length, until)
            one.claim(claim(one.encoders))
            answer = one.answer() if length == longest else one.example()
            checks += one.checks
            if answer is not None:
                return answer.but(points=checks)
    except TooLateError:
        pass
    return undecided(f"not decided within {limits.seconds:g} s", checks)


# What must have come of the iterations before the last one: the run went on.


def went_on(encoder: Encoder, odd: Flag) -> Flag:
    """
    Return where no iteration before the last one ends a run.

    Of a run that may be older than the iterations written out, a rule that looks further back can be
    anything. While `odd` is true, iterations can have failed although no fact tells, and silence can have
    been interrupted.
    """
    length = encoder.world.length
    each = [either(negated(encoder.world.there(at)), _lasts(encoder, at, odd)) for at in range(1, length)]
    return every((*each, *_speaks(encoder, odd)))


def _lasts(encoder: Encoder, at: int, odd: Flag) -> Flag:
    """Return where the stages asked after an iteration let the run go on."""
    policy = encoder.policy
    failed = _failed(encoder, at)
    parts: list[Flag] = []
    suspended: list[Flag] = []
    for stage in (AFTER, FAILURE, BEFORE):
        rules = deciding(policy, stage)
        if all(rule.effect != "exit" for rule in rules):
            continue
        flag, suspends = _goes_on(encoder, rules, at)
        suspended.append(suspends)
        if stage == BEFORE:
            parts.append(either(flag, some(suspended)))
        elif failed is not None:
            parts.append(either(failed if stage == AFTER else negated(failed), flag))
        elif stage == AFTER:
            parts.append(either(odd, flag))
    return every(parts)


def _goes_on(encoder: Encoder, rules: Sequence[Rule], at: int) -> tuple[Flag, Flag]:
    """Return where the first true rule of a stage, if any, lets the run go on, and where it suspends it."""
    world = encoder.world
    older = world.there(world.length - 1)
    found: list[Flag] = []
    suspended: list[Flag] = []
    none_before: Flag = True
    for rule in rules:
        true = encoder.truth(rule.when, at).yes
        if at + reach(encoder.policy, rule.when) >= world.length:
            free = world.fresh(f"{rule.id} of an older run", "Bool")
            true = either(both(older, free), both(negated(older), true))
        if rule.effect != "exit" or rule.exit_class in SUSPENDING:
            found.append(both(none_before, true))
            suspended += found[-1:] if rule.effect == "exit" else []
        none_before = both(none_before, negated(true))
    return some((*found, none_before)), some(suspended)


def _speaks(encoder: Encoder, odd: Flag) -> list[Flag]:
    """Return that as many iterations in a row are never silent as would end the run."""
    limit = encoder.policy.exit_after_blind
    if limit is None:
        return []
    tells = any(extraction.prefix == RUN for extraction in encoder.policy.extractions)
    blind = []
    for at in range(encoder.world.length):
        failed = _failed(encoder, at) if tells else None
        heard = (negated(failed),) if failed is not None else ()
        blind.append(every((encoder.world.there(at), silent(encoder, at), *heard)))
    suspends = any(rule.exit_class in SUSPENDING for rule in encoder.policy.rules)
    found = [negated(every(blind[at : at + limit])) for at in range(1, encoder.world.length - limit + 1)]
    return [either(odd, flag) for flag in found] if suspends else found


def _failed(encoder: Encoder, at: int) -> Flag | None:
    """Return where the agent is known to have failed, or None where no fact tells."""
    if FAILED not in encoder.policy.facts:
        return None
    term = encoder.fact(FAILED, at)
    return term.yes if isinstance(term, Truth) else None
