"""Entries under `facts:` that name files of the project: what their sources are called."""

from __future__ import annotations

from exitgate.facts.registry import OWN_FILES, own_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.policy.compiled import Extraction
    from exitgate.policy.findings import Findings
    from exitgate.policy.part import Part

#: Sources that mean the same in every policy.
SOURCES = frozenset(
    (
        "circuit", "clock", "day", "diff", "git", "output", "plan", "response", "result", "run", "task",
        "tool_calls", "tool_results",
    )
)  # fmt: skip


def source_of(prefix: str, entry: Part, extractor: str, otherwise: str, findings: Findings) -> str:
    """
    Return the source that an entry reads: `from:`, else `otherwise`; its own name where it names files.

    Args:
        prefix: Name of the entry.
        entry: The entry.
        extractor: Id of its extractor.
        otherwise: Default source of the extractor.
        findings: Takes EP202 for an entry without files, EP475 for one that would hide another source.
    """
    written = entry.get("from")
    options = OWN_FILES.get(extractor)
    if options is None:
        return written.text if written is not None else otherwise
    named = [entry.fields[option] for option in options if option in entry.fields]
    if not named and written is None:
        help = f"add `{options[0]}:` with a path below the project, or `from:` with a source"
        findings.error("EP202", f"`{prefix}` does not name its files", entry.label, help)
    name = written.text if written is not None else prefix
    if named and name in SOURCES:
        place = written.place if written is not None else entry.label
        help = "give the entry another name" if written is None else "remove `from:`, or the files"
        findings.error("EP475", f"`{name}` is the name of a built-in source", place, help)
    return name


def check_shared(extractions: Iterable[Extraction], root: Part, findings: Findings) -> None:
    """Report entries that read different files under one name of a source (EP475)."""
    first: dict[str, tuple[str, object]] = {}
    facts = root.get("facts")
    for entry in extractions:
        options = own_files(entry.extractor)
        files = {option: entry.options[option] for option in options if option in entry.options}
        if not files:
            continue
        seen = (entry.extractor, {**files, **_looked(entry)})
        if first.setdefault(entry.source, seen) != seen and facts is not None:
            message = f"source `{entry.source}` means other files in an entry above"
            help = "give this entry its own `from:`, or none"
            findings.error("EP475", message, facts.fields[entry.prefix].label, help)


def _looked(entry: Extraction) -> dict[str, object]:
    """Return the further options that change what an observer writes down."""
    contains = entry.options.get("contains")
    return {} if contains is None else {"contains": contains}
