"""What can go wrong with the ledger, as the user reads it."""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ, CANNOT_WRITE, LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

#: Code -> what it means.
CODES = {
    "EP830": "the ledger is locked by another process",
    "EP831": "the state directory or the ledger cannot be written",
    "EP832": "the ledger cannot be read",
    "EP833": "the ledger was written by a newer version",
}


def locked(path: str, waited: float) -> ExitgateError:
    """Return the error for a lock that did not come free within `waited` seconds."""
    return ExitgateError(
        [
            Diagnostic(
                "EP830",
                f"`{path}` stayed locked for {waited:g} s: another check is deciding there",
                help="wait for it to end, or give this loop its own `--state-dir`",
            )
        ],
        LOCKED,
    )


def overtaken(path: str, times: int) -> ExitgateError:
    """Return the error for a check that others overtook `times` times while it read."""
    return ExitgateError(
        [
            Diagnostic(
                "EP830",
                f"`{path}`: other checks of this run interfered {counted(times, 'time')}; "
                "nothing was recorded",
                help="give each loop its own `--run NAME`",
            )
        ],
        LOCKED,
    )


def cannot_write(path: str, error: OSError | str) -> ExitgateError:
    """Return the error for a place that cannot be written; nothing was recorded."""
    return ExitgateError(
        [
            Diagnostic(
                "EP831",
                f"cannot write `{path}`: {why(error)}; nothing was recorded",
                help="free some space or fix the permissions, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_WRITE,
    )


def cannot_read(path: str, error: OSError | str) -> ExitgateError:
    """Return the error for a ledger that is there but cannot be read."""
    return ExitgateError(
        [
            Diagnostic(
                "EP832",
                f"cannot read `{path}`: {why(error)}",
                help="fix the permissions, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_READ,
    )


class NewerLineError(Exception):
    """A line has another format, `found`, than the one this version knows, `known`."""

    def __init__(self, found: object, known: int) -> None:
        super().__init__(f"format {found}")
        self.found = found
        self.known = known


class RefusingNewer:
    """
    A context in which a line of a newer version is an error that names the ledger at `path`.

    Such a line is not damaged, and passing over it would decide on half of what happened.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, NewerLineError):
            raise too_new(self._path, error.found, error.known) from error


def too_new(path: str, found: object, known: int) -> ExitgateError:
    """Return the error for a ledger whose lines have a later format than this version knows."""
    return ExitgateError(
        [
            Diagnostic(
                "EP833",
                f"`{path}` has lines of format {found}; this version knows format {known}",
                help="use the newer exitgate that wrote it, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_READ,
    )


def why(error: OSError | str) -> str:
    """Return the reason as a part of a sentence."""
    said = error if isinstance(error, str) else error.strerror or str(error)
    return said[:1].lower() + said[1:]
