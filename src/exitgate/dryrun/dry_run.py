"""Policies walked over every run that paths lead to."""

from __future__ import annotations

from exitgate.dryrun.players import Player, Table
from exitgate.dryrun.result import DryRun
from exitgate.policy.compile import load_policy
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gives import ALL
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.dryrun.result import RunResult
    from exitgate.transcripts.discover import Found


def dry_run(
    paths: Sequence[str],
    policies: Sequence[str] = ("recommended",),
    *,
    settings: Mapping[str, str] | None = None,
    reader: str | None = None,
    to_the_end: bool = False,
    keep: bool = False,
) -> DryRun:
    """
    Return where each policy would have stopped each run. Touches no state and writes nothing.

    Args:
        paths: Files, folders, globs, URLs.
        policies: Shipped names or paths.
        settings: Parameter -> text for all of them, as `--set` takes them.
        reader: Id of the reader, or None to tell it by the content.
        to_the_end: Go on after a policy's EXIT.
        keep: Keep facts, steps and the iterations themselves in the results.

    Raises:
        ExitgateError: 65 for a policy that cannot be used.
    """
    players = [Player(name, load_policy(name, settings=settings or {})) for name in policies]
    results: list[RunResult] = []
    problems: list[Problem] = []
    unread: list[Problem] = []
    for found in discover(paths, reader):
        if found.reader is None:
            if found.trouble or found.named:
                unread.append(Problem(found.place.path, found.trouble or "no reader fits it"))
            continue
        for one in _runs(found, players, to_the_end=to_the_end, keep=keep):
            if isinstance(one, Problem):
                problems.append(one)
            else:
                results.append(one)
    return DryRun(tuple(results), tuple(problems), tuple(unread))


def _runs(
    found: Found, players: Sequence[Player], *, to_the_end: bool, keep: bool
) -> Iterator[RunResult | Problem]:
    assert found.reader is not None
    table: Table | None = None
    for part in registry.load(found.reader).read(found.place, ALL):
        if isinstance(part, Problem):
            yield part
        elif isinstance(part, Begin):
            table = Table(players, part, to_the_end, keep)
        elif isinstance(part, End):
            assert table is not None, "a run ends that did not begin"
            yield from table.results(part, found.reader)
        else:
            assert table is not None, "an iteration of no run"
            table.take(part)
