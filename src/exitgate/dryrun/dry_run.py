"""Policies walked over every run that paths lead to."""

from __future__ import annotations

from exitgate.dryrun.play import Extraction, Walk
from exitgate.dryrun.result import DryRun, IterationRow, RecordedRun, RunResult
from exitgate.model.verdict import EXIT
from exitgate.policy.compile import load_policy
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gives import ALL
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.dryrun.play import Decided
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.discover import Found
    from exitgate.transcripts.recorded import RecordedIteration


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
    loaded = [(name, load_policy(name, settings=settings or {})) for name in policies]
    results: list[RunResult] = []
    problems: list[Problem] = []
    unread: list[Problem] = []
    for found in discover(paths, reader):
        if found.reader is None:
            if found.trouble or found.named:
                unread.append(Problem(found.place.path, found.trouble or "no reader fits it"))
            continue
        for one in _runs(found, loaded, to_the_end=to_the_end, keep=keep):
            if isinstance(one, Problem):
                problems.append(one)
            else:
                results.append(one)
    return DryRun(tuple(results), tuple(problems), tuple(unread))


def _runs(
    found: Found, policies: Sequence[tuple[str, CompiledPolicy]], *, to_the_end: bool, keep: bool
) -> Iterator[RunResult | Problem]:
    assert found.reader is not None
    players: list[_Player] = []
    begin: Begin | None = None
    for part in registry.load(found.reader).read(found.place, ALL):
        if isinstance(part, Problem):
            yield part
        elif isinstance(part, Begin):
            begin = part
            players = [_Player(name, policy, part, to_the_end, keep) for name, policy in policies]
        elif isinstance(part, End):
            assert begin is not None
            for player in players:
                yield player.result(begin, part, found.reader)
        else:
            for player in players:
                player.take(part)


class _Player:
    """One policy on one run under way."""

    def __init__(self, name: str, policy: CompiledPolicy, begin: Begin, to_the_end: bool, keep: bool) -> None:
        self.name = name
        self.policy = policy
        self.begin = begin
        self.to_the_end = to_the_end
        self.keep = keep
        self._extraction = Extraction(policy, begin)
        self._walk = Walk(policy, begin)
        self._rows: list[IterationRow] = []
        self._stop: IterationRow | None = None
        self._costs: list[float | None] = []
        self._tokens: list[int | None] = []
        self._decided: list[Decided] = []
        self._recorded: list[RecordedIteration] = []
        self._last_at: float | None = None

    def take(self, one: RecordedIteration) -> None:
        """Decide on the next iteration, unless the policy has said EXIT before."""
        extracted = self._extraction.step(one)
        self._costs.append(extracted.reported.cost)
        self._tokens.append(extracted.reported.tokens)
        self._last_at = one.ended_at or one.started_at or self._last_at
        if self.keep:
            self._recorded.append(one)
        if self._stop is not None and not self.to_the_end:
            return
        decided = self._walk.step(extracted)
        row = row_of(self.begin.id, self.name, one, decided)
        self._rows.append(row)
        if self.keep:
            self._decided.append(decided)
        if row.verdict == EXIT and self._stop is None:
            self._stop = row

    def result(self, begin: Begin, end: End, reader: str) -> RunResult:
        """Return the result once the run is over."""
        costs = [cost for cost in self._costs if cost is not None]
        tokens = [count for count in self._tokens if count is not None]
        run = RecordedRun(
            begin.id,
            begin.file,
            reader,
            begin.granularity,
            len(self._costs),
            sum(costs) if costs else None,
            sum(tokens) if tokens else None,
            begin.started_at,
            end.ended_at if end.ended_at is not None else self._last_at,
            end.how,
            end.why,
            begin.title,
            begin.parent,
        )
        return RunResult(
            run,
            self.name,
            self.policy.version,
            tuple(self._rows),
            self._stop,
            tuple(self._costs),
            tuple(self._decided),
            tuple(self._recorded),
        )


def row_of(run: str, policy: str, one: RecordedIteration, decided: Decided) -> IterationRow:
    """Return a decision as a row."""
    decision, spent = decided.decision, decided.extracted.reported
    return IterationRow(
        run,
        policy,
        one.index,
        decision.verdict,
        decision.exit_class,
        decision.outcome,
        decision.rule,
        decision.stage,
        decision.message,
        decision.firm,
        tuple(f"{a.rule}: {a.verdict} {a.exit_class or ''}".rstrip() for a in decision.alternatives),
        tuple(warned.message for warned in decision.warnings),
        spent.cost,
        spent.tokens,
        one.started_at,
        one.ended_at,
        one.provenance.file,
        one.provenance.first,
    )
