"""What the sending process does with the spool: everything for one destination, signal by signal."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence

from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.spool import Waiting, note_once
from exitgate.surfaces.telemetry.switches import SIGNALS, address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.system.portable import Folder
    from exitgate.surfaces.telemetry.instrumentation import Record
    from exitgate.surfaces.telemetry.otel.export import Made
    from exitgate.surfaces.telemetry.otel.metrics import Totals

    Batch = list[tuple[Waiting, Record]]
    from types import TracebackType


_AGAIN = "sending is retried for a while, and with the next decision"


class Sender:
    """
    Sends what waits for a destination.

    Args:
        folder: Descriptor of the spool.
        goal: The destination.
        counts: Whether a failure counts as a try of the records, of which each has a few.
    """

    def __init__(self, folder: Folder, goal: str, *, counts: bool = True) -> None:
        self.folder = folder
        self.goal = goal
        self.counts = counts
        self.under_way = ""
        self._batch: Batch = []
        self._reasons: dict[str, str] = {}

    def send(self) -> None:
        """Send everything, again until nothing new came meanwhile or the collector does not take it."""
        while True:
            lock = spool.locked(self.folder, self.goal)
            if lock is None:
                return  # the holder looks for what came meanwhile
            try:
                self._round()
            finally:
                os.close(lock)
            # A record written while the lock was held was left to this process.
            if self._reasons or not spool.waiting(self.folder, self.goal):
                return

    @property
    def failed(self) -> bool:
        """Whether there is something that the collector did not take in the latest round."""
        return bool(self._reasons)

    def give_out(self, reason: str) -> None:
        """Note that time is over, and that what was under way was not taken."""
        if self.under_way:
            self._reasons[self.under_way] = reason
        self._settle()

    def _round(self) -> None:
        """Send what waits, signal by signal; what is not taken stays for a later round."""
        now = time.time_ns()
        read = [(one, spool.taken(self.folder, one)) for one in spool.waiting(self.folder, self.goal)]
        spool.removed(self.folder, [one for one, record in read if record is None])
        whole = [(one, record) for one, record in read if record is not None]
        self._give_up([pair for pair in whole if pair[0].is_over(now)])
        self._batch, self._reasons = [pair for pair in whole if not pair[0].is_over(now)], {}
        if not self._batch:
            return
        from exitgate.surfaces.telemetry.otel.export import Made
        from exitgate.surfaces.telemetry.otel.metrics import load_totals, new_totals, save_totals

        totals = load_totals(self.folder, self.goal)
        if totals is None:
            # Kept at once: the instance is reported with the first span.
            totals = new_totals(int(str(self._batch[0][1]["start"])))
            save_totals(self.folder, self.goal, totals)
        made: Made | None = None
        for signal in SIGNALS:
            records = [record for one, record in self._batch if signal in one.left]
            if records:
                made = (
                    made if made is not None and made.records == records else Made(records, totals.instance)
                )
                self._signal(signal, made, totals)
        self._settle()

    def _signal(self, signal: str, made: Made, totals: Totals) -> None:
        self.under_way = signal
        with Reasons() as reasons:
            try:
                taken = self._export(signal, made, totals)
            except Exception as error:  # a library may raise anything: the record stays, the incident says it
                reasons.add(str(error) or type(error).__name__)
                taken = False
        if taken:
            self._batch = [
                (spool.moved(self.folder, one, one.left.replace(signal, ""), one.tries), record)
                for one, record in self._batch
            ]
        else:
            self._reasons[signal] = reasons.text()
        self.under_way = ""

    def _export(self, signal: str, made: Made, totals: Totals) -> bool:
        from exitgate.surfaces.telemetry.otel import export
        from exitgate.surfaces.telemetry.otel.metrics import save_totals

        if signal == "t":
            return export.send_spans(made)
        if signal == "l":
            return export.send_events(made)
        decided = [record for record in made.records if not record.get("error")]
        if not decided:
            return True
        after = export.send_metrics(made, decided, totals)
        if after is not None:
            save_totals(self.folder, self.goal, after)
        return after is not None

    def _settle(self) -> None:
        """Where tries count: one more for what was not taken, and an incident when an outage begins."""
        failed = [(one, record) for one, record in self._batch if any(s in one.left for s in self._reasons)]
        if not (failed and self.counts):
            return
        if all(one.tries == 0 for one, _ in failed):
            signal, reason = next(iter(self._reasons.items()))
            what = ", ".join(SIGNALS[each][0].lower() for each in self._reasons)
            where = address(os.environ, signal)
            self._note(failed, f"{what} not sent to {where}: {reason}; {_AGAIN}")
        for one, _ in failed:
            spool.moved(self.folder, one, one.left, one.tries + 1)

    def _give_up(self, over: Batch) -> None:
        spool.removed(self.folder, [one for one, _ in over])
        if over:
            self._note(over, "decisions that no collector accepted were dropped")

    def _note(self, batch: Sequence[tuple[Waiting, Record]], text: str) -> None:
        """Keep an incident beside each ledger that is concerned."""
        directories = [str(record.get("directory")) for _, record in batch]
        for directory in dict.fromkeys(directories):
            note_once(directory, text, decisions=directories.count(directory))


# Why an exporter failed: it says so to Python's logging, and to no other process.

_LOGGER = "opentelemetry"
_LIMIT = 300


class Reasons(logging.Handler):
    """Listens to OpenTelemetry's own log while it is entered."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what is said."""
        self.add(record.getMessage())

    def add(self, text: str) -> None:
        """Keep a reason."""
        self._texts.append(text)

    def text(self) -> str:
        """Return the first reason, which is the nearest to the cause, in one line."""
        first = self._texts[0] if self._texts else "no reason given"
        return " ".join(first.split())[:_LIMIT]

    def __enter__(self) -> Reasons:
        logger = logging.getLogger(_LOGGER)
        self._before = logger.propagate
        logger.propagate = False
        logger.addHandler(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        logger = logging.getLogger(_LOGGER)
        logger.removeHandler(self)
        logger.propagate = self._before
