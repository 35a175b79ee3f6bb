"""Signs of life on a terminal while something takes long."""

from __future__ import annotations

import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
            from exitgate.report.safe import safe

            shown = safe(path if len(path) <= _SHOWN else "…" + path[-_SHOWN:])
            bar.update(task, advance=1, description=Text(f"{what}  {shown}").markup)

        yield tell
