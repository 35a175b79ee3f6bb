"""The page of one run: its transcript is read again, whole, when somebody looks at it."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.assemble import mask_of, text_limit
from exitgate.recordings.page.cells import SIGNS
from exitgate.recordings.page.render import fragment
from exitgate.recordings.page.run import run_view
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.result import RunResult, with_run_id
from exitgate.recordings.scoring.labels import Label
from exitgate.surfaces.studio.workspace.rows import RunLine


def results_of(line: RunLine, policies: Mapping[str, CompiledPolicy]) -> list[RunResult]:
    """
    Return what policies decide on one run, with everything that was recorded of it.

    Raises:
        LookupError: The transcript does not have the run any more.
    """
    found = dry_run([line.path], dict(policies), reader=line.run.reader, to_the_end=True, keep=True)
    place = line.place * len(policies)
    results = found.results[place : place + len(policies)]
    if not results or results[0].run.iterations < line.run.iterations:
        raise LookupError(f"`{line.path}` has changed since it was read")
    return [with_run_id(result, line.run.id) for result in results]


def page_of(line: RunLine, policies: Mapping[str, CompiledPolicy], label: Label | None) -> str:
    """Return the page of a run as HTML. Raises LookupError as `results_of` does."""
    results = results_of(line, policies)
    mask = mask_of(policies.values())
    run = run_view(line.n, results, policies, label, mask, text_limit(1))
    return fragment(run, tuple(SIGNS.items()))
