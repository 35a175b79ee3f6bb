"""
Everything a page of the studio can ask: runs, one run, policies, drafts, sweeps.

Transcripts are read in a thread of its own, and what a draft moves is decided in another: a newer draft ends
the work of the one before. Nothing is written here.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from exitgate import __version__
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.records import RunRecords
from exitgate.recordings.incremental.verdicts import Verdicts
from exitgate.recordings.page.assemble import mask_of
from exitgate.recordings.scoring.labels import Labels
from exitgate.surfaces.studio.workspace.column import Column, NotReadError
from exitgate.surfaces.studio.workspace.labelled import Labelled
from exitgate.surfaces.studio.workspace.moved import Move, is_moved, summary
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.reading import Gathered, gather
from exitgate.surfaces.studio.workspace.reading_again import read_again
from exitgate.surfaces.studio.workspace.rows import Cells, RunLine, cell_json, cells, is_parted, row

#: Runs in one event.
BATCH = 100

Publish = Callable[[Mapping[str, object]], None]


class Workspace:
    """
    Recorded runs and policies that change.

    Args:
        paths: Files, folders, globs with transcripts.
        origins: The policies, at least one.
        labels: Where the runs should have stopped, of each person; the first is the user's own.
        reader: Id of the reader, or None to tell it by the content.
        publish: Takes what happens, from any thread.

    Raises:
        ExitgateError: A policy cannot be used.
    """

    def __init__(
        self,
        paths: Sequence[str],
        origins: Sequence[Origin],
        labels: Sequence[Labels] = (),
        reader: str | None = None,
        publish: Publish = lambda _: None,
    ) -> None:
        self.paths = tuple(paths)
        self.columns = {origin.name: Column(origin) for origin in origins}
        self.labelled = Labelled(labels)
        self.lines: tuple[RunLine, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.read: set[int] = set()
        #: Numbers of the runs that are going on, and how often each has grown.
        self.running: frozenset[int] = frozenset()
        self.grown: Counter[int] = Counter()
        #: What is to be said beside `notes`, by what it is said of.
        self.remarks: dict[str, str] = {}
        self.revision = 0
        self.loading: tuple[int, int] | None = None
        self.publish = publish
        self.reader = reader
        #: Held while policies and runs are changed or read.
        self.lock = threading.RLock()

    # reading

    def load(self) -> None:
        """
        Read all transcripts.

        Raises:
            ExitgateError: 64 for a reader that does not exist, 65 for labels that fit no run.
        """
        self.loading = (0, 0)
        try:
            policies = {name: column.saved.policy for name, column in self.columns.items()}
            found = self.gather(policies)
            with self.lock:
                self._take(found)
            self._decide_all()
        except ExitgateError as error:
            self.notes = (*self.notes, *(problem.message for problem in error.diagnostics))
            raise
        finally:
            self.loading = None
        self.publish({"type": "reload", "revision": self.revision})

    def _decide_all(self) -> None:
        """Decide on all runs, so that the table is there when a page asks for it."""
        for numbers in self._batches(()):
            with self.lock:
                for number in numbers:
                    self.cells(self.lines[number - 1])

    def gather(self, policies: Mapping[str, CompiledPolicy]) -> Gathered:
        """Read all transcripts for some policies. Raises `ExitgateError` as `load`."""

        def tell(done: int, known: int) -> None:
            self.loading = (done, known)
            if done == known or not done % 20:
                self.publish({"type": "progress", "done": done, "known": known})

        return gather(self.paths, policies, self.reader, tell)

    def _take(self, found: Gathered) -> None:
        self.lines = found.lines
        self.notes = found.notes
        self.revision += 1
        for name, column in self.columns.items():
            column.gathered(column.saved.policy, found.records[name])
        self.labelled.match({line.run.id: line.run.iterations for line in self.lines})

    # looking

    @property
    def version(self) -> tuple[int, ...]:
        """
        What is another once runs, labels or policies are.

        A revision begins before its policy is there: transcripts may have to be read for it.
        """
        return (self.revision, *(column.taken for column in self.columns.values()))

    @property
    def mask(self) -> Mask:
        """Hides the secrets of all policies."""
        return mask_of(column.settled.policy for column in self.columns.values())

    def state(self) -> dict[str, object]:
        """Return what a page shows around everything."""
        mask, policies, own = self.mask, [], self.labelled.own
        for column in self.columns.values():
            policy = column.settled.policy
            shown: dict[str, object] = {"name": column.name, "title": policy.title}
            policies.append({**shown, "version": policy.version, "draft": column.is_draft})
        loading = None if self.loading is None else dict(zip(("done", "known"), self.loading, strict=True))
        return {
            "version": __version__, "project": "", "revision": self.revision, "policies": policies,
            "labels": None if own is None else {"path": own.file, "people": list(self.labelled.people)},
            "runs": len(self.lines), "loading": loading, "notes": self.told(mask),
        }  # fmt: skip

    def told(self, mask: Mask) -> list[str]:
        """Return what is to be said of the transcripts."""
        return [mask.mask(note) for note in (*self.notes, *self.remarks.values())]

    def rows(self) -> dict[str, object]:
        """Return every run as a line of the table."""
        with self.lock:
            mask = self.mask
            rows = [self.row(line, mask) for line in self.lines]
            return {"revision": self.revision, "policies": list(self.columns), "rows": rows}

    def row(self, line: RunLine, mask: Mask) -> dict[str, object]:
        """Return a run as a line of the table."""
        read, live = line.n in self.read, line.n in self.running
        return row(line, self.cells(line), self.labelled, mask, read=read, live=live)

    def cells(self, line: RunLine) -> list[Cells]:
        """Return what each policy does with a run; one for which it is being read does nothing yet."""
        label = self.labelled.of(line.run.id)
        return [cells(line, _known(column, line), label) for column in self.columns.values()]

    # changing

    def draft(self, name: str, draft: Draft, visible: Sequence[int] = ()) -> dict[str, object]:
        """
        Change a policy without saving it, and begin to decide all runs anew; what moves comes as events.

        Args:
            name: Of the policy.
            draft: The whole change; one without anything takes all changes back.
            visible: Runs that are decided first, by their numbers.

        Returns the revision, and whether transcripts have to be read again.

        Raises:
            KeyError: The policy is not one of these.
            ExitgateError: With all that is wrong with the draft; then the one before stays.
        """
        column, reads = self.columns[name], False
        with self.lock:
            settled = column.tried(draft)
            self.revision += 1
            column.asked = revision = self.revision
            try:
                column.take(draft, settled, column.decisions(settled.policy))
            except NotReadError:
                reads = True
        told = (column, draft, revision, visible, reads)
        threading.Thread(target=self._follow, args=told, daemon=True).start()
        return {"revision": revision, "reads": reads}

    def _follow(
        self, column: Column, draft: Draft, revision: int, visible: Sequence[int], reads: bool
    ) -> None:
        """Decide all runs anew, those in sight first, until a newer draft comes."""
        try:
            if reads and not self._read_again(column, draft, revision):
                return
            try:
                done = self._tell_moves(column, revision, visible)
            except NotReadError:
                if not self._read_again(column, draft, revision):
                    return
                done = self._tell_moves(column, revision, visible)
            if done is not None:
                with self.lock:
                    if revision == column.asked:
                        column.moved = done
                self.publish({"type": "done", "revision": revision, "policy": column.name, "moved": done})
        except ExitgateError as error:
            problems = [found.message for found in error.diagnostics]
            self.publish({"type": "failed", "revision": revision, "problems": problems})
        except Exception as error:
            # A page that waits learns of it; the terminal shows the rest.
            problems = [f"internal error: {type(error).__name__}"]
            self.publish({"type": "failed", "revision": revision, "problems": problems})
            raise

    def _read_again(self, column: Column, draft: Draft, revision: int) -> bool:
        """Extract what a draft reads; return whether the draft is still the newest."""
        settled = column.tried(draft)

        def take(records: Sequence[RunRecords]) -> bool:
            if revision != column.asked:
                return False
            column.gathered(settled.policy, records)
            column.take(draft, settled, column.decisions(settled.policy))
            return True

        return read_again(self, settled.policy, take)

    def _tell_moves(self, column: Column, revision: int, visible: Sequence[int]) -> dict[str, object] | None:
        moves: list[Move] = []
        for numbers in self._batches(visible):
            rows = []
            with self.lock:
                if revision != column.asked:
                    return None
                for number in numbers:
                    line = self.lines[number - 1]
                    label = self.labelled.of(line.run.id)
                    before = cells(line, column.before(number - 1), label)
                    after = cells(line, column.verdicts(number - 1), label)
                    if is_moved(before, after):
                        moves.append(Move(number, before, after))
                    rows.append({"n": number, **cell_json(after), "parted": is_parted(self.cells(line))})
            self.publish({"type": "rows", "revision": revision, "policy": column.name, "rows": rows})
        return summary(moves)

    def _batches(self, visible: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield the numbers of all runs in batches, those in sight first."""
        first = [n for n in dict.fromkeys(visible) if 0 < n <= len(self.lines)][:BATCH]
        seen = set(first)
        rest = [line.n for line in self.lines if line.n not in seen]
        if first:
            yield first
        yield from (rest[at : at + BATCH] for at in range(0, len(rest), BATCH))


def _known(column: Column, line: RunLine) -> Verdicts | None:
    try:
        return column.verdicts(line.n - 1)
    except NotReadError:
        return None
