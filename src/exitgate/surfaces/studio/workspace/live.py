"""
Runs that are going on: files are looked at while a page listens; what has changed is read and published.

A look costs a question for size and time of each transcript. One that takes long to read is read less often,
and so are folders in which new ones may appear.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.discovery import discover
from exitgate.recordings.replay.facts_cache import FactsCache
from exitgate.recordings.unread import known_reader
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.workspace.growing import rows_of, take_again
from exitgate.surfaces.studio.workspace.loops import LedgerLoops, loop_json
from exitgate.surfaces.studio.workspace.rows import RunLine
from exitgate.surfaces.studio.workspace.stamps import Stamp, stamp_of
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Seconds between two looks, and between two searches for new transcripts.
PAUSE, SEARCH = 1.0, 5.0
#: Seconds since its last change for which a run counts as going on.
FRESH = 600.0
#: How many times as long as it takes is waited before the same is done again.
RESTS = 10
_LEDGER = "exitgate-ledger"


class Live:
    """
    Follows what a workspace shows.

    Args:
        workspace: The runs; they are loaded by now, or will be.
        find: Returns where transcripts are looked for now.
        now: Seconds since the epoch.
        clock: Seconds that only ever grow.
    """

    def __init__(
        self,
        workspace: Workspace,
        find: Callable[[], Sequence[str]],
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace = workspace
        self._find = find
        self._now = now
        self._clock = clock
        self._stamps: dict[str, Stamp] = {}
        #: Transcript -> when it may be read again; the empty text for the search.
        self._rests: dict[str, float] = {}
        self._passed: dict[str, Stamp] = {}
        self._ledgers = LedgerLoops()
        self._told: list[str] = []

    def follow(self, events: Events, crashed: Callable[[Exception], None]) -> None:
        """Look again and again while a page listens, until the studio ends."""
        while events.wait_for_page() and events.pause(PAUSE):
            try:
                self.look()
            except Exception as error:
                # A look that fails is reported; the next one finds what it missed.
                crashed(error)
                if not events.pause(FRESH):
                    return

    def look(self) -> None:
        """Look once, and publish what has changed."""
        workspace = self._workspace
        if workspace.loading is not None or not workspace.revision:
            return
        changed: list[int] = []
        for path in dict.fromkeys(line.path for line in workspace.lines):
            if self._is_changed(path):
                changed += self._read(path)
        if self._may(""):
            began = self._clock()
            for path in self._new():
                changed += self._read(path)
            self._rest("", began, SEARCH)
        before = workspace.running
        workspace.running = self._running()
        changed += before ^ workspace.running
        self._publish(dict.fromkeys(changed))

    def json(self) -> list[dict[str, object]]:
        """Return what the page shows of each run that is going on, the one that moved last first."""
        workspace = self._workspace
        with workspace.lock:
            lines = [workspace.lines[n - 1] for n in workspace.running]
            lines.sort(key=lambda line: (-self._at(line), line.n))
            return [
                {
                    **loop_json(workspace, line), "at": self._at(line),
                    "ledger": self._ledgers.sections(line, self._now(), workspace.mask),
                }
                for line in lines
            ]  # fmt: skip

    # looking

    def _is_changed(self, path: str) -> bool:
        stamp = stamp_of(path)
        if path not in self._stamps:
            # It was read a moment ago, unless it changed since: reading it once more costs little.
            self._stamps[path] = stamp
            return stamp is None or self._now() - stamp[1] / 1e9 < FRESH
        return stamp != self._stamps[path] and self._may(path)

    def _read(self, path: str) -> list[int]:
        began = self._clock()
        # Before it is read: what is written meanwhile is a change.
        self._stamps[path] = stamp_of(path)
        try:
            return take_again(self._workspace, path)
        except ExitgateError as error:
            self._workspace.remarks[path] = error.diagnostics[0].message
            return []
        finally:
            self._rest(path, began, 0.0)

    def _may(self, what: str) -> bool:
        return self._clock() >= self._rests.get(what, 0.0)

    def _rest(self, what: str, began: float, least: float) -> None:
        ended = self._clock()
        self._rests[what] = ended + max(least, RESTS * (ended - began))

    def _new(self) -> list[str]:
        """Return transcripts that are not among the runs yet."""
        workspace = self._workspace
        workspace.paths = tuple(self._find())
        known = {line.path for line in workspace.lines}
        found = []
        for one in discover(workspace.paths, known_reader(workspace.reader), FactsCache().known_reader):
            path = one.place.path
            if one.reader is None or one.place.system is not None or path in known:
                continue
            stamp = stamp_of(path)
            if self._passed.get(path, ()) != stamp:
                self._passed[path] = stamp
                found.append(path)
        return found

    def _running(self) -> frozenset[int]:
        """Return the last runs of transcripts that changed of late, and open ones of ledgers."""
        last: dict[str, RunLine] = {}
        for line in self._workspace.lines:
            if line.path not in last or line.place > last[line.path].place:
                last[line.path] = line
        now = self._now()
        running = {line.n for line in last.values() if now - self._at(line) < FRESH and not _has_ended(line)}
        ledgers = {line.path for line in self._workspace.lines if line.run.reader == _LEDGER}
        for path in ledgers:
            open_ = self._ledgers.open_run(path, now)
            running |= {
                line.n for line in self._workspace.lines if line.path == path and line.run.id == open_
            }
        return frozenset(running)

    def _at(self, line: RunLine) -> float:
        """Return when the transcript of a run was last written, seconds since the epoch."""
        stamp = self._stamps.get(line.path)
        return 0.0 if stamp is None else stamp[1] / 1e9

    # telling

    def _publish(self, numbers: dict[int, None]) -> None:
        workspace = self._workspace
        for row in rows_of(workspace, list(numbers)):
            workspace.publish({"type": "live", "row": row})
        told = workspace.told(workspace.mask)
        if told != self._told:
            self._told = told
            workspace.publish({"type": "notes", "notes": told})


def _has_ended(line: RunLine) -> bool:
    return line.run.reader == _LEDGER and line.run.how not in (None, "wait")
