"""What a command answers with; `main` writes it."""

from __future__ import annotations

from exitgate.model.value import Value


class Answer(Value):
    """
    The result of a command.

    Args:
        out: The result, for stdout, line ends included.
        err: Remarks and diagnostics, for stderr.
        code: Exit code of the process.
    """

    __slots__ = ("code", "err", "out")

    def __init__(self, out: str = "", err: str = "", code: int = 0) -> None:
        self.out = out
        self.err = err
        self.code = code
