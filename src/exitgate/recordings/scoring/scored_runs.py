"""Policies scored on the labelled runs that paths lead to."""

from __future__ import annotations

from msgspec import Struct, field

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.display import counted
from exitgate.recordings.replay.loaded_runs import first_exit, load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.labels import fits, matched
from exitgate.recordings.scoring.scores import RunScore, Stop, Total, score, total
from exitgate.recordings.unread import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.model import Begin, Problem
    from exitgate.recordings.replay.executors import Executor
    from exitgate.recordings.replay.loaded_runs import LoadedRun, LoadedRuns, Read, Tell
    from exitgate.recordings.replay.replay import Decided
    from exitgate.recordings.scoring.labels import Label, Labels

    #: Id of a run, its label, and why it is not scored.
    NotScored = tuple[str, Label, str]


class Scored(Struct, frozen=True):
    """
    Policies on labelled runs.

    Args:
        policies: As they are called here, in order.
        scores: One for each run and policy, runs in order.
        totals: One for each policy.
        not_scored: Labelled runs that could not be scored, with why.
        unlabelled: Runs that have no label.
        sub_agents: Runs of sub-agents, which are not loops of their own.
        problems, unread: As in `exitgate.recordings.replay.loaded_runs.LoadedRuns`.
    """

    policies: tuple[str, ...]
    scores: tuple[RunScore, ...]
    totals: tuple[Total, ...]
    not_scored: tuple[NotScored, ...] = ()
    unlabelled: int = 0
    sub_agents: int = 0
    problems: tuple[Problem, ...] = ()
    unread: Unread = field(default_factory=Unread)


def score_runs(read: Read, labels: Labels, policies: Mapping[str, CompiledPolicy]) -> Scored:
    """
    Return how policies compare with the labels on recorded runs.

    Args:
        read: From policies to runs with their facts, as `reading` makes it.
        labels: What is right.
        policies: By what each is called in the result.

    Raises:
        ExitgateError: 65 for labels of runs that are missing.
    """
    players = {name: PolicyReplay(name, policy) for name, policy in policies.items()}
    gathered = read(players)
    chosen = choose(gathered, labels)
    scores: list[RunScore] = []
    for one, label in chosen.runs:
        assert one.extracted is not None
        for name, player in players.items():
            stop = stop_of(first_exit(player, one.begin, one.extracted[name]))
            scores.append(score(one.run.id, name, label, stop, one.costs))
    totals = tuple(total(name, [s for s in scores if s.policy == name]) for name in policies)
    return Scored(
        tuple(policies), tuple(scores), totals, chosen.not_scored, chosen.unlabelled, chosen.sub_agents,
        gathered.problems, gathered.unread,
    )  # fmt: skip


class Chosen(Struct, frozen=True):
    """Labelled runs that can be scored, labelled ones that cannot with why, and how many are left out."""

    runs: tuple[tuple[LoadedRun, Label], ...]
    not_scored: tuple[NotScored, ...]
    unlabelled: int
    sub_agents: int


def reading(
    paths: Sequence[str],
    labels: Labels,
    reader: str | None = None,
    tell: Tell = lambda _: None,
    executor: Executor | None = None,
) -> Read:
    """
    Return what reads the runs that `paths` lead to, with the facts of labelled ones only.

    Args:
        paths: Files, folders, globs, URLs.
        labels: Those whose runs are wanted.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called with each path before it is read.
        executor: Where they are read, this process by default.
    """

    def read(players: Mapping[str, PolicyReplay]) -> LoadedRuns:
        wanted = Labelled(labels)
        return load_runs(paths, players, reader=reader, wanted=wanted, tell=tell, executor=executor)

    return read


class Labelled:
    """
    Whether a run's facts are wanted: any label may be for it. It can be pickled.

    Args:
        labels: The labels.
    """

    def __init__(self, labels: Labels) -> None:
        written = {one.run for one in labels.labels}
        # The second of two runs with one id in one file has a number behind.
        written |= {
            head for head, _, tail in (name.rpartition(".") for name in written) if head and tail.isdecimal()
        }
        self._written = frozenset(written)

    def __call__(self, begin: Begin) -> bool:
        """Return whether a label may be for a run."""
        ids = (begin.id, f"{begin.file}:{begin.id}")
        return begin.parent is None and any(fits(name, id) for name in self._written for id in ids)


def choose(gathered: LoadedRuns, labels: Labels) -> Chosen:
    """
    Return the labelled runs among those that were read.

    Raises:
        ExitgateError: 65 for labels of runs that are missing.
    """
    own = [one for one in gathered.runs if one.run.parent is None]
    of = labels_of(own, labels, gathered.unread)
    runs: list[tuple[LoadedRun, Label]] = []
    not_scored: list[NotScored] = []
    for one in own:
        label = of.get(one.run.id)
        if label is None:
            continue
        if one.spoken:
            runs.append((one, label))
        else:
            why = f"the transcript has the text of none of its {counted(one.run.iterations, 'iteration')}"
            not_scored.append((one.run.id, label, why))
    return Chosen(tuple(runs), tuple(not_scored), len(own) - len(of), len(gathered.runs) - len(own))


def labels_of(own: Sequence[LoadedRun], labels: Labels, unread: Unread) -> dict[str, Label]:
    """
    Return the label of each run that has one, by the run's id; none where there are no runs at all.

    Raises:
        ExitgateError: 65 for labels of runs that are missing, with the files that could not be read.
    """
    if not own:
        return {}
    try:
        return matched(labels, {one.run.id: one.run.iterations for one in own})
    except ExitgateError as error:
        raise ExitgateError([*unread.diagnostics, *error.diagnostics], error.exit_code) from error


def stop_of(decided: Decided | None) -> Stop | None:
    """Return a decided EXIT as a stop."""
    if decided is None:
        return None
    decision = decided.decision
    assert decision.exit_class is not None
    return Stop(
        decided.extracted.index, decision.exit_class, decision.outcome, decision.rule, decision.message,
        decision.firm,
    )  # fmt: skip
