"""`.exit_signals`: three lists of loop numbers, the newest five of each."""

from __future__ import annotations

from exitgate.hosts.ralph.files import count_in, object_in
from exitgate.model.quick_json import dumps
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.ralph.said import Said

#: Entries of a list that are kept.
WINDOW = 5


class Signals(Value):
    """
    The loops in which something was said.

    Args:
        test_only: Loops that ran tests and did nothing else.
        done: Loops that said that the work is done.
        indicators: Loops that gave the exit signal.
    """

    __slots__ = ("done", "indicators", "test_only")

    def __init__(
        self,
        test_only: tuple[object, ...] = (),
        done: tuple[object, ...] = (),
        indicators: tuple[object, ...] = (),
    ) -> None:
        self.test_only = test_only
        self.done = done
        self.indicators = indicators

    def __bool__(self) -> bool:
        return bool(self.test_only or self.done or self.indicators)

    def after(self, said: Said, loop: int) -> Signals:
        """Return the lists after a loop that said this: tests alone add, changed files clear the first."""
        tests = (*self.test_only, loop) if said.test_only else () if said.files else self.test_only
        done = (*self.done, loop) if said.done else self.done
        indicators = (*self.indicators, loop) if said.exit else self.indicators
        return Signals(tests[-WINDOW:], done[-WINDOW:], indicators[-WINDOW:])

    def text(self) -> str:
        """Return the file: one line, as the loop writes it when it starts."""
        lists = [
            f"{dumps(name)}: [{', '.join(dumps(entry) for entry in entries)}]"
            for name, entries in (
                ("test_only_loops", self.test_only),
                ("done_signals", self.done),
                ("completion_indicators", self.indicators),
            )
        ]
        return "{" + ", ".join(lists) + "}\n"


def signals_in(text: str | None) -> Signals:
    """Return the lists in a file; what is missing or no list is empty, as it counts for nothing."""
    found = object_in(text) or {}

    def entries(name: str) -> tuple[object, ...]:
        value = found.get(name)
        return tuple(value) if isinstance(value, list) else ()

    return Signals(entries("test_only_loops"), entries("done_signals"), entries("completion_indicators"))


def loop_in(text: str | None) -> int:
    """Return the loop number of an analysis, 0 where it has none."""
    return count_in(object_in(text), "loop_number")
