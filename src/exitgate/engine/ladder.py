"""The rules of one stage in chain order, compiled: asked in full or for the winner only."""

from __future__ import annotations

from exitgate.engine.message import compile_message
from exitgate.engine.record import unread_facts
from exitgate.language.chain import compile_chain
from exitgate.language.closures import HISTORY, compile_node
from exitgate.language.pending import pending
from exitgate.language.unknowns import unknowns
from exitgate.model.decision import Step
from exitgate.model.verdict import CONTINUE, EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]


class Clause:
    """
    One rule made ready.

    `decides` is True for an enforced exit or continue rule, `side` for a rule whose truth only adds
    a warning, `shadow` for a rule that would decide were its mode `enforce`.
    """

    __slots__ = (
        "advice", "because", "decides", "escalation", "history", "result", "rule", "settled",
        "shadow", "side", "test",
    )  # fmt: skip

    def __init__(self, rule: Rule, policy: CompiledPolicy, unread: frozenset[str]) -> None:
        self.rule = rule
        self.decides = rule.effect != "warn" and rule.mode == "enforce"
        self.shadow = rule.effect != "warn" and rule.mode == "shadow"
        self.side = not self.decides and rule.mode != "shadow"
        self.test: Callable[[Records], object] = compile_node(
            rule.when, policy.values(), policy.conditions, unread
        )
        self.because = compile_message(rule.because, policy)
        self.advice = compile_message(rule.advice, policy)
        self.escalation = compile_message(rule.escalation, policy)
        self.history = reads_history(rule.when, policy.conditions)
        #: What its victory means: verdict and class, compared to tell firm from tentative.
        self.result = (EXIT, rule.exit_class) if rule.effect == "exit" else (CONTINUE, None)
        #: Steps that need no details, made once and shared by all decisions.
        self.settled = {truth: Step(rule.id, truth) for truth in (True, False, None)}


class Ladder:
    """Every rule of one stage. Rules that do not decide are always asked."""

    def __init__(self, policy: CompiledPolicy, stage: str) -> None:
        self._unread = unread_facts(policy)
        self._values = policy.values()
        self._conditions = policy.conditions
        self.clauses = tuple(
            Clause(rule, policy, self._unread) for rule in policy.rules if rule.stage == stage
        )
        self.deciding = tuple(clause for clause in self.clauses if clause.decides)
        self._asked = tuple((clause.test, clause.decides) for clause in self.clauses)
        self._bystanders = tuple(i for i, clause in enumerate(self.clauses) if not clause.decides)
        self._first: Callable[[Records], int] | None = None

    def first(self, records: Records) -> int:
        """Return the index within `deciding` of the first definitely true rule, or -1."""
        if self._first is None:
            whens = [clause.rule.when for clause in self.deciding]
            self._first = compile_chain(whens, self._values, self._conditions, self._unread)
        return self._first(records)

    def ask(self, records: Records) -> tuple[int, list[object], bool]:
        """
        Ask the rules in order.

        Returns the index of the clause that decides or -1; the truths, None for a deciding rule
        behind the winner; and whether anything beside the winner needs a second look: a rule that
        is unknown, or a bystander that is true.
        """
        truths: list[object] = []
        loose = False
        for test, decides in self._asked:
            truth = test(records)
            truths.append(truth)
            if truth is not False:
                if truth is not True:
                    loose = True
                elif decides:
                    winner = len(truths) - 1
                    break
                else:
                    loose = True
        else:
            return -1, truths, loose
        truths.extend([None] * (len(self._asked) - len(truths)))
        for index in self._bystanders:
            if index > winner:
                truths[index] = truth = self._asked[index][0](records)
                loose = loose or truth is not False
        return winner, truths, loose

    def steps(self, records: Records, truths: Sequence[object]) -> tuple[Step, ...]:
        """Return the recording: what made a rule unknown, and how far its history forms have come."""
        return tuple(
            self._step(clause, records, truth) for clause, truth in zip(self.clauses, truths, strict=True)
        )

    def truths(self, records: Records) -> list[object]:
        """Return the truth of every rule, those behind the winner included."""
        return [test(records) for test, _ in self._asked]

    def _step(self, clause: Clause, records: Records, truth: object) -> Step:
        settled = truth is True or truth is False or truth is None
        if settled and (truth is not False or not clause.history):
            return clause.settled[truth]  # type: ignore[index]
        when = clause.rule.when
        reasons = () if settled else unknowns(when, records, self._values, self._conditions)
        counts = pending(when, records, self._values, self._conditions) if clause.history else ()
        return Step(clause.rule.id, truth, reasons, counts)  # type: ignore[arg-type]


def reads_history(node: Node, conditions: Mapping[str, Node]) -> bool:
    """Return True when `node`, or a condition it names, holds a history form."""
    return any(
        part.op in HISTORY
        or (part.op == "condition" and reads_history(conditions[str(part.args[0])], conditions))
        for part in node.walk()
    )
