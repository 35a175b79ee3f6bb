"""The view on a terminal: the alternate screen while it is watched, the last view left on the usual one."""

from __future__ import annotations

import os
import sys
import time

from rich.console import Console, ConsoleDimensions
from rich.live import Live
from rich.text import Text

from exitgate.core.ledger.typed import LedgerLine
from exitgate.report.terminal import Style, cut
from exitgate.surfaces.watch.render import plain, screen
from exitgate.surfaces.watch.wakeups import of_terminal
from exitgate.surfaces.watch.watcher import Watcher, WatchOptions, follow

#: The last line of the screen.
_FOOT = "q leaves"
#: Columns between which lines read well.
NARROWEST, WIDEST = 20, 200
_SECOND = 1.0


def on_screen(asked: WatchOptions, watcher: Watcher, *, color: bool) -> tuple[str, int | None]:
    """
    Show a run on the terminal until it ends or the user leaves.

    Returns:
        The last view, to be left behind, and the exit code of the EXIT that ended the run, or None.
    """
    console = Console(file=sys.stdout, force_terminal=True, highlight=False, legacy_windows=False)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        shown = _Screen(live, color)
        with of_terminal(live.stop, shown.again) as waiting:
            code = follow(asked, watcher, waiting, shown)
    lines = screen(watcher.view(time.time()), Style(color, size()[0]))
    return plain(lines), code


def size() -> tuple[int, int]:
    """Return the columns and lines of the terminal now, columns within what reads well."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        found = os.terminal_size((80, 24))
    return max(NARROWEST, min(found.columns or 80, WIDEST)), found.lines or 24


class _Screen:
    """Draws when something is new, when the window has another size, and once a second for the clock."""

    def __init__(self, live: Live, color: bool) -> None:
        self._live = live
        self._color = color
        self._last: tuple[object, ...] = ()
        self._foot = _FOOT

    def decided(self, _: LedgerLine) -> bool:
        """The view shows it."""
        return True

    def told(self, _: str) -> None:
        """The view shows it."""

    def again(self) -> None:
        """Show the screen again; what was on it is drawn anew."""
        self._live.start()
        self._last = ()

    def waits(self, watcher: Watcher, text: str) -> None:
        """Show it in the last line."""
        self._foot, self._last = text, ()
        self.drawn(watcher)

    def drawn(self, watcher: Watcher) -> None:
        """Draw the view, unless that would show the same."""
        now = time.time()
        width, height = size()
        state = (watcher.sight, watcher.shown_troubles(), width, height, int(now / _SECOND))
        if state[1:] == self._last[1:] and self._last and state[0] is self._last[0]:
            return
        self._last = state
        style = Style(self._color, width)
        lines = screen(watcher.view(now), style, max(1, height - 1))
        lines += [""] * (height - 1 - len(lines))
        lines.append(style.paint("quiet", cut(self._foot, width)))
        # The window as it is: what COLUMNS and LINES say may be that of another one.
        self._live.console.size = ConsoleDimensions(width, height)
        text = Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop")
        self._live.update(text, refresh=True)
