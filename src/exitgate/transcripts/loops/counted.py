"""The plan of a loop from what it counts: how much work is left, and what it marks as done."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.loops.body import Note

#: Items that are written out.
_MOST = 10_000


class Counted:
    """
    The counts of one launch.

    Where only what is open is reported, what was closed since the first count is known to be done: there may
    be more of it, so the share that is done is never said to be greater than it is.
    """

    def __init__(self) -> None:
        self._open: int | None = None
        self._done = 0
        self._marked: set[str] = set()

    def take(self, note: Note) -> None:
        """Take what a line of the loop says."""
        if note.plan is not None:
            total, left = note.plan
            if total is not None:
                self._done = total - left
            elif self._open is not None and left < self._open:
                self._done += self._open - left
            self._open = left
            self._marked.clear()
        elif note.closed and note.key is not None and self._open and note.key not in self._marked:
            self._marked.add(note.key)
            self._open, self._done = self._open - 1, self._done + 1

    def text(self, *, begun: bool = True) -> str | None:
        """
        Return the plan as a list of boxes, each named by its number; None where nothing was counted.

        Before the loop has `begun`, a count of nothing is not a list of finished work.
        """
        if self._open is None or self._open + self._done > _MOST:
            return None
        if not begun and self._open == 0:
            return None
        total = self._open + self._done or 1  # nothing is left of what there was
        boxes = [
            f"- [{' ' if number > total - self._open else 'x'}] {number}" for number in range(1, total + 1)
        ]
        return "\n".join((f"# {self._open} open, as the loop counted", *boxes, ""))
