"""Which sources of a policy are files that its own entries name, and the observer of each."""

from __future__ import annotations

from exitgate.facts.registry import own_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy, Extraction


def own(policy: CompiledPolicy, given: Mapping[str, str]) -> dict[str, Extraction]:
    """Return the entries of the policy that name files, by source; not those whose source is `given`."""
    return {
        entry.source: entry
        for entry in policy.extractions
        if entry.source not in given and any(option in entry.options for option in own_files(entry.extractor))
    }


def observe(entry: Extraction, root: str) -> Source:
    """Return the source of an entry that names files. Reads nothing outside `root`, and never raises."""
    # an extractor of another package reads one file as `json` does
    name = "json" if "." in entry.extractor else entry.extractor
    module = __import__(f"exitgate.gate.observe.{name}", fromlist=["read"])
    found: Source = module.read(entry.source, entry.options, root)
    return found
