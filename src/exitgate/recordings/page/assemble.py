"""The whole page: runs in the order of what is at stake, policies in words, remarks on what was read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.discovery import parts_of, readable
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.page.cells import SIGNS, counted
from exitgate.recordings.page.grid import rule_anchor
from exitgate.recordings.page.run import run_view, stake
from exitgate.recordings.page.view import Page, Policy, Rule, Run
from exitgate.recordings.replay.loaded_runs import LoadedRun, load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay, Table
from exitgate.recordings.replay.result import DryRun, RunResult, with_run_id
from exitgate.recordings.scoring.labels import Label, Labels, matched
from exitgate.recordings.unread import Unread
from exitgate.report.policy.description import effect_text, template_text
from exitgate.report.wording import value_text

#: Runs of which a page shows everything, those with most at stake; others are lines of its contents.
WHOLE = 100
#: Remarks that are reported.
REMARKS = 20


class Pages:
    """
    The runs of a page as they come, one after the other.

    Args:
        policies: By their names in the dry run.
        room: Bytes for the responses of each run.
    """

    def __init__(self, policies: Mapping[str, CompiledPolicy], room: int) -> None:
        self.policies = policies
        self.room = room
        self.mask = mask_of(policies.values())
        self._runs: list[tuple[tuple[float, int], Run]] = []
        self._tones: set[str] = set()
        self._whole = 0

    def add(self, results: Sequence[RunResult], label: Label | None) -> None:
        """Take the results of all policies on the next run."""
        number = len(self._runs) + 1
        self._runs.append(
            (stake(results), run_view(number, results, self.policies, label, self.mask, self.room))
        )
        self._tones |= {row.exit_class or "continue" for result in results for row in result.rows}
        self._whole += 1
        if self._whole > WHOLE:
            least = min((i for i, (_, run) in enumerate(self._runs) if run.columns), key=self._order)
            self._runs[least] = (self._runs[least][0], _brief(self._runs[least][1]))
            self._whole -= 1

    def page(self, remarks: Iterable[str]) -> Page:
        """Return the page with all runs taken so far, most at stake first."""
        order = sorted(range(len(self._runs)), key=self._order, reverse=True)
        told = [self.mask.mask(text) for text in remarks]
        if len(told) > REMARKS:
            told = [*told[:REMARKS], f"and {len(told) - REMARKS} more"]
        policies = tuple(_policy(at, *one) for at, one in enumerate(self.policies.items(), 1))
        signs = tuple((tone, sign) for tone, sign in SIGNS.items() if tone in self._tones)
        return Page(policies, tuple(self._runs[at][1] for at in order), tuple(told), signs)

    def _order(self, at: int) -> tuple[tuple[float, int], int]:
        return self._runs[at][0], -at


def page(
    found: DryRun,
    policies: Mapping[str, CompiledPolicy],
    labels: Mapping[str, Label] | None = None,
    room: int | None = None,
) -> Page:
    """
    Return what the page shows of a dry run.

    Args:
        found: Of a dry run that went to the end and kept everything.
        policies: By their names in the dry run.
        labels: Run's id -> its label.
        room: Bytes for the responses of each run; by default what fits the number of runs.
    """
    groups: dict[str, list[RunResult]] = {}
    for result in found.results:
        if result.rows:
            groups.setdefault(result.run.id, []).append(result)
    pages = Pages(policies, text_limit(len(groups)) if room is None else room)
    for id, results in groups.items():
        pages.add(results, (labels or {}).get(id))
    return pages.page((*found.notes, *map(str, (*found.unread, *found.problems))))


def text_limit(runs: int) -> int:
    """
    Return the bytes for the responses of each of so many runs: 90,000 for a few, 20,000 for a hundred.

    Calls of tools and plans have parts of that beside them.
    """
    return max(20_000, min(90_000, 1_800_000 // max(1, runs)))


def _brief(run: Run) -> Run:
    """Return the run with nothing but what its line in the contents needs."""
    nothing: tuple[()] = ()
    left = run._replace(anchor="", columns=nothing, strips=nothing, spending=None, charts=nothing)
    return left._replace(grids=nothing, facts=nothing, still=nothing, iterations=nothing)


def _policy(number: int, name: str, policy: CompiledPolicy) -> Policy:
    return Policy(
        name,
        policy.version,
        policy.title,
        tuple((p.name, value_text(p.value, p.type), p.doc) for p in policy.parameters.values()),
        tuple(
            Rule(
                rule.id,
                rule_anchor(number, at),
                effect_text(rule),
                rule.text,
                template_text(rule.because),
            )
            for at, rule in enumerate(policy.rules, 1)
        ),
    )


# From paths to a page: runs are read twice, to count and name them, then one by one to show them.


class Collected(Struct, frozen=True):
    """A page, what could not be read for it, its runs and those left out, counted."""

    page: Page
    problems: tuple[Problem, ...]
    unread: Unread
    runs: int
    sub_agents: int
    empty: int


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
    players = [PolicyReplay(name, policy) for name, policy in policies.items()]
    first = load_runs(paths, {players[0].name: players[0]}, reader=reader, wanted=lambda _: False)
    wanted = [_is_wanted(one) for one in first.runs]
    named = {one.run.id: one.run.iterations for one, is_one in zip(first.runs, wanted, strict=True) if is_one}
    marks = matched(labels, named) if labels is not None else {}
    pages = Pages(policies, text_limit(len(named)))
    shown = [one for one, is_one in zip(first.runs, wanted, strict=True) if is_one]
    for one, results in _tables(paths, players, shown, reader):
        tell(one.run.id)
        pages.add([with_run_id(result, one.run.id) for result in results], marks.get(one.run.id))
    sub_agents = sum(one.run.parent is not None for one in first.runs)
    empty = len(first.runs) - len(named) - sub_agents
    remarks = [diagnostic.message for diagnostic in first.unread.diagnostics]
    remarks += map(str, first.problems)
    remarks += [f"{counted(sub_agents, 'run')} of sub-agents not shown"] if sub_agents else []
    remarks += [f"{counted(empty, 'run')} without an iteration not shown"] if empty else []
    return Collected(pages.page(remarks), first.problems, first.unread, len(named), sub_agents, empty)


def _is_wanted(one: LoadedRun) -> bool:
    return one.run.parent is None and one.run.iterations > 0


def _tables(
    paths: Sequence[str], players: Sequence[PolicyReplay], shown: Sequence[LoadedRun], reader: str | None
) -> Iterator[tuple[LoadedRun, tuple[RunResult, ...]]]:
    """
    Yield the runs that are shown with their results, as they are read the second time.

    Loops may go on meanwhile: a run is known by its file and id, and one that has begun since is passed over.
    """
    waiting: dict[tuple[str, str], deque[LoadedRun]] = {}
    for one in shown:
        waiting.setdefault((one.begin.file, one.begin.id), deque()).append(one)
    under_way: tuple[LoadedRun, Table] | None = None
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


# Secrets hidden in everything that the page shows: a report is sent around.


def mask_of(policies: Iterable[CompiledPolicy]) -> Mask:
    """Return a mask for the secrets of all policies, each shape once."""
    shapes = {str(one["pattern"]): one for policy in policies for one in policy.mask}
    return Mask(shapes.values())
