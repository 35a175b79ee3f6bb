"""Signs of life on a terminal while something takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from exitgate.report.terminal import safe

#: Characters of a path that are shown.
_SHOWN = 48


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """
    Give a function to call with the path that is read next; it shows the path and how many there were.

    Nothing is shown if stderr is not a terminal, and nothing stays when it ends.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    columns = (SpinnerColumn(), TextColumn("{task.completed} {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def tell(path: str) -> None:
            shown = safe(path if len(path) <= _SHOWN else "…" + path[-_SHOWN:])
            bar.update(task, advance=1, description=Text(f"{what}  {shown}").markup)

        yield tell


# A bar on a terminal while transcripts are walked: how many are done of those found so far.

#: Characters of a path that are shown.
_SHOWN_BESIDE_BAR = 40


@contextmanager
def progress_bar(
    what: str, beside: Callable[[], str] = lambda: ""
) -> Iterator[Callable[[int, int, str], None]]:
    """
    Give a function to call with how many are done, how many were found, and a path.

    Shows how many are done in a second and when all will be, too. Nothing is shown if stderr is not a
    terminal, and nothing stays when it ends.

    Args:
        what: What is under way.
        beside: Gives a few words to show with it, such as what it all cost so far.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _found, _path: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.text import Text

    columns = (
        TextColumn(what), BarColumn(bar_width=24), TextColumn("{task.fields[count]}"), TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True), TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, count="")
        begun = monotonic()

        def tell(done: int, found: int, path: str) -> None:
            shown = safe(path if len(path) <= _SHOWN_BESIDE_BAR else "…" + path[-_SHOWN_BESIDE_BAR:])
            words = (rate(done, monotonic() - begun), beside(), shown)
            shown = "  ".join(word for word in words if word)
            count, total = reached(done, found), found if done else None
            bar.update(task, completed=done, total=total, count=count, description=Text(shown).markup)

        yield tell


def reached(done: int, found: int) -> str:
    """Return ``3/122``; before the first is done ``122 found``, for the work has not come to a count yet."""
    return f"{done}/{found}" if done else f"{found} found"


def rate(done: int, seconds: float) -> str:
    """Return ``12/s`` or ``20/min``; the empty text before there is one."""
    if not done or seconds < 1:
        return ""
    each = done / seconds
    return f"{each:,.0f}/s" if each >= 1 else f"{each * 60:.0f}/min"
