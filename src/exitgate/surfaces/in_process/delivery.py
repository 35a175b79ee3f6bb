"""Whether a decision that was made in a thread reached the one who waited for it."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision
    from exitgate.surfaces.in_process.iteration import Iteration


class Unheard(Exception):  # noqa: N818 - it is never shown
    """The caller no longer waits for the check, and it was not begun."""


class Delivery:
    """
    One awaited check: made in a thread, cancelled perhaps in the event loop, in any order.

    Args:
        iteration: That is decided on.
    """

    def __init__(self, iteration: Iteration) -> None:
        self.iteration = iteration
        self.decision: Decision | None = None
        self._cancelled = False
        self._guard = threading.Lock()

    def begin(self) -> None:
        """Raise `Unheard` if the caller no longer waits: then nothing may be recorded."""
        with self._guard:
            if self._cancelled:
                raise Unheard

    def made(self, decision: Decision) -> bool:
        """Keep the decision; return whether the caller no longer waits for it."""
        with self._guard:
            self.decision = decision
            return self._cancelled

    def cancel(self) -> bool:
        """Say that the caller no longer waits; return whether the decision was made already."""
        with self._guard:
            self._cancelled = True
            return self.decision is not None
