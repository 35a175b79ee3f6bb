"""Ready-made cases written into a file of tests: what is there stays as it is."""

from __future__ import annotations

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import BAD_POLICY
from exitgate.policy.document import read_document
from exitgate.policy.edits import Edit, apply, ending, offset, span
from exitgate.policy.findings import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.document import Document
    from exitgate.policy.part import Part

#: Columns before the dash of a case as `case_of` writes it.
INDENT = 2


def new_file(policy: str, cases: Sequence[str]) -> str:
    """Return a file of tests for the policy that `policy` names, relative to it, with these cases."""
    from exitgate.policy.quoting import quoted_scalar

    return f"format: 1\npolicy: {quoted_scalar(policy, 'plain', False)}\ntests:\n" + "\n".join(cases)


def with_cases(text: str, file: str, cases: Sequence[str]) -> str:
    """
    Return the text of a file of tests with cases behind its last one.

    Args:
        text: It is read as YAML; its comments, order, layout and line ends are kept.
        file: Where it came from, for messages.
        cases: Each as `exitgate.testing.counterexample.case_of` writes it.

    Raises:
        ExitgateError: 65, where it cannot be read, or its cases are not one below the other (EP518).
    """
    findings = Findings()
    document = read_document(text, file, findings)
    findings.raise_errors()
    assert document is not None
    lines = document.lines
    tests = document.root.get("tests")
    if tests is None or not tests.items:
        raise _refused(document)
    last = tests.items[-1]
    start = offset(lines, last.place.line, 1)
    before = text[start : offset(lines, last.place.line, last.place.column)]
    if before.strip() != "-":
        raise _refused(document)
    dash = len(before) - len(before.lstrip())
    end = _end(document, last)
    line_end = ending(lines)
    made = "".join(line_end + _shifted(case, dash).replace("\n", line_end) for case in cases)
    if not text[:end].endswith("\n"):
        made = line_end + made
    return apply(text, [Edit(end, end, made)])


def _end(document: Document, part: Part) -> int:
    """Return the offset behind the last line of a part; blank lines and comments below it are not its own."""
    lines, text = document.lines, document.lines.text
    own = max(one.written.end for one in part.walk() if one.written is not None)
    end = _next_line(text, max(own, span(lines, part)[1]))
    while end > own:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end].strip()
        if start < own or (line and not line.startswith("#")):
            break
        end = start
    return end


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", max(0, at - 1))
    return len(text) if end < 0 else end + 1


def _shifted(case: str, dash: int) -> str:
    """Return the case with its dash behind as many blanks."""
    lines = case.split("\n")
    return "\n".join(" " * dash + line[INDENT:] if line else line for line in lines)


def _refused(document: Document) -> ExitgateError:
    place = (document.root.get("tests") or document.root).place
    help = "write each case on lines of its own, `- name: ...`, or name a file that does not exist yet"
    message = "cases cannot be added here: they are not one below the other"
    problem = Diagnostic("EP518", message, place, help, source=document.lines.line(place.line))
    return ExitgateError([problem], BAD_POLICY)
