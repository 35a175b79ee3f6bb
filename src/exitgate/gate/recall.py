"""A past decision with everything it was made from, out of the ledger."""

from __future__ import annotations

from exitgate.engine.record import Record
from exitgate.gate.history import STANDING, last_changed, record_of_line, remembered_in
from exitgate.gate.kept import kept
from exitgate.gate.stored import decision_of_line, facts_of_line
from exitgate.gate.totals import signals_of
from exitgate.ledger import read
from exitgate.ledger.line import DECISION
from exitgate.ledger.names import name_of
from exitgate.ledger.runs import decisions_of, iteration_of
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import NOTHING_TO_DECIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy

    Line = dict[str, object]

#: Code -> what it means.
CODES = {"EP815": "there is no such decision in the ledger"}


class Recalled(Value):
    """
    One decision of the ledger.

    Args:
        line: As it is in the ledger.
        policy: That decided, with the parameters of that time.
        decision: With its steps.
        facts: Of the iteration, by name, with the evidence that was kept.
        records: What conditions read, oldest first, the decided iteration last.
        changed: Path of the file that changed last before it, or the empty text.
    """

    __slots__ = ("changed", "decision", "facts", "line", "policy", "records")

    def __init__(
        self,
        line: Mapping[str, object],
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
        name: Only decisions of runs of this name; None for all.

    Raises:
        ExitgateError: 66 when there is no such decision, 74 when the ledger or the policy it was made
            with cannot be read.
    """
    line = _find(directory, sequence, name)
    policy = kept(directory, str(_part(line, "policy").get("digest", "")))
    need = max(policy.lookback, policy.exit_after_blind or 0) + 1
    earlier: list[Line] = []
    before: Line = {}
    for other in read.lines(directory):
        if other["sequence"] == line["sequence"]:
            break
        if other["run"] == line["run"] and other.get("kind") in STANDING:
            before = other
        if other["run"] == line["run"] and 0 < iteration_of(other) < iteration_of(line):
            earlier.append(_slim(other))
            earlier = earlier[-4 * need :]
    history = tuple(record_of_line(one, policy) for one in decisions_of(earlier))[-need:]
    now = record_of_line(line, policy)
    now = Record(now, now.stand_ins, remembered_in(before, signals_of(policy)))
    return Recalled(
        line,
        policy,
        decision_of_line(line),
        facts_of_line(line),
        (*history, now),
        last_changed((*earlier, line)),
    )


def _find(directory: str, sequence: int | None, name: str | None) -> Line:
    found: Line | None = None
    for line in read.lines(directory):
        mine = name is None or name_of(str(line["run"])) == name
        if mine and line.get("kind") == DECISION and sequence in (None, line["sequence"]):
            found = line
    if found is not None:
        return found
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


def _slim(line: Line) -> Line:
    """Return what history needs of a line: a long run is read without keeping all of it."""
    return {key: line.get(key) for key in ("kind", "iteration", "facts")}


def _part(line: Line, key: str) -> Mapping[str, object]:
    found = line.get(key)
    return found if isinstance(found, dict) else {}
