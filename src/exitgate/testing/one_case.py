"""A single case that the program writes itself: read as a tests.yaml would be, and whether it passes."""

from __future__ import annotations

from exitgate.model.place import Place
from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.testing.case import Case
from exitgate.testing.compare import compare
from exitgate.testing.expand import Written
from exitgate.testing.given import observe
from exitgate.testing.reading import read_case
from exitgate.testing.recordings import Recordings
from exitgate.testing.remarks import Remarks
from exitgate.testing.view import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.engine.program import Program

    Run = tuple[Mapping[str, object], ...]

HEAD = "format: 1\ntests:\n"
FILE = "<example>"
_PLACE = Place(FILE, 1, 1, 1, 1)


def of_facts(run: Run, stage: str) -> Case:
    """Return a case without expectations: facts of each iteration, oldest first, and the stage to ask."""
    sources: tuple[dict[str, object], ...] = ({},) * len(run)
    return Case(FILE, _PLACE, "", run, sources, {}, stage, None, ())


def read_one(text: str, program: Program) -> Case | None:
    """Return the case as tests.yaml would be read, or None where it would not be."""
    findings = Findings()
    document = read_document(HEAD + text, FILE, findings)
    if document is None or findings.errors():
        return None
    data = document.data
    assert isinstance(data, dict)
    remarks = Remarks(document, findings)
    case = read_case(
        Written(data["tests"][0], ("tests", 0)), program.policy, document, remarks, Recordings(".")
    )
    return None if findings.errors() else case


def passes(case: Case, program: Program) -> bool:
    """Return whether everything that the case expects holds."""
    observed = observe(case, program)
    records = tuple(one.record for one in observed)
    decision = program.decide(records, case.stage, notes=observed[-1].notes)
    view = View(program, case.stage, observed[-1], records, decision)
    return all(compare(want, view) is None for want in case.wants)
