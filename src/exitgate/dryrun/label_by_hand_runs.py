"""Recorded runs as a person looks at them to label them: as much of each iteration as fits a screen."""

from __future__ import annotations

from exitgate.dryrun.gathered_runs import unique
from exitgate.dryrun.play import Extraction, Walk
from exitgate.model.value import Unknown, Value
from exitgate.transcripts.reading import parts_of, readable
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.dryrun.extracted import Extracted
    from exitgate.dryrun.gathered_runs import Tell
    from exitgate.dryrun.players import Player
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.unread import Unread

#: Characters kept of a response.
KEPT = 100_000
#: Facts that tell how much of a plan is done, where the policy has them.
_DONE, _TOTAL = "tasks.done", "tasks.total"


class Glimpse(Value):
    """
    One iteration: its times (seconds since the epoch), USD, tokens, response, how many of the plan's tasks
    are done, and how many calls of tools there were; None where the transcript does not say.
    """

    __slots__ = ("calls", "cost", "done", "ended_at", "response", "started_at", "tokens", "total")

    def __init__(
        self,
        started_at: float | None,
        ended_at: float | None,
        cost: float | None,
        tokens: int | None,
        response: str | None,
        done: int | None,
        total: int | None,
        calls: int | None,
    ) -> None:
        self.started_at = started_at
        self.ended_at = ended_at
        self.cost = cost
        self.tokens = tokens
        self.response = response
        self.done = done
        self.total = total
        self.calls = calls


class ShownRun:
    """
    A run to be labelled.

    Args:
        id: Unique among the runs.
        title: A few words on it.
        glimpses: Its iterations.
        begin: As its reader told it.
        extracted: What the policy has read of each iteration.
        player: The policy that is asked on demand.
    """

    def __init__(
        self,
        id: str,
        title: str,
        glimpses: Sequence[Glimpse],
        begin: Begin,
        extracted: Sequence[Extracted],
        player: Player,
    ) -> None:
        self.id = id
        self.title = title
        self.glimpses = glimpses
        self._begin = begin
        self._extracted = extracted
        self._player = player
        self._verdicts: list[str] = []

    @property
    def iterations(self) -> int:
        """How many there are."""
        return len(self.glimpses)

    def verdict(self, number: int) -> str:
        """Return what the policy says after iteration `number`, continuing no matter what it said before."""
        if not self._verdicts:
            walk = Walk(self._player.policy, self._begin, self._player.program)
            for one in self._extracted:
                decision = walk.step(one).decision
                said = f"{decision.verdict} {decision.exit_class or ''}".rstrip()
                self._verdicts.append(f"{self._player.name}: {said}, {decision.message or 'no rule decides'}")
        return self._verdicts[number - 1]

    def whole(self, number: int) -> str:
        """Return all that is kept of the response of iteration `number`."""
        return self.glimpses[number - 1].response or ""


def runs_to_show(
    paths: Sequence[str],
    player: Player,
    problems: list[Problem],
    unread: Unread,
    reader: str | None = None,
    tell: Tell = lambda _: None,
) -> tuple[ShownRun, ...]:
    """
    Return the runs that `paths` lead to, those of sub-agents and those without an iteration left out.

    Args:
        paths: Files, folders, globs, URLs.
        player: The policy that is asked on demand.
        problems, unread: What could not be read is added to them.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called with each path before it is read.
    """
    read: list[tuple[Begin, list[Glimpse], list[Extracted]]] = []
    for found in readable(paths, reader, unread):
        tell(found.place.path)
        for part in parts_of(found, unread):
            if isinstance(part, Problem):
                problems.append(part)
            elif isinstance(part, Begin):
                read.append((part, [], []))
                extraction = Extraction(player.policy, part, player.entries)
            elif not isinstance(part, End):
                extracted = extraction.step(part)
                read[-1][2].append(extracted)
                read[-1][1].append(_glimpse(part, extracted))
    # Runs that are not shown have a say in what the others are called: so it is where labels are scored.
    ids = unique([(begin.id, begin.file) for begin, _, _ in read])
    return tuple(
        ShownRun(id, begin.title, glimpses, begin, extracted, player)
        for id, (begin, glimpses, extracted) in zip(ids, read, strict=True)
        if begin.parent is None and glimpses
    )


def _glimpse(one: RecordedIteration, extracted: Extracted) -> Glimpse:
    spent = extracted.reported
    response = one.response if one.response is not None else one.output
    calls = one.record.get("tool_calls")
    return Glimpse(
        one.started_at,
        one.ended_at,
        spent.cost,
        spent.tokens,
        None if response is None else response[:KEPT],
        _count(extracted, _DONE),
        _count(extracted, _TOTAL),
        len(one.tool_calls) if one.tool_calls is not None else calls if isinstance(calls, int) else None,
    )


def _count(extracted: Extracted, name: str) -> int | None:
    fact = extracted.facts.get(name)
    value = None if fact is None or isinstance(fact.value, Unknown) else fact.value
    return value if isinstance(value, int) else None
