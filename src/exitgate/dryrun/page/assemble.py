"""The whole page: runs in the order of what is at stake, policies in words, remarks on what was read."""

from __future__ import annotations

from exitgate.dryrun.page.build import run_view, stake
from exitgate.dryrun.page.cover import mask_of
from exitgate.dryrun.page.grid import rule_anchor
from exitgate.dryrun.page.verdicts import SIGNS
from exitgate.dryrun.page.view import Page, Policy, Rule
from exitgate.report.policy_page import effect_text, template_text
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.dryrun.labels import Label
    from exitgate.dryrun.page.view import Run
    from exitgate.dryrun.result import DryRun, RunResult
    from exitgate.policy.compiled import CompiledPolicy

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
    pages = Pages(policies, room_for(len(groups)) if room is None else room)
    for id, results in groups.items():
        pages.add(results, (labels or {}).get(id))
    return pages.page((*found.notes, *map(str, (*found.unread, *found.problems))))


def room_for(runs: int) -> int:
    """Return the bytes for the responses of each of so many runs: 90,000 for a few, 20,000 for a hundred."""
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
