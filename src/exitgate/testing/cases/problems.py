"""Problems in one tests.yaml, named by the path in the document where they are."""

from __future__ import annotations

from collections.abc import Iterable

from exitgate.core.model.spelling import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.document import Document
    from exitgate.testing.cases.load import Path


#: What each code stands for, one line each.
CODES = {
    "EP447": "a test gives a source that no fact of the policy uses",
    "EP490": "a test names a fact the policy does not have",
    "EP491": "a value does not match its fact or parameter",
    "EP492": "a series cannot be read or has another length",
    "EP493": "a test sets a parameter the policy does not have",
    "EP494": "a fact is given twice",
    "EP495": "an expectation that no decision can meet",
    "EP496": "an iteration the case does not have",
    "EP497": "a test names a rule the policy does not have",
    "EP498": "a table or grid cannot be expanded",
    "EP499": "two cases with the same name",
    "EP500": "the selection of tests cannot be read",
    "EP501": "no tests were found",
    "EP502": "no test is selected",
    "EP503": "a recorded run of a test cannot be used",
    "EP504": "a test gives texts beside its recorded run",
    "EP505": "an expectation that cannot be updated",
}


class Problems:
    """Adds problems of one document to the findings, each once."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self._document = document
        self._findings = findings

    def add(self, code: str, message: str, path: Path, advice: str = "") -> None:
        """Add a problem with what is at `path` of the document."""
        self._findings.error(code, message, self._document.place(path), advice)

    def no_such(self, code: str, noun: str, name: str, path: Path, names: Iterable[str]) -> None:
        """Add that the policy has no `noun` called `name`; the help says the nearest of `names`."""
        self.add(code, f"there is no {noun} `{name}`", path, suggestion(name, names, f"{noun}s"))

    @property
    def any(self) -> bool:
        """Whether anything was found."""
        return self._findings.errors() > 0
