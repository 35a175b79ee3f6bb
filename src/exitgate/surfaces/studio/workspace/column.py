"""One policy of the studio: as it is saved, as it is drafted, and what either decides on every run."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.engine.record import Record
from exitgate.core.model.value import with_unit
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.settings.provenance import Settled
from exitgate.recordings.incremental.records import RunRecords
from exitgate.recordings.incremental.runs import Decisions, NotKeptError, Runs
from exitgate.recordings.incremental.verdicts import Verdicts
from exitgate.surfaces.studio.workspace.policies import Draft, Origin, difference

#: A draft that changes nothing.
UNCHANGED = Draft()


class NotReadError(Exception):
    """A draft for which transcripts have to be read again."""


class Renewed(Struct, frozen=True):
    """A policy as its files now are, with the text of its own file, and its draft."""

    text: str | None
    saved: Settled
    draft: Draft
    settled: Settled


class Column:
    """
    A policy and its draft.

    Args:
        origin: Where it comes from. Raises `ExitgateError` where it cannot be used.
    """

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        #: Of its own file, before it was read: a change in between is found later.
        self.text = origin.text()
        self.saved: Settled = origin.settled()
        self.draft = UNCHANGED
        self.settled = self.saved
        #: The revision of the newest draft, or of what was taken from files since.
        self.asked = 0
        #: How often what is shown was another policy.
        self.taken = 0
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

    def gathered_anew(self, policy: CompiledPolicy, records: Sequence[RunRecords]) -> None:
        """Take what was gathered for the policy as its files now are; what was there before is dropped."""
        self._runs = [Runs(policy, records)]

    @property
    def gathers(self) -> tuple[CompiledPolicy, ...]:
        """The policies for which runs are read: the saved one, and a draft that extracts something else."""
        return tuple(runs.policy for runs in self._runs)

    def grown(self, number: int, records: Sequence[RunRecords]) -> bool:
        """Take a run anew, or the next one, as each of `gathers` finds it; return whether it is another."""
        moved = [runs.put(number, own) for runs, own in zip(self._runs, records, strict=True)]
        return any(moved)

    def record(self, number: int, at: int) -> Record | None:
        """
        Return what rules find in an iteration of a run, both counted from 0; None before it is read.

        Raises:
            NotReadError: As `verdicts`.
        """
        if self._now is None:
            return None
        try:
            return self._now.run(number).whole(at)
        except NotKeptError:
            raise NotReadError from None

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
        self.taken += 1

    def tried(self, draft: Draft) -> Settled:
        """
        Return the policy with a draft applied; a number of a parameter has the unit of its type.

        Raises:
            ExitgateError: With all that is wrong with the draft.
        """
        known = self.saved.policy.parameters
        values = {n: with_unit(v, known[n].type) if n in known else v for n, v in draft.values.items()}
        return self.origin.settled(replace(draft, values=values))

    def renewed(self) -> Renewed:
        """
        Return the policy as its files now are, with what is left of its draft.

        Raises:
            ExitgateError: It cannot be used, or the draft does not fit it any more.
        """
        text = self.origin.text()
        saved, draft = self.origin.settled(), self.draft
        if draft.text is not None and draft.text == text:
            draft = replace(draft, text=None)
        settled = self.tried(draft)
        if draft.text is None and not difference(saved.policy, settled.policy):
            draft, settled = UNCHANGED, saved
        return Renewed(text, saved, draft, settled)

    def take_saved(self, renewed: Renewed, before: Decisions, now: Decisions) -> None:
        """Let a policy as its files now are be what drafts are compared with."""
        self.text, self.saved, self._before = renewed.text, renewed.saved, before
        self.take(renewed.draft, renewed.settled, now)

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
