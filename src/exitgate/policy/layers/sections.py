"""The section of exitgate in a file that other tools share."""

from __future__ import annotations

from exitgate.policy.layers.fitting import fitting
from exitgate.policy.parameters import RESERVED
from exitgate.policy.part import Part
from exitgate.policy.suggestion import nearest_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.model.diagnostic import Diagnostic
    from exitgate.policy.document import Document
    from exitgate.policy.findings import Findings

SECTION = "exit_decision"
SHARED = "project"

#: Those that settings for one policy cannot have.
OUTER = frozenset(("policy", "preset", "policies", "hooks"))


def section_of(document: Document, own: Findings, findings: Findings) -> tuple[Part, frozenset[str]]:
    """
    Return the section of a file, checked with the schema, empty if it is missing; and lost names.

    Args:
        document: The file.
        own: What was wrong with its YAML; only the section is ours.
        findings: Takes that, and what is wrong with the section's form.
    """
    root = document.root
    for found in own.sorted():
        if _is_ours(found, document):
            findings.take(found, _in_words_of_settings(found))
    part = root.get(SECTION)
    if part is None:
        _report_misspelt(root, findings)
        return Part({}, root.place), frozenset()
    if part.value is None:
        return Part({}, part.place, part.key), frozenset()
    if not isinstance(part.value, dict):
        fitting(part, "section", findings)
        return Part({}, part.place, part.key), frozenset()
    return fitting(part, "section", findings)


def parameters_in(section: Part) -> Iterator[tuple[str, Part]]:
    """Yield the short keys of a section, those that are to be parameters."""
    for key, part in section.fields.items():
        if key not in RESERVED and not key.startswith("x-"):
            yield key, part


def _is_ours(found: Diagnostic, document: Document) -> bool:
    """Return whether a problem of YAML is in the section: other tools' sections are left alone."""
    place = found.place
    if place is None:
        return True
    keys = [(part.label.line, key) for key, part in document.root.fields.items()]
    above = [key for line, key in keys if line <= place.line]
    if place.column == 1 and found.code == "EP105":
        return found.message.startswith(f"`{SECTION}`")
    return not above or above[-1] == SECTION


def _in_words_of_settings(found: Diagnostic) -> str:
    if found.code == "EP106":
        return "write the value itself"
    if found.code == "EP107":
        return "write the keys themselves"
    if found.code == "EP108":
        return "write plain data; put a text that starts with `!` in quotes"
    return found.help


def _report_misspelt(root: Part, findings: Findings) -> None:
    """Warn of a section that looks like ours under another name: it would be left alone in silence."""
    for key, part in root.fields.items():
        if nearest_name(key, [SECTION]) is not None:
            findings.warning("EP484", f"`{key}:` is not read", part.label, f"did you mean `{SECTION}:`?")
