"""A past decision with everything it was made from, out of the ledger."""

from __future__ import annotations

from exitgate.core.engine.record import Record, signals_of
from exitgate.core.ledger.decisions import decision_of_line, facts_of_line
from exitgate.core.ledger.line import DECISION
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.runs import decisions_of, iteration_of, name_of
from exitgate.core.ledger.typed import LedgerLine, typed
from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value
from exitgate.core.state.history import STANDING, last_changed, record_of_line, remembered_in
from exitgate.core.state.policy_snapshots import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.decision import Decision
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy


#: Code -> what it means.
CODES = {"EP815": "there is no such decision in the ledger"}


class Recalled(Value):
    """
    One decision of the ledger.

    Args:
        line: Of the ledger.
        policy: That decided, with the parameters of that time.
        decision: With its steps.
        facts: Of the iteration, by name, with the evidence that was kept.
        records: What conditions read, oldest first, the decided iteration last.
        changed: Path of the file that changed last before it, or the empty text.
    """

    __slots__ = ("changed", "decision", "facts", "line", "policy", "records")

    def __init__(
        self,
        line: LedgerLine,
        policy: CompiledPolicy,
        decision: Decision,
        facts: Mapping[str, Fact],
        records: tuple[Record, ...],
        changed: str = "",
    ) -> None:
        self.line = line
        self.policy = policy
        self.decision = decision
        self.facts = facts
        self.records = records
        self.changed = changed


def recall(directory: str, sequence: int | None = None, name: str | None = None) -> Recalled:
    """
    Return the decision with this sequence number, or the last one.

    Args:
        directory: The state directory.
        sequence: Number of the ledger's line; None for the last decision.
        name: Only decisions of runs of this name, or of the run of this id; None for all.

    Raises:
        ExitgateError: 66 when there is no such decision, 74 when the ledger or the policy it was made
            with cannot be read.
    """
    with Past(directory) as ledger:
        offset, line = _find(ledger, directory, sequence, name)
        policy = kept(directory, str(line.found("policy", "digest", absent="")))
        need = max(policy.lookback, policy.exit_after_blind or 0) + 1
        earlier: list[JsonObject] = []
        before: JsonObject | None = None
        for other in ledger.before(line.plain, offset):
            if before is None and other.get("kind") in STANDING:
                before = other
            if 0 < iteration_of(other) < line.number:
                earlier.append(_slim(other))
            if len(earlier) == 4 * need:
                break
    earlier.reverse()
    history = tuple(record_of_line(one, policy) for one in decisions_of(earlier))[-need:]
    now = record_of_line(line.plain, policy)
    now = Record(now, now.stand_ins, remembered_in(before or JsonObject(), signals_of(policy)))
    return Recalled(
        line,
        policy,
        decision_of_line(line.plain),
        facts_of_line(line.plain),
        (*history, now),
        last_changed((*earlier, line.plain)),
    )


def _find(ledger: Past, directory: str, sequence: int | None, name: str | None) -> tuple[int, LedgerLine]:
    """Return the decision, and the offset of its line."""
    placed = ledger.newest_first(name) if sequence is None else (ledger.numbered(sequence),)
    for one in placed:
        line = None if one is None else typed(one[1])
        if one is not None and line is not None and line.kind == DECISION and _is_of(line, name):
            return one[0], line
    which = "no decision" if sequence is None else f"no decision with number {sequence}"
    where = f" of run `{name}`" if name is not None else ""
    raise ExitgateError(
        [
            Diagnostic(
                "EP815",
                f"there is {which}{where} in `{directory}`",
                help="`exitgate history` lists all decisions; `exitgate check` makes one",
            )
        ],
        NOTHING_TO_DECIDE,
    )


def _is_of(line: LedgerLine, name: str | None) -> bool:
    return name is None or name in (line.run, name_of(line.run))


def _slim(line: JsonObject) -> JsonObject:
    """Return what history needs of a line: a long run is read without keeping all of it."""
    return JsonObject({key: line.get(key) for key in ("kind", "iteration", "facts")})
