"""Options that fit their schema and still cannot be used: patterns, templates, names of groups."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.part import Part


def check_faults(extractor: object, entry: Part, options: Mapping[str, object], findings: Findings) -> None:
    """
    Report what an extractor finds wrong with its options (EP479), each fault at its own place.

    Args:
        extractor: Its module. One that has `faults` yields path, message and help from the options.
        entry: The entry under `facts:`.
        options: As the extractor takes them, lexicons resolved.
        findings: Takes the diagnostics.
    """
    faults = getattr(extractor, "faults", None)
    if faults is None:
        return
    for path, message, help in faults(options):
        findings.error("EP479", message, _part(entry, path).place, help)


def _part(entry: Part, path: Sequence[str | int]) -> Part:
    """Return the part at `path`, or the nearest above it that was written in this file."""
    for step in path:
        if isinstance(step, int) and step < len(entry.items):
            entry = entry.items[step]
        elif isinstance(step, str) and step in entry.fields:
            entry = entry.fields[step]
        else:
            break
    return entry
