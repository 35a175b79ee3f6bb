"""Coverage of policies by their cases: watches a sitting, then says what it showed."""

from __future__ import annotations

from exitgate.analysis.coverage.assemble import assemble
from exitgate.analysis.coverage.excuses import Excuse, read_excuses
from exitgate.analysis.coverage.tally import Tally
from exitgate.analysis.results.coverage import Coverage
from exitgate.core.model.diagnostic import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.cases.case import Case, Suite
    from exitgate.testing.compare import View


#: The note of a fact that a case gives by hand, as `exitgate.testing.extract` writes it.
GIVEN = "given"


class Watcher:
    """
    Watches cases while they run, of one or several files; `watch` is what a `Session` wants.

    `coverages` shows every file that was watched, in order. Equal cases show the same, and in the same
    order they name the same cases.
    """

    def __init__(self) -> None:
        self._tallies: dict[Suite, Tally] = {}
        self._cases: dict[Suite, dict[str, None]] = {}

    def watch(self, suite: Suite, case: Case, view: View) -> None:
        """Take what one decided iteration of a case shows."""
        tally = self._tallies.setdefault(suite, Tally())
        self._cases.setdefault(suite, {})[case.name] = None
        names = [*(fact.name for fact in view.program.policy.derived), "circuit.state"]
        facts = view.observed.facts
        given = [name for name in names if name in facts and facts[name].note == GIVEN]
        tally.see(case.name, view.program, view.records, view.decision, given)

    def coverages(self, unknown: bool = False) -> tuple[Coverage, ...]:
        """
        Return the coverage of each policy.

        `unknown` says that a leaf must come out unknown, too, where it can.

        Raises:
            ExitgateError: A file of a policy cannot be read again (65).
        """
        return tuple(
            assemble(
                suite.policy, tally, suite.document.file, len(self._cases[suite]), excuses_of(suite), unknown
            )
            for suite, tally in self._tallies.items()
        )


def excuses_of(suite: Suite) -> tuple[Excuse, ...]:
    """Return what the file of a suite says that no case can show."""
    document = suite.document
    section = document.root.get("coverage")
    excused = section.get("excused") if section is not None else None
    if excused is None:
        return ()

    def place(number: int) -> tuple[Location, str]:
        where = excused.items[number].place
        return where, document.lines.line(where.line)

    return tuple(read_excuses(excused.plain(), place))
