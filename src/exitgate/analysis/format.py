"""`exitgate fmt`: conditions in canonical form, everything else as it is."""

from __future__ import annotations

from exitgate.analysis.edits import Edit, apply, collapsed, quoted_scalar, wrapped
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.policy.extending import condition_sites
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.sections.conditions import report_problems
from exitgate.core.policy.yaml.document import Document, read_document
from exitgate.core.policy.yaml.node import Written, YamlNode

#: Lines of a condition in a block (`>` or `|`) are broken here.
WIDTH = 100


def format_text(text: str, file: str) -> str:
    """
    Return a policy's text with every condition and formula in canonical form.

    Comments, order of keys, layout and line ends stay. A condition on several lines that differs
    from its canonical form only in white space keeps its lines. Formatting twice changes nothing
    more, and the policy means the same.

    Args:
        text: A policy file.
        file: Its name, for diagnostics.

    Raises:
        ExitgateError: It is not strict YAML, or a condition does not parse; exit code 65.
    """
    findings = Findings()
    document = read_document(text, file, findings)
    leaves = _leaves(document, findings) if document is not None else []
    findings.raise_errors()
    found = (canonical_edit(part.written, node) for part, node in leaves if part.written is not None)
    return apply(text, (edit for edit in found if edit is not None))


def _leaves(document: Document, findings: Findings) -> list[tuple[YamlNode, Node]]:
    """Return every condition's text with its tree, from the top of the file to its end."""
    from exitgate.core.language.syntax.parse import parse

    found = []
    for condition in condition_sites.conditions(document.root):
        for leaf in condition_sites.leaves(condition):
            if leaf.written is None or leaf.value is None:
                continue
            try:
                found.append((leaf, parse(leaf.text)))
            except LanguageError as error:
                report_problems(error.problems, leaf, findings)
    return sorted(found, key=lambda pair: pair[0].written.start if pair[0].written is not None else 0)


def canonical_edit(written: Written, node: Node) -> Edit | None:
    """
    Return the edit that puts one condition into canonical form, None where it is.

    Args:
        written: How the condition is in its file.
        node: Its tree.
    """
    from exitgate.core.language.unparse import unparse

    canonical = unparse(node)
    several_lines = "\n" in written.raw.strip()
    if written.value == canonical or (several_lines and collapsed(written.value) == canonical):
        return None
    if written.style not in "|>":
        return Edit(written.start, written.end, quoted_scalar(canonical, written.style, written.flow))
    offsets = written.offsets()
    inked = [
        offset for offset, character in zip(offsets, written.value, strict=False) if character not in " \n"
    ]
    _, column = written.lines.locate(inked[0])
    lines = wrapped(canonical, WIDTH - column + 1)
    end_of_line = "\r\n" if "\r\n" in written.raw else "\n"
    body = (end_of_line + " " * (column - 1)).join(lines)
    return Edit(inked[0], inked[-1] + 1, body)
