"""What the sending process does with the spool: everything for one destination, signal by signal."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from exitgate.gate.incidents import note
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.otel.reasons import Reasons
from exitgate.surfaces.telemetry.switches import SIGNALS, address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.surfaces.telemetry.otel.export import Made
    from exitgate.surfaces.telemetry.spool import Waiting

    Record = dict[str, object]
    Batch = list[tuple[Waiting, Record]]

KIND = "telemetry"


class Sender:
    """
    Sends what waits for a destination.

    Args:
        folder: Descriptor of the spool.
        goal: The destination.
    """

    def __init__(self, folder: int, goal: str) -> None:
        self.folder = folder
        self.goal = goal
        self.batch: Batch = []
        self.under_way = ""

    def send(self) -> None:
        """Send everything, again until nothing new came meanwhile or the collector does not answer."""
        while True:
            lock = spool.locked(self.folder, self.goal)
            if lock is None:
                return  # whoever has it looks for what came meanwhile
            try:
                sent = self._one()
            finally:
                os.close(lock)
            # Whoever wrote a record while the lock was held left it to this process.
            if not sent or not spool.waiting(self.folder, self.goal):
                return

    def fail(self, signal: str, reason: str) -> None:
        """Note that a signal was not taken: a try more for its records, an incident for an outage's first."""
        where = address(os.environ, signal)
        affected = [(one, record) for one, record in self.batch if signal in one.left]
        self.batch = [
            (spool.moved(self.folder, one, one.left, one.tries + 1), record)
            if signal in one.left
            else (one, record)
            for one, record in self.batch
        ]
        if affected and all(one.tries == 0 for one, _ in affected):
            word = SIGNALS[signal][0].lower()
            text = f"{word} of decisions could not be sent to {where}: {reason}; the next one tries again"
            self._note(affected, text)

    def _one(self) -> bool:
        """Send one batch; return whether all of it was taken."""
        now = time.time_ns()
        found = spool.waiting(self.folder, self.goal)
        read = [(one, spool.taken(self.folder, one)) for one in found]
        self.batch = [(one, record) for one, record in read if record is not None and not one.is_over(now)]
        self._give_up(
            [one for one, record in read if record is None],
            [(one, record) for one, record in read if record is not None and one.is_over(now)],
        )
        if not self.batch:
            return True
        from exitgate.surfaces.telemetry.otel.export import Made
        from exitgate.surfaces.telemetry.otel.totals import kept

        totals = kept(self.folder, self.goal, int(str(self.batch[0][1]["start"])))
        tried = {one.key: one.tries for one, _ in self.batch}
        for signal in SIGNALS:
            records = [record for one, record in self.batch if signal in one.left]
            if records:
                made = Made(records, totals.instance)
                self._signal(signal, made, records)
        return all(one.tries == tried[one.key] for one, _ in self.batch)

    def _signal(self, signal: str, made: Made, records: Sequence[Record]) -> None:
        self.under_way = signal
        with Reasons() as reasons:
            try:
                taken = self._export(signal, made, records)
            except Exception as error:  # whatever a library does: the record stays, the incident says it
                reasons.add(str(error) or type(error).__name__)
                taken = False
        self.under_way = ""
        if taken:
            self.batch = [
                (spool.moved(self.folder, one, one.left.replace(signal, ""), one.tries), record)
                for one, record in self.batch
            ]
        else:
            self.fail(signal, reasons.text())

    def _export(self, signal: str, made: Made, records: Sequence[Record]) -> bool:
        from exitgate.surfaces.telemetry.otel import export, totals

        if signal == "t":
            return export.send_spans(made)
        if signal == "l":
            return export.send_events(made)
        decided = [record for record in records if not record.get("error")]
        if not decided:
            return True
        before = totals.kept(self.folder, self.goal, int(str(decided[0]["start"])))
        after = export.send_metrics(made, decided, before)
        if after is not None:
            totals.keep(self.folder, self.goal, after)
        return after is not None

    def _give_up(self, spoilt: list[Waiting], over: Batch) -> None:
        spool.removed(self.folder, spoilt)
        spool.removed(self.folder, [one for one, _ in over])
        if over:
            self._note(over, "decisions that could not be sent were given up")

    def _note(self, batch: Batch, text: str) -> None:
        """Keep an incident beside each ledger that is concerned."""
        directories = [str(record.get("directory")) for _, record in batch]
        for directory in dict.fromkeys(directories):
            note(directory, KIND, text, decisions=directories.count(directory))
