"""Transcripts read once for all policies of the studio: the runs, and the records that rules find in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.records import RunRecords
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.facts_cache import FactsCache
from exitgate.recordings.replay.transcript import ReplayedTranscript
from exitgate.surfaces.studio.workspace.rows import RunLine

#: Called with how many transcripts are done, and how many were found so far.
Progress = Callable[[int, int], None]


class Gathered(Struct, frozen=True):
    """
    What was read.

    Args:
        lines: The runs, in order.
        records: Policy -> what its rules find in each run.
        notes: What could not be read, and what is to be said of it, for people.
        troubles: Those of the notes that say what could not be read.
    """

    lines: tuple[RunLine, ...]
    records: Mapping[str, tuple[RunRecords, ...]]
    notes: tuple[str, ...]
    troubles: tuple[str, ...] = ()


def gather(
    paths: Sequence[str],
    policies: Mapping[str, CompiledPolicy],
    reader: str | None = None,
    tell: Progress = lambda _done, _found: None,
    jobs: int | None = None,
) -> Gathered:
    """
    Read all runs that `paths` lead to. Facts are kept in the user's cache, and nothing else is written.

    Args:
        paths: Files, folders, globs, URLs.
        policies: By the names they go by.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called after each transcript.
        jobs: How many processes; None for as many as are worth their start.

    Raises:
        ExitgateError: 64 for a reader that does not exist.
    """
    places: list[tuple[str, int]] = []

    def each(walked: ReplayedTranscript) -> None:
        runs = len(walked.results) // len(policies)
        places.extend((walked.path, place) for place in range(runs))

    found = dry_run(
        paths,
        dict(policies),
        reader=reader,
        jobs=jobs,
        cache=FactsCache(),
        tell=lambda done, count, _: tell(done, count),
        gather=True,
        each=each,
    )
    lines: list[RunLine] = []
    records: dict[str, list[RunRecords]] = {name: [] for name in policies}
    for at in range(0, len(found.results), len(policies)):
        results = found.results[at : at + len(policies)]
        path, place = places[at // len(policies)]
        first = results[0]
        if not first.run.iterations:
            continue
        lines.append(RunLine(len(lines) + 1, first.run, first.costs, path, place))
        for result in results:
            assert result.records is not None
            records[result.policy].append(result.records)
    troubles = tuple(map(str, (*found.unread, *found.problems)))
    every = {name: tuple(own) for name, own in records.items()}
    return Gathered(tuple(lines), every, (*found.notes, *troubles), troubles)
