"""The one engine: a compiled policy asked over records."""

from __future__ import annotations

from exitgate.core.engine.alternatives import Otherwise, alternatives, if_readable
from exitgate.core.engine.chain import RuleChain, compile_message
from exitgate.core.engine.record import Record, is_blind, read_facts, unread_facts
from exitgate.core.engine.stages import LazyDecision
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.model.decision import CONTINUE, EXIT, STAGES, Warned
from exitgate.core.model.display import counted, is_finite
from exitgate.core.model.value import Unknown, is_unasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from exitgate.core.engine.alternatives import Assumed
    from exitgate.core.engine.breaker import BreakerConditions
    from exitgate.core.engine.chain import Clause, Message, Truths
    from exitgate.core.engine.record import DerivedFact, PointsLine
    from exitgate.core.facts.extractors.progress import Movement, Remembered
    from exitgate.core.language.evaluation.unasked import Unasked
    from exitgate.core.model.decision import Alternative, Step
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]


AFTER_ITERATION = "after_iteration"
UNDETERMINED = "undetermined"
OTHERWISE = "otherwise"


#: The program that was asked for last: processes that decide often ask for the same one.
_LAST: list[Program] = []


def program_of(policy: CompiledPolicy) -> Program:
    """Return the program of a policy; for the same policy object as last time, the one made then."""
    found = _LAST[0] if _LAST else None
    if found is None or found.policy is not policy:
        found = Program(policy)
        _LAST[:] = [found]
    return found


class Program:
    """
    A policy with its evaluators, compiled once; pure, and safe to share.

    Records are mappings fact name -> value, oldest first, the iteration to decide on last, all of
    one run. `decide` and `winner` read derived facts from the records: `complete` puts them there.
    """

    def __init__(self, policy: CompiledPolicy) -> None:
        self.policy = policy
        #: None of these facts known means blind.
        self.read = read_facts(policy)
        self._derived: tuple[DerivedFact, ...] = ()
        if policy.derived:
            from exitgate.core.engine.record import DerivedFact

            self._derived = tuple(DerivedFact(fact, policy) for fact in policy.derived)
        self._otherwise = (compile_message(policy.otherwise_message, policy), _no_text, _no_text)
        self._ladders: dict[str, RuleChain] = {}
        self._breaker: BreakerConditions | None = None
        self._from_breaker: bool | None = None
        self._assumed: Assumed | None = None
        self._unasked: Unasked | None = None
        self._stages: frozenset[str] | None = None

    @property
    def stages(self) -> frozenset[str]:
        """The stages for which the policy has rules."""
        if self._stages is None:
            self._stages = frozenset(rule.stage for rule in self.policy.rules)
        return self._stages

    @property
    def breaker(self) -> BreakerConditions | None:
        """The conditions of the policy's own breaker, compiled once; None where it has none."""
        if self._breaker is None and self.policy.breaker is not None:
            from exitgate.core.engine.breaker import BreakerConditions

            self._breaker = BreakerConditions(self.policy.breaker, self.policy)
        return self._breaker

    def derive(
        self,
        records: Records,
        before: Remembered | None = None,
        ended: bool = True,
        given: Collection[str] = (),
        whole: bool = False,
        only: Collection[str] | None = None,
    ) -> dict[str, Fact]:
        """
        Return points, formulas and progress of the last record, by name, in the policy's order.

        Each may read the ones before it, and its own earlier values in `records`. `before` is what
        the run had seen of the signals of progress besides the records; `ended` is False for a look
        at the working tree in which no iteration ended: then progress is unknown. Facts `given` by
        hand are computed all the same, and those computed from them read what the record holds. `whole` says
        that `before` holds all that the earlier records tell of the signals. With `only` no others are found:
        all those that they read must be among them.
        """
        found: dict[str, Fact] = {}
        if self._derived:
            before = before or getattr(records[-1], "remembered", None)
            now = _copied(records[-1])
            view = [*records[:-1], now]
            for derived in self._derived:
                if only is not None and derived.name not in only:
                    continue
                found[derived.name] = fact = derived.fact(view, before, ended, whole)
                if derived.name not in given:
                    now[derived.name] = fact.value
        return found

    @property
    def derives_from_breaker(self) -> bool:
        """Whether some points, formula or progress may rest on a fact of the breaker."""
        if self._from_breaker is None:
            policy = self.policy
            computed = (tree for fact in policy.derived for tree in fact.trees())
            trees = (*computed, *policy.conditions.values())
            names = {name for tree in trees for name in tree.uses().get("fact", ())}
            names.update(signal for fact in policy.derived for signal in fact.signals)
            self._from_breaker = any(name.partition(".")[0] == "circuit" for name in names)
        return self._from_breaker

    def complete(self, records: Records) -> tuple[Mapping[str, object], ...]:
        """Return `records` with the derived facts in the last one."""
        values = {name: fact.value for name, fact in self.derive(records).items()}
        last = records[-1]
        whole = last if isinstance(last, Record) else Record(last)
        return (*records[:-1], whole.with_values(values))

    def complete_all(self, run: Records, ended: bool = True) -> tuple[Mapping[str, object], ...]:
        """
        Return `run` with the derived facts in every iteration, oldest first, as `complete` puts them there.

        With `ended` False the last one is a look in which no iteration ended.
        What was seen of the signals of progress is carried along, so that a long run costs no more
        for each iteration than a short one.
        """
        watching = {derived.watched: derived for derived in self._derived if derived.is_progress}
        seen: dict[object, Remembered] = {}
        done: list[Mapping[str, object]] = []
        for at, values in enumerate(run, 1):
            now = _copied(values)
            view = [*done, now]
            moved: dict[object, Movement | None] = {}
            for derived in self._derived:
                if not derived.is_progress:
                    now[derived.name] = derived.value(view)
                    continue
                watched = derived.watched
                if watched not in moved:
                    is_end = ended or at < len(run)
                    moved[watched] = derived.movement(now, seen.get(watched)) if is_end else None
                now[derived.name] = derived.value_of(moved[watched])
            if at < len(run):
                seen = {watched: one.after(seen.get(watched), now) for watched, one in watching.items()}
            done.append(now)
        return tuple(done)

    def points(self, records: Records, name: str) -> tuple[PointsLine, ...]:
        """Return how each row of the points fact `name` came out in the last record; () for others."""
        return next((d.lines(records) for d in self._derived if d.name == name), ())

    def winner(self, records: Records, stage: str = AFTER_ITERATION) -> int:
        """Return the index of the deciding rule among the stage's enforced exit and continue rules, or -1."""
        return self._ladder(stage).first(records)

    def truths(self, records: Records, stage: str = AFTER_ITERATION) -> tuple[tuple[Rule, object], ...]:
        """Return every rule of the stage with its truth: True, False or `Unknown`."""
        ladder = self._ladder(stage)
        rules = [clause.rule for clause in ladder.clauses]
        return tuple(zip(rules, ladder.truths(records), strict=True))

    def trace(self, records: Records, stage: str = AFTER_ITERATION) -> tuple[Step, ...]:
        """Return a step for every rule of the stage, those behind the winner asked as well."""
        ladder = self._ladder(stage)
        return ladder.steps(records, ladder.truths(records))

    def decide(
        self,
        records: Records,
        stage: str = AFTER_ITERATION,
        notes: Sequence[Warned] = (),
        silent: int = 0,
        moment: float | None = None,
    ) -> LazyDecision:
        """
        Return the decision of one stage.

        Args:
            records: At least one; see the class.
            stage: One of `exitgate.core.model.decision.STAGES`; raises KeyError for another.
            notes: Warnings on how the record came about, put before those of rules.
            silent: Blind decisions in a row before the first of `records` that left no record,
                such as checks made before any iteration.
            moment: Time of the decision, seconds since the epoch: what a retry time is counted from.
                Without it there is none.

        The first definitely true enforced rule decides; steps of deciding rules behind it have
        truth None, `trace` asks those too.
        """
        ladder = self._ladder(stage)
        now = records[-1]
        winner, truths, loose = ladder.ask(records)
        blind = is_blind(now, self.read)
        if winner >= 0:
            clause = ladder.clauses[winner]
            rule = clause.rule
            (verdict, exit_class), outcome, rule_id = clause.result, rule.outcome, rule.id
            texts = clause.texts
        else:
            verdict, exit_class, outcome, rule_id = CONTINUE, None, OTHERWISE, None
            texts = self._otherwise
        ended = blind and verdict != EXIT and self._ends_blind(records, silent)
        if ended:
            verdict, exit_class, outcome, rule_id = EXIT, UNDETERMINED, UNDETERMINED, None
            texts = (self._blind_message, _no_text, _no_text)
        warnings = tuple(notes) if notes else ()
        shadows: tuple[str, ...] = ()
        if loose and not ladder.all_decide:
            warnings += _warnings(ladder, truths, records)
            texts = texts if verdict == EXIT else _with_nudges(texts, ladder, truths)
            shadows = _shadows(ladder, truths, winner if winner >= 0 else len(truths))
        retry_at = None
        if winner >= 0 and ladder.clauses[winner].retry is not None:
            retry_at, unsure = _retry(ladder.clauses[winner], records, moment)
            warnings += unsure
        before = silent if blind else None
        open_ = self._what_else(ladder, records, truths, winner, (verdict, exit_class), before)
        return LazyDecision(
            verdict, exit_class, outcome, rule_id, stage, blind, open_, warnings, shadows,
            texts, ladder, records, truths, winner, retry_at,
        )  # fmt: skip

    def _what_else(
        self,
        ladder: RuleChain,
        records: Records,
        truths: Truths,
        winner: int,
        result: tuple[str, str | None],
        silent: int | None,
    ) -> Callable[[], tuple[tuple[Alternative, ...], tuple[Alternative, ...]]]:
        """Return what finds out, once somebody asks, what else it could be, and what if all were readable."""

        def found() -> tuple[tuple[Alternative, ...], tuple[Alternative, ...]]:
            policy = self.policy
            otherwise = Otherwise(OTHERWISE)
            if silent is not None and self.read and self._ends_blind(records, silent):
                decided = winner >= 0 and ladder.clauses[winner].result[0] == EXIT
                silence = EXIT, UNDETERMINED
                otherwise = Otherwise(OTHERWISE, silence, not decided, frozenset(self.read))
            if self._assumed is None and (policy.derived or policy.breaker or policy.unreadable):
                from exitgate.core.engine.alternatives import Assumed

                self._assumed = Assumed(policy)

            def without(unreadable: frozenset[str]) -> tuple[Alternative, ...]:
                return alternatives(
                    ladder, records, truths, winner, result, otherwise, self._assumed, unreadable
                )

            settled = without(frozenset())
            return settled, if_readable(settled, records, without) if policy.unreadable else ()

        return found

    def unasked(self, records: Records, stages: Sequence[str], silent: int = 0) -> tuple[str, frozenset[str]]:
        """
        Return facts that have to be asked for, one of them at least, before it is settled what is decided.

        The first is the rule that needs them, empty where none does.

        Settled are verdict, class, outcome and rule of the stages, asked as
        `exitgate.core.engine.stages.decide_stages` asks them; what rules that only warn and what messages say
        does not count. Nothing is returned where it is settled.

        Args:
            records: As for `decide`; facts of the last one may be `NOT_ASKED`.
            stages: In the order in which they are asked.
            silent: As for `decide`.
        """
        if not any(map(is_unasked, records[-1].values())):
            return "", frozenset()
        unasked = self._unasked
        if unasked is None:
            from exitgate.core.language.evaluation.unasked import Unasked

            policy = self.policy
            compilation = Compilation(policy.values(), policy.conditions, unread_facts(policy))
            parts = {fact.name: fact.trees() for fact in policy.derived}
            unasked = self._unasked = Unasked(compilation, parts)
        for number, stage in enumerate(stages):
            blind = is_blind(records[-1], self.read) and self._ends_blind(records, 0 if number else silent)
            clause, needs = self._ladder(stage).undecided(records, unasked, blind)
            if needs:
                return clause.rule.id if clause is not None else "", needs
            if blind or (clause is not None and clause.result[0] == EXIT):
                break
        return "", frozenset()

    def blind_run(self, records: Records, silent: int = 0) -> int:
        """Return how many records in a row, the last one included, are blind; `silent` as for `decide`."""
        for back, record in enumerate(reversed(records)):
            if not is_blind(record, self.read):
                return back
        return len(records) + silent

    def _ends_blind(self, records: Records, silent: int) -> bool:
        limit = self.policy.exit_after_blind
        return limit is not None and self.blind_run(records[-limit:], silent) >= limit

    def _blind_message(self, _records: Records) -> str:
        count = counted(self.policy.exit_after_blind or 0, "decision", "decisions in a row")
        return f"{count} without anything readable from the agent"

    def _ladder(self, stage: str) -> RuleChain:
        ladder = self._ladders.get(stage)
        if ladder is None:
            if stage not in STAGES:
                raise KeyError(stage)
            ladder = self._ladders[stage] = RuleChain(self.policy, stage)
        return ladder


def _copied(values: Mapping[str, object]) -> Record:
    """Return a record to which computed facts are added; stand-ins for unknown ones stay marked."""
    return Record(values, getattr(values, "stand_ins", frozenset()))


def _no_text(_records: Records) -> str:
    return ""


def _retry(clause: Clause, records: Records, moment: float | None) -> tuple[float | None, tuple[Warned, ...]]:
    """Return when the run may go on, and what is to be said where that is not known."""
    assert clause.retry is not None
    seconds = clause.retry(records)
    if isinstance(seconds, Unknown):
        where = f"{seconds.origin}: " if seconds.origin else ""
        message = f"the time to resume is not known ({where}{seconds.reason})"
        return None, (Warned(message, clause.rule.id),)
    assert isinstance(seconds, int | float)
    if not is_finite(seconds):
        return None, (Warned("the time to resume is not known (the time is not finite)", clause.rule.id),)
    return (None if moment is None else moment + max(seconds, 0)), ()


def _warnings(ladder: RuleChain, truths: Truths, records: Records) -> tuple[Warned, ...]:
    return tuple(
        Warned(clause.because(records), clause.rule.id) for _, clause in ladder.true(truths) if clause.side
    )


def _with_nudges(
    texts: tuple[Message, Message, Message], ladder: RuleChain, truths: Truths
) -> tuple[Message, Message, Message]:
    """
    Return the texts with the advice of every warning behind that of the rule that decided.

    A run that continues hands it to the agent; one that ends has the advice of its end.
    """
    nudges = tuple(clause.texts[1] for _, clause in ladder.true(truths) if clause.side and clause.rule.advice)
    if not nudges:
        return texts
    because, own, escalation = texts
    return because, lambda records: " ".join(filter(None, (m(records) for m in (own, *nudges)))), escalation


def _shadows(ladder: RuleChain, truths: Truths, limit: int) -> tuple[str, ...]:
    """Return the shadow rules that are true and are before the rule that decided."""
    return tuple(clause.rule.id for _, clause in ladder.true(truths, limit) if clause.shadow)
