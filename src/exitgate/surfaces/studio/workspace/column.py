"""One policy of the studio: as it is saved, as it is drafted, and what either decides on every run."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.settings.provenance import Settled
from exitgate.recordings.incremental.records import RunRecords
from exitgate.recordings.incremental.runs import Decisions, NotKeptError, Runs
from exitgate.recordings.incremental.verdicts import Verdicts
from exitgate.surfaces.studio.workspace.policies import Draft, Origin

#: A draft that changes nothing.
UNCHANGED = Draft()


class NotReadError(Exception):
    """A draft for which transcripts have to be read again."""


class Column:
    """
    A policy and its draft.

    Args:
        origin: Where it comes from. Raises `ExitgateError` where it cannot be used.
    """

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.saved: Settled = origin.settled()
        self.draft = UNCHANGED
        self.settled = self.saved
        #: What the draft moves, as `moved.summary` has it; None while it is not known.
        self.moved: dict[str, object] | None = None
        #: What was gathered, with the policy it was gathered for: the saved one, and the last draft that
        #: extracts something else.
        self._runs: list[Runs] = []
        self._before: Decisions | None = None
        self._now: Decisions | None = None

    @property
    def name(self) -> str:
        """What it is called here."""
        return self.origin.name

    @property
    def is_draft(self) -> bool:
        """Whether it is changed and not saved."""
        return self.draft != UNCHANGED

    def gathered(self, policy: CompiledPolicy, records: Sequence[RunRecords]) -> None:
        """Take what was gathered for the policy, or for a draft that extracts something else."""
        runs = Runs(policy, records)
        if self._before is None:
            self._runs, self._before = [runs], runs.under(policy)
            self._now = self._before
        else:
            self._runs[1:] = [runs]

    def decisions(self, policy: CompiledPolicy) -> Decisions:
        """
        Return the decisions of a changed policy.

        Raises:
            NotReadError: Transcripts have to be read again for it.
        """
        for runs in reversed(self._runs):
            found = runs.under(policy)
            if found is not None:
                return found
        raise NotReadError

    def take(self, draft: Draft, settled: Settled, decisions: Decisions) -> None:
        """Let a draft be what the studio shows."""
        self.draft, self.settled, self._now = draft, settled, decisions
        self.moved = None

    def verdicts(self, number: int) -> Verdicts | None:
        """Return what is decided on a run, counted from 0; None before anything is read."""
        return None if self._now is None else _of(self._now, number)

    def before(self, number: int) -> Verdicts | None:
        """Return what the policy as it is saved decides on a run."""
        return None if self._before is None else _of(self._before, number)


def _of(decisions: Decisions, number: int) -> Verdicts:
    try:
        return decisions.of(number)
    except NotKeptError:
        raise NotReadError from None
