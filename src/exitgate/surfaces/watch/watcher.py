"""A watcher: reads the ledger on, knows what is new, and says when the run has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from msgspec import Struct

from exitgate.core.ledger.typed import LedgerLine, believable
from exitgate.core.model.decision import CLASS_CODES
from exitgate.core.probes.turn import under_way
from exitgate.surfaces.watch.assessment import Assessor
from exitgate.surfaces.watch.ledger_tail import Mark, read_on
from exitgate.surfaces.watch.notify import Notices, Notifier
from exitgate.surfaces.watch.render import View, plain_line, text_line
from exitgate.surfaces.watch.run_state import RunState, after_line, is_decision
from exitgate.surfaces.watch.sinks import Sink, Sinks
from exitgate.surfaces.watch.view import view
from exitgate.surfaces.watch.wakeups import LEFT, Waiting, of_lines

TYPE_CHECKING = False
if TYPE_CHECKING:

    class Showing(Protocol):
        """Where it is shown."""

        def decided(self, line: LedgerLine) -> bool:
            """Show a new decision; return False when the reader is gone."""

        def told(self, trouble: str) -> None:
            """Show what could not be read or done."""

        def drawn(self, watcher: Watcher) -> None:
            """Show how things are now."""

        def waits(self, watcher: Watcher, text: str) -> None:
            """Show what is waited for, when all else is done."""

    #: Writes a text at once; False when the reader is gone.
    Write = Callable[[str], bool]


#: Troubles shown at once, and new decisions after which one is not shown any more.
TROUBLES, TOLD_FOR = 3, 5
_INFINITE = float("inf")


class Update(Struct, frozen=True):
    """
    What one look at the ledger found.

    Args:
        decisions: New decisions of the run watched, oldest first, each a line of the ledger.
        troubles: What could not be read since the last look.
        ended: Exit code of the EXIT that ended the run, or None. Lines behind it are read by the next look.
    """

    decisions: tuple[LedgerLine, ...] = ()
    troubles: tuple[str, ...] = ()
    ended: int | None = None


class Watcher:
    """
    Looks at the ledger of `directory` again and again.

    The first look takes what is there: its decisions are not new. So are those of a ledger that is another
    than before, as far as they are not later than all that was seen. `over_before` says that the run was
    over when the first look found it.
    """

    def __init__(self, directory: str, wanted: str | None) -> None:
        self.directory = directory
        self.sight = RunState(wanted)
        self.missing = ""
        self.absent = False
        self._judge = Assessor(directory)
        self.over_before = False
        self._mark: Mark | None = None
        self._looked = False
        self._newest = -_INFINITE
        self._waiting: tuple[LedgerLine, ...] = ()
        self._troubles: tuple[tuple[str, int], ...] = ()
        self._decided = 0
        self.more = False

    def look(self) -> Update:
        """Take what is new; `more` says that more is there: of a long stretch, or behind an EXIT."""
        if self._waiting:
            return self._take(self._waiting, (), -_INFINITE)
        news, mark = read_on(self.directory, self._mark, self.sight.wanted)
        first, self._mark = not self._looked, mark
        told = news.troubles
        if news.missing and news.missing != self.missing and not first:
            told = (*told, news.missing)
        # What could not be read at first may be old; what was missing is new when it comes.
        self._looked = self._looked or not news.missing or news.absent
        self.missing, self.absent, self.more = news.missing, news.absent, news.more
        self.keep(told)
        if not news.begun:
            return self._take(news.lines, told, -_INFINITE)
        self.sight = RunState(self.sight.wanted, news.run)
        found = self._take(news.lines, told, _INFINITE if first else self._newest)
        self.over_before = first and found.ended is not None
        return found

    def view(self, now: float) -> View:
        """Return what to show at `now`, seconds since the epoch."""
        asked = under_way(self.directory)
        return view(self.sight, self._judge.of(self.sight), now, self.shown_troubles(), asked)

    def shown_troubles(self) -> tuple[str, ...]:
        """Return the newest troubles, and that there is no ledger as long as there is none."""
        told = (text for text, since in self._troubles if self._decided - since < TOLD_FOR)
        rest = tuple(text for text in told if text != self.missing)[-TROUBLES:]
        return (*rest, self.missing) if self.missing else rest

    def keep(self, troubles: Sequence[str]) -> None:
        """Take up troubles, of the ledger or of others, to be shown for a while."""
        new = tuple((text, self._decided) for text in troubles if text != self.missing)
        self._troubles = (*self._troubles, *new)[-TROUBLES:]

    def _take(self, lines: tuple[LedgerLine, ...], troubles: tuple[str, ...], known: float) -> Update:
        """Take lines in; those later than `known`, seconds since the epoch, are new."""
        decisions: list[LedgerLine] = []
        self._waiting = ()
        for place, line in enumerate(lines):
            mine = self.sight.follows(line)
            self.sight = after_line(self.sight, line)
            at = believable(line.time)
            self._newest = max(self._newest, -_INFINITE if at is None else at)
            if mine and is_decision(line) and (known == -_INFINITE or (at is not None and at > known)):
                decisions.append(line)
                if self.sight.ended is not None:
                    self._waiting = lines[place + 1 :]
                    break
        self._decided += len(decisions)
        self.more = self.more or bool(self._waiting)
        told = decisions[-1:] if known < _INFINITE else [self.sight.last]
        ended = self.sight.ended if told and told[0] is self.sight.last else None
        return Update(tuple(decisions), troubles, None if ended is None else CLASS_CODES[ended])


# What a watcher is asked for.


class WatchOptions(Struct, frozen=True):
    """
    How to watch.

    Args:
        directory: The state directory.
        wanted: Name or id of a run, or None for the newest.
        follow: Stay when the run has ended, for the next.
        interval: Seconds between two looks.
        json: Decisions are written as JSON lines.
        command: Words of the command that gets an EXIT, or none.
        sinks: Services that are notified of it.
    """

    directory: str
    wanted: str | None = None
    follow: bool = False
    interval: float = 0.5
    json: bool = False
    command: tuple[str, ...] = ()
    sinks: tuple[Sink, ...] = ()


# Following a run until it ends: look, show, wait, and again; the same for a screen and for lines.

#: Seconds for the command of `--notify` until it is said that it is waited for.
PATIENCE = 1.0
_WAITS = "waiting for what --notify started; Ctrl-C ends it"


def follow(asked: WatchOptions, watcher: Watcher, waiting: Waiting, showing: Showing) -> int | None:
    """
    Show a run until it ends or the user leaves; Ctrl-C leaves as a key does.

    Returns:
        The exit code of the EXIT that ended the run; None when the user or the reader left.
    """
    notices = notifier_of(asked)
    code: int | None = None
    try:
        try:
            with suppress(KeyboardInterrupt):
                code = _follow(asked, watcher, waiting, showing, notices)
        finally:  # a signal that ends the watcher ends no command that tells somebody of an EXIT
            troubles = _awaited(notices, watcher, showing)
            watcher.keep(troubles)
            for trouble in troubles:
                showing.told(trouble)
    except BaseException:  # but one that comes while it is waited for does
        notices.end()
        raise
    return code


def notifier_of(asked: WatchOptions) -> Notifier:
    """Return what notifies of EXITs."""
    return Notifier(Notices(asked.command, asked.directory), Sinks(asked.sinks, asked.directory))


def _awaited(notices: Notifier, watcher: Watcher, showing: Showing) -> tuple[str, ...]:
    """Wait for commands that are under way; return what went wrong. A second Ctrl-C ends them."""
    try:
        troubles = notices.wait(PATIENCE)
        if notices.under_way:
            showing.waits(watcher, _WAITS)
            troubles = (*troubles, *notices.wait())
    except KeyboardInterrupt:
        return notices.end()
    return troubles


def _follow(
    asked: WatchOptions, watcher: Watcher, waiting: Waiting, showing: Showing, notices: Notifier
) -> int | None:
    while True:
        found = watcher.look()
        troubles = list(found.troubles)
        for line in found.decisions:
            if not showing.decided(line):
                return None
            troubles += notices.tell(line)
        troubles += notices.done()
        for trouble in troubles:
            showing.told(trouble)
        watcher.keep(troubles[len(found.troubles) :])
        showing.drawn(watcher)
        if found.ended is not None and not asked.follow:
            return found.ended
        if waiting.wait(0 if watcher.more else asked.interval) == LEFT:
            return None


# Decisions as lines, each written and flushed as soon as it is there; remarks go to stderr.


def in_lines(asked: WatchOptions, watcher: Watcher, out: int, write: Write, remark: Write) -> int | None:
    """
    Write a line for each new decision until the run ends or the reader is gone.

    Args:
        asked: How to watch.
        watcher: Of the ledger.
        out: Descriptor of what `write` writes to; -1 for none.
        write: Takes lines.
        remark: Takes sentences on what could not be read, and on what is waited for.

    Returns:
        The exit code of the EXIT that ended the run, or None.
    """
    with of_lines(out) as waiting:
        return follow(asked, watcher, waiting, _Lines(asked, write, remark))


class _Lines:
    def __init__(self, asked: WatchOptions, write: Write, remark: Write) -> None:
        self._form = plain_line if asked.json else text_line
        self._write = write
        self._remark = remark
        self._standing = ""

    def decided(self, line: LedgerLine) -> bool:
        """Write it."""
        return self._write(self._form(line))

    def told(self, trouble: str) -> None:
        """Tell it on stderr; what becomes of that ends nothing."""
        self._remark(f"warning: {trouble}")

    def drawn(self, watcher: Watcher) -> None:
        """Say which run is followed when that changes."""
        standing = f"watching {watcher.sight.run}" if watcher.sight.run is not None else "waiting for a run"
        if standing != self._standing:
            self._remark(standing)
            self._standing = standing

    def waits(self, _: Watcher, text: str) -> None:
        """Say it."""
        self._remark(text)


# Diagnostic codes of watching.

#: Code -> what it means.
CODES = {
    "EP582": "the command of `--notify` cannot be started",
    "EP583": "there is no run to show",
}
