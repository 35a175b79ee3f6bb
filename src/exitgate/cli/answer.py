"""What a command answers with; `main` writes it."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Event(Value):
    """
    Something a command did, for `--log-level`.

    Args:
        level: ``debug``, ``info`` or ``warning``.
        name: A verb in the past tense, ``policy_loaded``.
        keys: Plain values by snake-case name.
    """

    __slots__ = ("keys", "level", "name")

    def __init__(self, level: str, name: str, keys: Mapping[str, object]) -> None:
        self.level = level
        self.name = name
        self.keys = keys


class Answer(Value):
    """
    The result of a command.

    Args:
        out: The result, for stdout, line ends included.
        err: Remarks and diagnostics, for stderr.
        code: Exit code of the process.
        events: What was done, oldest first; only shown with `--log-level`.
        undecided: What the analysis of a policy did not decide, a line each; `ci` shows it.
    """

    __slots__ = ("code", "err", "events", "out", "undecided")

    def __init__(
        self,
        out: str = "",
        err: str = "",
        code: int = 0,
        events: tuple[Event, ...] = (),
        undecided: tuple[str, ...] = (),
    ) -> None:
        self.out = out
        self.err = err
        self.code = code
        self.events = events
        self.undecided = undecided
