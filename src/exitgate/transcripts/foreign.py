"""
Readers of other packages: loaded from their entry points, and named where they do not keep to the contract.

Exceptions of such a reader are faults of its package, reported with the file it was given, and not as one of
exitgate's; OSError passes, it is about the file.
"""

from __future__ import annotations

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import BAD_POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint
    from typing import Any

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.registry import Reader
    from exitgate.transcripts.run import Part

_NEEDED = ("ID", "TITLE", "GIVES", "fits", "read")


class Foreign:
    """A reader of another package, as `exitgate.transcripts.registry.Reader` wants one."""

    def __init__(self, point: EntryPoint, module: Reader) -> None:
        self._point = point
        self._module = module
        self.ID = point.name
        self.TITLE = module.TITLE
        self.GIVES = frozenset(module.GIVES)
        self.FOLDER = bool(getattr(module, "FOLDER", False))

    def fits(self, look: Look) -> bool:
        """Return whether its package says that the file or folder is in its format."""
        try:
            return bool(self._module.fits(look))
        except Exception as error:
            raise _fault(self._point, f"failed on a look at `{look.place.path}`", error) from error

    def claims(self, look: Look) -> frozenset[str]:
        """Return the names in a folder that its package says are its own."""
        try:
            return frozenset(self._module.claims(look))  # type: ignore[attr-defined]
        except Exception as error:
            raise _fault(self._point, f"failed on the folder `{look.place.path}`", error) from error

    def read(self, place: Place, wants: frozenset[str]) -> Iterator[Part]:
        """Yield what its package reads. Raises OSError."""
        try:
            yield from self._module.read(place, wants)
        except OSError:
            raise
        except Exception as error:
            raise _fault(self._point, f"failed on `{place.path}`", error) from error


def loaded(point: EntryPoint) -> Reader:
    """Return the reader of an entry point. Raises `ExitgateError` (65) if it is not one."""
    try:
        module = point.load()
    except Exception as error:
        raise _fault(point, "cannot be loaded", error) from error
    missing = [name for name in _NEEDED if not hasattr(module, name)]
    if missing:
        raise _error(point, f"has no `{missing[0]}`")
    found: Any = Foreign(point, module)  # methods, where the protocol has what a module has
    reader: Reader = found
    return reader


def _fault(point: EntryPoint, what: str, error: Exception) -> ExitgateError:
    first = (str(error).strip().split("\n", 1)[0])[:120]
    return _error(point, f"{what}: {type(error).__name__}{f': {first}' if first else ''}")


def _error(point: EntryPoint, what: str) -> ExitgateError:
    package = point.dist.name if point.dist is not None else point.value
    message = f"the reader `{point.name}` of `{package}` {what}"
    help = "take the package out of this environment, or fix it; see `exitgate explain EP854`"
    return ExitgateError([Diagnostic("EP854", message, help=help)], BAD_POLICY)
