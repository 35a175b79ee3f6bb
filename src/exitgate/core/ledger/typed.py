"""
Lines of the ledger with their members as attributes, for code that no check waits for.

What a check reads and writes are plain mappings with the same names (`exitgate.core.ledger.line`): `msgspec`
takes longer to import than a check takes. `tests/core/ledger/test_typed.py` holds the two equal.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import force_setattr

from exitgate.core.ledger.line import DECISION, OF_VALUE
from exitgate.core.model.decision import CLASSES, EXIT
from exitgate.core.model.json_object import JsonObject, as_object, whole_of
from exitgate.core.system.lenient import read_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Beyond this no instant, count or amount is believed.
LARGEST = 1e15


class LinePolicy(Struct, frozen=True):
    """What decided: name, version, digest under which it is kept, and path."""

    name: str | None = None
    version: str | None = None
    digest: str | None = None
    path: str | None = None
    layers: tuple[LineLayer, ...] = ()


class LineLayer(Struct, frozen=True):
    """A file of settings that counted."""

    layer: str = ""
    file: str = ""
    digest: str | None = None


class LineSource(Struct, frozen=True):
    """What was read: its path, and digest, length and time of writing, or why it could not be."""

    path: str | None = None
    digest: str | None = None
    length: int | None = None
    written: str | None = None
    reason: str | None = None


class LineAlternative(Struct, frozen=True, rename={"exit_class": "class"}):
    """What the decision could be as well."""

    rule: str | None = None
    verdict: str = ""
    exit_class: str | None = None
    outcome: str = ""
    assumed: bool = False
    unreadable: tuple[str, ...] = ()


class LineWarning(Struct, frozen=True):
    """A remark, of a rule or of none."""

    rule: str | None = None
    message: str = ""


class LineUnknown(Struct, frozen=True):
    """Why a rule could not be determined."""

    origin: str = ""
    reason: str = ""


class LinePending(Struct, frozen=True):
    """How far a history form has come."""

    form: str = ""
    have: int | float | None = None
    need: int | float | None = None
    of_time: bool = False


class LineStep(Struct, frozen=True):
    """What a rule came to: true, false, ``"unknown"``, or null where it was not asked."""

    rule: str = ""
    truth: bool | str | None = None
    unknowns: tuple[LineUnknown, ...] = ()
    pending: tuple[LinePending, ...] = ()


class LineDecision(Struct, frozen=True, rename={"exit_class": "class"}):
    """The decision of a line; the empty texts where the line has none."""

    verdict: str = ""
    exit_class: str | None = None
    outcome: str = ""
    rule: str | None = None
    message: str = ""
    stage: str | None = None
    firm: bool | None = None
    blind: bool | None = None
    alternatives: tuple[LineAlternative, ...] | None = None
    if_readable: tuple[LineAlternative, ...] = ()
    warnings: tuple[LineWarning, ...] = ()
    shadows: tuple[str, ...] = ()
    advice: str | None = None
    escalation: str | None = None
    retry_at: int | float | None = None
    steps: tuple[LineStep, ...] = ()

    @property
    def unchecked(self) -> bool:
        """Whether a rule that could not be checked would have changed it."""
        if self.firm is not False or self.alternatives is None:
            return self.firm is False
        return any(not one.assumed for one in self.alternatives)


class LineMove(Struct, frozen=True, rename={"origin": "from"}):
    """How the breaker moved, and why."""

    origin: str | None = None
    to: str | None = None
    why: str | None = None


class LineBreaker(Struct, frozen=True):
    """State of the breaker after a line."""

    state: str | None = None
    reason: str | None = None
    opened_at: int | float | None = None
    latest: int | float | None = None
    behind: int | float | None = None
    probe: bool = False
    by_hand: bool = False
    since: int | float | None = None
    moved: LineMove | None = None


class LineTotals(Struct, frozen=True):
    """What the run has used up after the line; signals of progress, which only checks read, are left out."""

    iterations: int | float | None = None
    started_at: int | float | None = None
    elapsed: int | float | None = None
    cost: int | float | None = None
    tokens: int | float | None = None


class LineCounts(Struct, frozen=True, rename={"continues": "continue", "exits": "exit"}):
    """How many decisions there were under the run's name since it was last reset."""

    decisions: int = 0
    continues: int = 0
    exits: int = 0


class LedgerLine(Struct, frozen=True):
    """
    One line of the ledger; members that are absent, or are not what they should be, have their defaults.

    `plain` is the line as it was read, for what is made again from it byte for byte.
    """

    run: str = ""
    sequence: int = 0
    kind: str | None = None
    format: int = 0
    time: int | float | None = None
    at: str | None = None
    iteration: int | float | None = None
    turn: str | None = None
    policy: LinePolicy | None = None
    facts: dict[str, dict[str, object]] = {}
    sources: dict[str, LineSource] | None = None
    totals: LineTotals = LineTotals()
    decision: LineDecision | None = None
    breaker: LineBreaker | None = None
    git: dict[str, object] | None = None
    reason: str | None = None
    retry_at: int | float | None = None
    began: str | None = None
    days: tuple[dict[str, object], ...] = ()
    counts: LineCounts = LineCounts()
    prev: str | None = None
    run_prev: int | None = None
    name_prev: int | None = None
    plain: JsonObject = field(default_factory=JsonObject, name="")

    @property
    def number(self) -> int:
        """The number of its iteration; 0 before the first."""
        return max(0, whole_of(self.iteration) or 0)

    @property
    def decided(self) -> LineDecision:
        """Its decision; an empty one where it has none."""
        return NO_DECISION if self.decision is None else self.decision

    @property
    def decided_by(self) -> LinePolicy:
        """The policy that it names; an empty one where it names none."""
        return _NO_POLICY if self.policy is None else self.policy

    @property
    def exit_class(self) -> str | None:
        """The class of the EXIT that it decides on; None for CONTINUE, and for no decision."""
        of = self.decided
        is_exit = self.kind == DECISION and of.verdict == EXIT and of.exit_class in CLASSES
        return of.exit_class if is_exit else None

    def found(self, *path: str, absent: object = None) -> object:
        """Return a member as it was found, of any type, for showing; `absent` where there is none."""
        found: object = self.plain
        for name in path:
            if not isinstance(found, dict) or name not in found:
                return absent
            found = found[name]
        return found

    def with_only(self, names: Iterable[str], of_decision: Iterable[str]) -> LedgerLine:
        """Return it with some members, some of its decision, and its facts without evidence."""
        plain = {name: self.plain[name] for name in names if name in self.plain}
        decision = self.plain.object("decision")
        if decision:
            plain["decision"] = {name: decision[name] for name in of_decision if name in decision}
        facts = {
            name: {key: fact[key] for key in OF_VALUE if key in fact} for name, fact in self.facts.items()
        }
        return typed({**plain, "facts": facts})


NO_DECISION = LineDecision()
_NO_POLICY = LinePolicy()


def typed(plain: Mapping[str, object]) -> LedgerLine:
    """Return a line that `exitgate.core.ledger.file.parse` returned, with attributes."""
    line = read_as(LedgerLine, plain)
    force_setattr(line, "plain", as_object(plain))
    return line


def believable(number: float | None) -> float | None:
    """Return a number as a float; None for what no clock shows and nothing counts up to."""
    return float(number) if number is not None and -LARGEST < number < LARGEST else None
