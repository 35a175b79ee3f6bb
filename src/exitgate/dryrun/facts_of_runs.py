"""
Facts of recorded runs in memory, and decisions on them with any settings: read once, decide often.

    runs = facts_of_runs(paths, policy)
    result = decide(runs[0], load_policy("recommended", settings={"min_confidence": "80"}))

A setting that an extractor reads (a lexicon's threshold, the name of a file) changes the facts themselves.
`same_facts` tells; `decide` raises `OtherFactsError`, and the facts must be had anew with that policy.
"""

from __future__ import annotations

from exitgate.dryrun.entries import digest_of, entries_of
from exitgate.dryrun.play import Extraction
from exitgate.dryrun.players import Decisions, Player, Spent
from exitgate.dryrun.wants import wants_of
from exitgate.model.value import Value
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gaps import marked
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.dryrun.extracted import Extracted
    from exitgate.dryrun.result import RecordedRun, RunResult
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.discover import Found


class OtherFactsError(ValueError):
    """Facts were extracted with other options than those of the policy that is to decide on them."""


class FactsOfRun(Value):
    """
    Everything that decisions on a run need. Can be pickled.

    Args:
        begin: Of the run.
        run: The run as a whole.
        extracted: What each iteration says, in order.
        costs: USD of each, as this iteration's share; None where not reported.
        digest: `exitgate.dryrun.entries.digest_of` the policy whose facts these are.
    """

    __slots__ = ("begin", "costs", "digest", "extracted", "run")

    def __init__(
        self,
        begin: Begin,
        run: RecordedRun,
        extracted: tuple[Extracted, ...],
        costs: tuple[float | None, ...],
        digest: str,
    ) -> None:
        self.begin = begin
        self.run = run
        self.extracted = extracted
        self.costs = costs
        self.digest = digest


def facts_of_runs(
    paths: Sequence[str],
    policy: CompiledPolicy,
    *,
    reader: str | None = None,
    subagents: bool = False,
    problems: list[Problem] | None = None,
) -> list[FactsOfRun]:
    """
    Return the facts of every run that `paths` lead to, in order; what cannot be read goes to `problems`.

    Args:
        paths: Files, folders, globs, URLs.
        policy: Whose facts are wanted.
        reader: Id of the reader, or None to tell it by the content.
        subagents: Whether runs of sub-agents count as runs of their own.
        problems: If given, what could not be read is added to it.
    """
    digest = digest_of(policy)
    told = [] if problems is None else problems
    runs: list[FactsOfRun] = []
    for found in discover(paths, reader):
        if found.reader is None:
            if found.trouble or found.named:
                told.append(Problem(found.place.path, found.trouble or "no reader fits it"))
            continue
        try:
            for one in _facts(found, policy, digest):
                if isinstance(one, Problem):
                    told.append(one)
                elif subagents or one.run.parent is None:
                    runs.append(one)
        except OSError as error:
            told.append(Problem(found.place.path, error.strerror or str(error)))
    return runs


def same_facts(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """Return whether what is extracted for one policy does for the other."""
    return digest_of(one) == digest_of(other)


def decide(
    facts: FactsOfRun,
    policy: CompiledPolicy,
    *,
    name: str | None = None,
    to_the_end: bool = False,
    player: Player | None = None,
) -> RunResult:
    """
    Return where a policy would have stopped a run, without extracting anything.

    Args:
        facts: Of the run.
        policy: Who decides.
        name: What it goes by in the result; its own name by default.
        to_the_end: Go on after its EXIT.
        player: `Player(name, policy)`, where many runs are decided on: then policies are compiled once.

    Raises:
        OtherFactsError: When the policy extracts other facts than these.
    """
    if player is None:
        player = Player(name or policy.name, policy)
    if player.digest != facts.digest:
        raise OtherFactsError(f"policy `{policy.name}` reads other facts than were extracted")
    decisions = Decisions(player, facts.begin, to_the_end)
    for one in facts.extracted:
        if decisions.over:
            break
        decisions.take(one)
    return decisions.result(facts.run, facts.costs)


def _facts(found: Found, policy: CompiledPolicy, digest: str) -> Iterator[FactsOfRun | Problem]:
    assert found.reader is not None
    entries = entries_of(policy)
    begin: Begin | None = None
    for part in marked(registry.load(found.reader).read(found.place, wants_of([policy]))):
        if isinstance(part, Problem):
            yield part
        elif isinstance(part, Begin):
            begin = part
            extraction, spent = Extraction(policy, part, entries), Spent()
            extracted: list[Extracted] = []
        elif isinstance(part, End):
            assert begin is not None, "a run ends that did not begin"
            run = spent.run(begin, part, found.reader)
            yield FactsOfRun(begin, run, tuple(extracted), tuple(spent.costs), digest)
        else:
            one = extraction.step(part)
            spent.add(one)
            extracted.append(one)
