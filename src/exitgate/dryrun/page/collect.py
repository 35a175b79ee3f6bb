"""From paths to a page: runs are read twice, to count and name them, then one by one to show them."""

from __future__ import annotations

from collections import deque

from exitgate.dryrun.gathered_runs import gather
from exitgate.dryrun.labels import matched
from exitgate.dryrun.page.assemble import Pages, room_for
from exitgate.dryrun.page.moments import counted
from exitgate.dryrun.players import Player, Table
from exitgate.dryrun.renamed import renamed
from exitgate.model.value import Value
from exitgate.transcripts.reading import parts_of, readable
from exitgate.transcripts.run import Begin, End, Problem
from exitgate.transcripts.unread import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.dryrun.gathered_runs import GatheredRun
    from exitgate.dryrun.labels import Labels
    from exitgate.dryrun.page.view import Page
    from exitgate.dryrun.result import RunResult
    from exitgate.policy.compiled import CompiledPolicy


class Collected(Value):
    """A page, what could not be read for it, its runs and those left out, counted."""

    __slots__ = ("empty", "page", "problems", "runs", "sub_agents", "unread")

    def __init__(
        self,
        page: Page,
        problems: tuple[Problem, ...],
        unread: Unread,
        runs: int,
        sub_agents: int,
        empty: int,
    ) -> None:
        self.page = page
        self.problems = problems
        self.unread = unread
        self.runs = runs
        self.sub_agents = sub_agents
        self.empty = empty


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
    shown = [one for one, is_one in zip(first.runs, wanted, strict=True) if is_one]
    for one, results in _tables(paths, players, shown, reader):
        tell(one.run.id)
        pages.add([renamed(result, one.run.id) for result in results], marks.get(one.run.id))
    sub_agents = sum(one.run.parent is not None for one in first.runs)
    empty = len(first.runs) - len(named) - sub_agents
    remarks = [diagnostic.message for diagnostic in first.unread.diagnostics]
    remarks += map(str, first.problems)
    remarks += [f"{counted(sub_agents, 'run')} of sub-agents not shown"] if sub_agents else []
    remarks += [f"{counted(empty, 'run')} without an iteration not shown"] if empty else []
    return Collected(pages.page(remarks), first.problems, first.unread, len(named), sub_agents, empty)


def _is_wanted(one: GatheredRun) -> bool:
    return one.run.parent is None and one.run.iterations > 0


def _tables(
    paths: Sequence[str], players: Sequence[Player], shown: Sequence[GatheredRun], reader: str | None
) -> Iterator[tuple[GatheredRun, tuple[RunResult, ...]]]:
    """
    Yield the runs that are shown with their results, as they are read the second time.

    Loops may go on meanwhile: a run is known by its file and id, and one that has begun since is passed over.
    """
    waiting: dict[tuple[str, str], deque[GatheredRun]] = {}
    for one in shown:
        waiting.setdefault((one.begin.file, one.begin.id), deque()).append(one)
    under_way: tuple[GatheredRun, Table] | None = None
    told_before = Unread()  # by the first reading
    for found in readable(paths, reader, told_before):
        for part in parts_of(found, told_before):
            if isinstance(part, Begin):
                queue = waiting.get((part.file, part.id))
                if queue:
                    under_way = queue.popleft(), Table(players, part, to_the_end=True, keep=True)
                else:
                    under_way = None
            elif under_way is None or isinstance(part, Problem):
                continue
            elif isinstance(part, End):
                one, table = under_way
                assert found.reader is not None
                yield one, table.results(part, found.reader)
            else:
                under_way[1].take(part)
