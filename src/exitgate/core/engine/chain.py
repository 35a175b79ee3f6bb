"""The rules of one stage in chain order, compiled: asked in full or for the winner only."""

from __future__ import annotations

from exitgate.core.engine.record import unread_facts
from exitgate.core.facts.registry import ASKING
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.model.decision import CONTINUE, EXIT, Step
from exitgate.core.model.display import UNKNOWN, plain_text, shown
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import NUMBER, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.core.engine.many_rules import ManyRules
    from exitgate.core.language.evaluation.index import SparseTruths
    from exitgate.core.language.evaluation.unasked import Unasked
    from exitgate.core.language.evaluation.unknowns import Strict
    from exitgate.core.model.decision import Pending
    from exitgate.core.model.value import Unknown
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.value import Type
    from exitgate.core.policy.compiled import Slot, Template

    Truths = tuple[object, ...] | SparseTruths
    #: Of the iterations of one run, oldest first.
    #: From the records to the text.
    Message = Callable[[Records], str]


#: Decisions of one program after which its rules become one generated function: it takes as long to make as
#: so many decisions.
FUSE_AFTER = 100
#: Rules of a stage from which they get an index, and decisions after which they do.
INDEX_FROM, INDEX_AFTER = 200, 4


class Clause:
    """
    One rule made ready.

    `decides` is True for an enforced exit or continue rule, `side` for a rule whose truth only adds
    a warning, `shadow` for a rule that would decide were its mode `enforce`.
    """

    __slots__ = (
        "because", "counts", "decides", "history", "quiet", "result", "retry", "rule", "settled", "shadow",
        "side", "test", "texts",
    )  # fmt: skip

    def __init__(self, rule: Rule, policy: CompiledPolicy, compilation: Compilation) -> None:
        self.rule = rule
        self.decides = rule.effect != "warn" and rule.mode == "enforce"
        self.shadow = rule.effect != "warn" and rule.mode == "shadow"
        self.side = not self.decides and rule.mode != "shadow"
        self.test: Callable[[Records], object] = compilation.closure(rule.when)
        #: For a rule that waits: seconds until the run may go on, or `Unknown`.
        self.retry: Callable[[Records], object] | None = (
            compilation.recorded(rule.retry_after) if rule.retry_after is not None else None
        )
        self.because = compile_message(rule.because, policy)
        #: Message, advice and escalation, from records.
        self.texts = (
            self.because,
            compile_message(rule.advice, policy),
            compile_message(rule.escalation, policy),
        )
        self.history = compilation.remembers(rule.when)
        #: What its victory means: verdict and class, compared to tell firm from tentative.
        self.result = (EXIT, rule.exit_class) if rule.effect == "exit" else (CONTINUE, None)
        #: Steps that need no details, made once and shared by all decisions.
        self.settled: dict[object, Step] = {True: Step(rule.id, True)}
        self.quiet = Step(rule.id, False)
        if not self.history:
            self.settled[False] = self.quiet
        self.counts: Callable[[Records], tuple[Pending, ...]] | None = None


class RuleChain:
    """Every rule of one stage. Rules that do not decide are always asked."""

    def __init__(self, policy: CompiledPolicy, stage: str) -> None:
        self._unread = unread_facts(policy)
        #: Progress has no bounds, all other computed facts may have.
        self._bounded = frozenset(fact.name for fact in policy.derived if not fact.signals)
        self._values = policy.values()
        self._conditions = policy.conditions
        # one for all rules: a condition that several name is made once
        compilation = Compilation(self._values, self._conditions, self._unread)
        self._strict_compilation: Strict | None = None
        self._strict: dict[int, Callable[[Records], object] | None] = {}
        #: For counts, which pass over no fact.
        self._counting = Compilation(self._values, self._conditions)
        self.clauses = tuple(
            Clause(rule, policy, compilation) for rule in policy.rules if rule.stage == stage
        )
        self.deciding = tuple(clause for clause in self.clauses if clause.decides)
        self._tests = tuple(clause.test for clause in self.clauses)
        self._unasked = tuple(Step(clause.rule.id, None) for clause in self.clauses)
        self.all_decide = len(self.deciding) == len(self.clauses)
        self._firm: dict[int, tuple[tuple[Step, ...], tuple[int, ...]]] = {}
        self._asked = 0
        self._until: Callable[[Records], tuple[object, ...]] | None = None
        self._fused: Callable[[Records], tuple[object, ...]] | None = None
        self._first: Callable[[Records], int] | None = None
        self._may_index = len(self.clauses) >= INDEX_FROM
        self._many: ManyRules | None = None

    def first(self, records: Records) -> int:
        """Return the index within `deciding` of the first definitely true rule, or -1."""
        if self._may_index:
            self._asked += 1
            sparse = self._by_index(records, True)
            if sparse is not None and self._many is not None:
                return self._many.place(sparse)
        if self._first is None:
            from exitgate.core.language.evaluation.chain import compile_chain

            whens = [clause.rule.when for clause in self.deciding]
            self._first = compile_chain(whens, self._values, self._conditions, self._unread, self._bounded)
        return self._first(records)

    def truths(self, records: Records) -> Truths:
        """
        Return the truth of every rule: True, False or `Unknown`.

        Closures are quick to build, one generated function is quick to run, and an index of many rules need
        not run most of them: a process that decides once never builds the last two.
        """
        if self._may_index and (sparse := self._by_index(records, False)) is not None:
            return sparse
        if self._fused is not None:
            return self._fused(records)
        self._asked += 1
        if self._asked > FUSE_AFTER:
            from exitgate.core.language.evaluation.chain import compile_truths

            whens = [clause.rule.when for clause in self.clauses]
            self._fused = compile_truths(
                whens, self._values, self._conditions, self._unread, bounded=self._bounded
            )
        return tuple([test(records) for test in self._tests])

    def _by_index(self, records: Records, until_decided: bool) -> SparseTruths | None:
        """Return the truths of many rules, most of them not asked; None where asking each is as quick."""
        if self._asked <= INDEX_AFTER:
            return None
        if self._many is None:
            from exitgate.core.engine.many_rules import ManyRules

            compilation = Compilation(self._values, self._conditions, self._unread)
            self._many = ManyRules(self, compilation, records[-1])
            self._may_index = self._many.is_useful
        return self._many.truths(records, until_decided)

    def true(self, truths: Truths, before: int | None = None) -> Iterator[tuple[int, Clause]]:
        """Yield the rules that are definitely true with their indices, those `before` an index."""
        found: Iterable[tuple[int, object]] = (
            enumerate(truths) if isinstance(truths, tuple) else truths.others.items()
        )
        for index, truth in found:
            if truth is True and (before is None or index < before):
                yield index, self.clauses[index]

    def open_to_doubt(self, truths: Truths, limit: int) -> Iterable[int]:
        """Return the indices below `limit` of the rules that could have come out as anything but false."""
        if isinstance(truths, tuple) or self._many is None:
            return range(limit)
        return self._many.open_to_doubt(truths, limit)

    def strict(self, index: int) -> Callable[[Records], object] | None:
        """Return a rule's strict evaluator (`language.strict`); None where it answers as the plain one."""
        if index not in self._strict:
            from exitgate.core.language.evaluation.unknowns import asks

            when = self.clauses[index].rule.when
            self._strict[index] = self._strictly.closure(when) if asks(when, self._conditions) else None
        return self._strict[index]

    def outcomes(self, index: int, records: Records) -> frozenset[bool | None]:
        """Return what a rule's condition can come out as, None for unknown; see `Strict.outcomes`."""
        clause = self.clauses[index]
        truth = (self.strict(index) or clause.test)(records)
        if isinstance(truth, bool):
            return frozenset((truth,))
        return self._strictly.outcomes(clause.rule.when, records)

    def reads_only(self, index: int, names: frozenset[str]) -> bool:
        """Return whether a rule's condition reads no other facts than these."""
        from exitgate.core.language.measure import facts_of

        return facts_of(self.clauses[index].rule.when, self._conditions) <= names

    def undecided(
        self, records: Records, unasked: Unasked, ends_blind: bool
    ) -> tuple[Clause | None, frozenset[str]]:
        """
        Return the rule that decides no matter what is asked for, or what has to be asked for first.

        That is the rule, None where there is none, and nothing; or the first rule that could decide and need
        not, and the facts of which one has to be asked for. Where silence ends the run, a rule that lets it
        continue is like no rule.
        """
        first: tuple[Clause, frozenset[str]] | None = None
        for clause in self.deciding:
            truths = unasked.truths(clause.rule.when, records)
            if True not in truths:
                continue
            silenced = ends_blind and clause.result[0] == CONTINUE
            if len(truths) > 1:
                first = first or (clause, unasked.needs(clause.rule.when, records))
                if not silenced:
                    return first
            elif silenced:
                break
            else:
                return first or (clause, frozenset())
        return None, frozenset()

    @property
    def _strictly(self) -> Strict:
        """One for all rules here, too; made when a strict answer is first wanted."""
        if self._strict_compilation is None:
            from exitgate.core.language.evaluation.unknowns import Strict

            self._strict_compilation = Strict(self._values, self._conditions, self._unread)
        return self._strict_compilation

    def ask(self, records: Records) -> tuple[int, Truths, bool]:
        """
        Ask the rules.

        Returns the index of the clause that decides or -1; the truths, cut behind it where every rule
        decides; and whether anything beside the winner needs a second look: a rule before it that is
        unknown, or one that does not decide.
        """
        if self.all_decide:
            truths = self._until_true(records)
            number = len(truths)
            if number and truths[-1] is True:
                return number - 1, truths, truths.count(False) != number - 1
            return -1, truths, truths.count(False) != number
        truths = self.truths(records)
        for index, clause in self.true(truths):
            if clause.decides:
                return index, truths, True
        return -1, truths, True

    def _until_true(self, records: Records) -> Truths:
        """Return the truths up to the first that is definitely true."""
        if self._may_index and (sparse := self._by_index(records, True)) is not None:
            return sparse
        if self._until is not None:
            return self._until(records)
        self._asked += 1
        if self._asked > FUSE_AFTER:
            from exitgate.core.language.evaluation.chain import compile_truths

            whens = [clause.rule.when for clause in self.clauses]
            self._until = compile_truths(
                whens, self._values, self._conditions, self._unread, True, self._bounded
            )
        found = []
        for test in self._tests:
            found.append(test(records))
            if found[-1] is True:
                break
        return tuple(found)

    def steps(self, records: Records, truths: Truths, winner: int = -1) -> tuple[Step, ...]:
        """
        Return the recording: what made a rule unknown, and how far its history forms have come.

        Deciding rules behind `winner` count as not asked.
        """
        cut = len(truths) if winner < 0 else winner + 1
        if not isinstance(truths, tuple) and self._many is not None:
            return self._many.steps(records, truths, cut)
        if self.all_decide and len(truths) == cut and truths.count(False) == cut - (winner >= 0):
            return self._firm_steps(records, winner, cut)
        asked = [
            clause.settled.get(truth) or self.step(clause, records, truth)
            for clause, truth in zip(self.clauses[:cut], truths, strict=False)
        ]
        if self.all_decide:
            return (*asked, *self._unasked[cut:])
        for index in range(cut, len(truths)):
            clause, truth = self.clauses[index], truths[index]
            asked.append(
                self._unasked[index]
                if clause.decides
                else clause.settled.get(truth) or self.step(clause, records, truth)
            )
        return tuple(asked)

    def _firm_steps(self, records: Records, winner: int, cut: int) -> tuple[Step, ...]:
        """Return the steps where every rule before the winner is false: the same each time but for counts."""
        known = self._firm.get(winner)
        if known is None:
            quiet = [clause.quiet for clause in self.clauses[:cut]]
            if winner >= 0:
                quiet[-1] = self.clauses[winner].settled[True]
            counting = tuple(i for i in range(cut) if i != winner and self.clauses[i].history)
            known = self._firm[winner] = (*quiet, *self._unasked[cut:]), counting
        steps, counting = known
        if not counting:
            return steps
        whole = list(steps)
        for index in counting:
            whole[index] = self.step(self.clauses[index], records, False)
        return tuple(whole)

    def step(self, clause: Clause, records: Records, truth: object) -> Step:
        """Return the recording of one rule that came out as `truth`, found anew."""
        when = clause.rule.when
        reasons: tuple[Unknown, ...] = ()
        counts: tuple[Pending, ...] = ()
        if truth is not False:
            from exitgate.core.language.evaluation.unknowns import unknowns

            reasons = unknowns(when, records, self._values, self._conditions)
        if clause.history:
            if clause.counts is None:
                from exitgate.core.language.evaluation.pending import compile_pending

                clause.counts = compile_pending(when, self._counting)
            counts = clause.counts(records)
            if truth is False and not counts:
                return clause.quiet
        return Step(clause.rule.id, truth, reasons, counts)  # type: ignore[arg-type]


# Messages with values filled in.


def compile_message(template: Template, policy: CompiledPolicy) -> Message:
    """
    Return a function from records to the filled-in text of `template`.

    Parameters are written in once, here; facts at every call, as they are in the last record. What is
    unknown, not recorded or not declared reads ``unknown``, or as the slot says for that case. The function
    never raises.
    """
    parts: list[str | Message] = []
    for part in template:
        piece = part if isinstance(part, str) else _slot(part, policy)
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)
    if not parts:
        return lambda _: ""
    if len(parts) == 1 and isinstance(parts[0], str):
        text = parts[0]
        return lambda _: text
    return lambda records: "".join([p if isinstance(p, str) else p(records) for p in parts])


def _slot(slot: Slot, policy: CompiledPolicy) -> str | Message:
    name = slot[0]
    if name.startswith("$"):
        parameter = policy.parameters.get(name[1:])
        return shown(parameter.value, parameter.type) if parameter is not None else UNKNOWN
    spec = policy.facts.get(name)
    type_ = spec.type if spec is not None else None
    prefix, _, field = name.rpartition(".")
    if field == "details" and any(e.prefix == prefix and e.extractor in ASKING for e in policy.extractions):
        return _lines(name)
    if len(slot) == 3:
        return _other(name, type_, slot[2])
    if len(slot) == 2:
        return _history(name, type_, listed(slot[1], policy.values()))
    sign = _SIGNS.get(type_.kind) if type_ is not None else None
    return _fact(name, type_) if sign is None else _whole(name, type_, sign)


def _fact(name: str, type: Type | None) -> Message:
    return lambda records: shown(records[-1].get(name), type)


def _lines(name: str) -> Message:
    """What probes say in detail is a list, made line by line of what is masked and bounded: it stays one."""

    def text(records: Records) -> str:
        value = records[-1].get(name)
        return "\n".join(map(plain_text, value.split("\n"))) if isinstance(value, str) else shown(value)

    return text


def _other(name: str, type: Type | None, said: str) -> Message:
    def text(records: Records) -> str:
        value = records[-1].get(name)
        return said if value is None or isinstance(value, Unknown) else shown(value, type)

    return text


def _whole(name: str, type: Type | None, sign: str) -> Message:
    # Small whole numbers are what most messages hold: the short way for them.
    def text(records: Records) -> str:
        value = records[-1].get(name)
        if value.__class__ is int and -1 < value < 1000000:
            return f"{value}{sign}"
        return shown(value, type)

    return text


def _history(name: str, type: Type | None, window: int) -> Message:
    """Return a list in Markdown of the fact's last values, one line for each iteration, newest last."""

    def text(records: Records) -> str:
        values = [shown(record.get(name), type) for record in records[-window:]]
        last = records[-1].get(NUMBER)
        if not isinstance(last, int) or last is True:
            return "\n".join([f"- {value}" for value in values])
        first = last - len(values) + 1
        # how things were before the first iteration is not an iteration
        return "\n".join(
            [f"- Iteration {shown(n)}: {value}" for n, value in enumerate(values, first) if n > 0]
        )

    return text


#: Kind -> what follows a whole number of it.
_SIGNS = {"count": "", "number": "", "percent": "%"}
