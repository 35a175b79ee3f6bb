"""A line on a terminal while the world is asked: which probe, for how long, and what it wrote last."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.status import Status

    from exitgate.core.state.request import Watch


class ProbeLine:
    """
    The line, as long as it is needed; nothing of it stays, and nothing is loaded before a probe runs.

    `watch` is called with a probe, its seconds so far and its last line; it is None without a terminal.
    """

    def __init__(self) -> None:
        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        self.watch: Watch | None = self._tell if on_terminal else None
        self._status: Status | None = None

    def __enter__(self) -> ProbeLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def _tell(self, probe: str, seconds: float, line: str) -> None:
        from rich.text import Text

        from exitgate.report.wording import probing_text

        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
        self._status.update(Text(probing_text(probe, seconds, line)))
