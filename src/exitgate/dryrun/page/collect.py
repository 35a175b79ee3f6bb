"""From paths to a page: runs are read twice, to count and name them, then one by one to show them."""

from __future__ import annotations

from exitgate.dryrun.gathered_runs import gather, renamed
from exitgate.dryrun.labels import matched
from exitgate.dryrun.page.assemble import Pages, room_for
from exitgate.dryrun.page.moments import counted
from exitgate.dryrun.players import Player, Table
from exitgate.dryrun.result import RunResult
from exitgate.model.value import Value
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gives import ALL
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.dryrun.gathered_runs import GatheredRun
    from exitgate.dryrun.labels import Labels
    from exitgate.dryrun.page.view import Page
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.unread import Unread


class Collected(Value):
    """A page, what could not be read for it, its runs and those of sub-agents left out, counted."""

    __slots__ = ("page", "problems", "runs", "sub_agents", "unread")

    def __init__(
        self, page: Page, problems: tuple[Problem, ...], unread: Unread, runs: int, sub_agents: int
    ) -> None:
        self.page = page
        self.problems = problems
        self.unread = unread
        self.runs = runs
        self.sub_agents = sub_agents


def collect(
    paths: Sequence[str],
    policies: Mapping[str, CompiledPolicy],
    labels: Labels | None = None,
    *,
    reader: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Collected:
    """
    Return the page of all runs that `paths` lead to. Touches no state and writes nothing.

    Args:
        paths: Files, folders, globs, URLs.
        policies: By the names they go by.
        labels: Where the runs should have stopped, or None.
        reader: Id of the reader, or None to tell it by the content.
        tell: Is told the id of each run before it is looked at.

    Runs without an iteration and those of sub-agents are counted and not shown.

    Raises:
        ExitgateError: 64 for a reader that does not exist, 65 for labels that fit no run.
    """
    players = [Player(name, policy) for name, policy in policies.items()]
    first = gather(paths, {players[0].name: players[0]}, reader=reader, wanted=lambda _: False)
    wanted = [_is_wanted(one) for one in first.runs]
    named = {one.run.id: one.run.iterations for one, is_one in zip(first.runs, wanted, strict=True) if is_one}
    marks = matched(labels, named) if labels is not None else {}
    pages = Pages(policies, room_for(len(named)))
    tables = _tables(paths, players, wanted, reader)
    for one, is_one, results in zip(first.runs, wanted, tables, strict=False):
        if is_one:
            tell(one.run.id)
            pages.add([_under(result, one.run.id) for result in results], marks.get(one.run.id))
    sub_agents = sum(one.run.parent is not None for one in first.runs)
    empty = len(first.runs) - len(named) - sub_agents
    remarks = [diagnostic.message for diagnostic in first.unread.diagnostics]
    remarks += map(str, first.problems)
    remarks += [f"{counted(sub_agents, 'run')} of sub-agents not shown"] if sub_agents else []
    remarks += [f"{counted(empty, 'run')} without an iteration not shown"] if empty else []
    return Collected(pages.page(remarks), first.problems, first.unread, len(named), sub_agents)


def _is_wanted(one: GatheredRun) -> bool:
    return one.run.parent is None and one.run.iterations > 0


def _tables(
    paths: Sequence[str], players: Sequence[Player], wanted: Sequence[bool], reader: str | None
) -> Iterator[tuple[RunResult, ...]]:
    """Yield the results of each run in the order of the first reading; none for one that is not `wanted`."""
    at = 0
    table: Table | None = None
    for found in discover(paths, reader):
        if found.reader is None:
            continue
        try:
            for part in registry.load(found.reader).read(found.place, ALL):
                if isinstance(part, Begin):
                    shown = at < len(wanted) and wanted[at]
                    table = Table(players, part, to_the_end=True, keep=True) if shown else None
                elif isinstance(part, End):
                    at += 1
                    yield table.results(part, found.reader) if table is not None else ()
                elif not isinstance(part, Problem) and table is not None:
                    table.take(part)
        except OSError:
            continue  # the first reading has told


def _under(result: RunResult, id: str) -> RunResult:
    """Return the result with its run under the id that the page names it by."""
    if result.run.id == id:
        return result
    own = {name: getattr(result, name) for name in RunResult.__slots__}
    return RunResult(**{**own, "run": renamed(result.run, id)})
