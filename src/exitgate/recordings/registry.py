"""
The readers there are, and which of them reads a file or folder.

A reader is a module:

    ID: str                       # file name, `--reader` word, page in the reference
    TITLE: str                    # a line for people: what writes this format
    GIVES: frozenset[str]         # what the format can say, of the words in
    `exitgate.core.model.capabilities`
    def fits(look: Look) -> bool            # by content, cheap, never raises
    def read(place: Place, wants: frozenset[str]) -> Iterator[Part]

and, where it reads whole folders, `FOLDER = True` and `def claims(look: Look) -> frozenset[str]`: names below
the folder that are its own, so that no other process reads them once more. `fits` is asked with a folder's
look only then. `read` raises OSError for what cannot be opened and nothing else, no matter what the bytes;
everything else is a `Problem`. What is not in `wants` need not be gathered. Third parties register a module
under the entry-point group `exitgate.readers`.
"""

from __future__ import annotations

from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint
    from typing import Protocol

    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe

    class Reader(Protocol):
        """A module under `exitgate.recordings.readers`; see above."""

        ID: str
        TITLE: str
        GIVES: frozenset[str]
        fits: Callable[[Probe], bool]
        read: Callable[[Location, frozenset[str]], Iterator[Part]]

    from typing import Any


GROUP = "exitgate.readers"

#: Ids in the order of asking: the stricter shapes come first.
READERS: tuple[str, ...] = (
    "exitgate-ledger",
    "exitgate-run",
    "ralph-codeharness",
    "ralph-frankbria",
    "ralph-folder",
    "ralph-iannuttall",
    "ralph-cursor",
    "ralph-wiggum",
    "forge-ledger",
    "bb3-decisions",
    "doyaken-run",
    "loop-logs",
    "ralph-snarktank",
    "git-history",
    "ralph-orchestrator",
    "orchestrator-recording",
    "autoresearch",
    "atif",
    "mini-swe-agent",
    "swe-agent",
    "openhands-sdk",
    "openhands",
    "claude-session",
    "claude-session-steps",
    "codex-rollout",
    "codex-exec",
    "claude-result",
    "claude-stream",
    "gemini-session",
    "gemini-contents",
    "pi",
    "goose",
    "copilot",
    "opencode",
    "aider",
    "cline",
    "roo",
    "iteration-lines",
)


def names() -> tuple[str, ...]:
    """Return the ids of all readers, those of third parties behind ours, in the order of asking."""
    return (*READERS, *_others())


def load(id: str) -> Reader:
    """
    Return a reader. Raises KeyError for an id that is not registered.

    Raises `ExitgateError` (65) for one of another package that cannot be loaded or is none.
    """
    if id in READERS:
        module: Reader = __import__(f"exitgate.recordings.readers.{id.replace('-', '_')}", fromlist=["read"])
        return module

    return load_foreign(_others()[id])


def sniff(look: Probe) -> str | None:
    """
    Return the id of the first reader that the file or folder fits, None where there is none.

    Raises `ExitgateError` (65) for a reader of another package that cannot be used.
    """
    for id in names():
        reader = load(id)
        if look.place.is_folder and not getattr(reader, "FOLDER", False):
            continue
        if reader.fits(look):
            return id
    return None


def _others() -> dict[str, EntryPoint]:
    global _found  # noqa: PLW0603
    if _found is None:
        from importlib.metadata import entry_points

        _found = {point.name: point for point in entry_points(group=GROUP) if point.name not in READERS}
    return _found


_found: dict[str, EntryPoint] | None = None


# Readers of other packages: loaded from their entry points, and named where they do not keep to the
# contract.
#
# Exceptions of such a reader are faults of its package, reported with the file it was given, and not as one
# of exitgate's; OSError passes, it is about the file.

_NEEDED = ("ID", "TITLE", "GIVES", "fits", "read")


class Foreign:
    """A reader of another package, as `exitgate.recordings.registry.Reader` wants one."""

    def __init__(self, point: EntryPoint, module: Reader) -> None:
        self._point = point
        self._module = module
        self.ID = point.name
        self.TITLE = module.TITLE
        self.GIVES = frozenset(module.GIVES)
        self.FOLDER = bool(getattr(module, "FOLDER", False))

    def fits(self, look: Probe) -> bool:
        """Return whether its package says that the file or folder is in its format."""
        try:
            return bool(self._module.fits(look))
        except Exception as error:
            raise _fault(self._point, f"failed on a look at `{look.place.path}`", error) from error

    def claims(self, look: Probe) -> frozenset[str]:
        """Return the names in a folder that its package says are its own."""
        try:
            return frozenset(self._module.claims(look))  # type: ignore[attr-defined]
        except Exception as error:
            raise _fault(self._point, f"failed on the folder `{look.place.path}`", error) from error

    def read(self, place: Location, wants: frozenset[str]) -> Iterator[Part]:
        """Yield what its package reads. Raises OSError."""
        try:
            yield from self._module.read(place, wants)
        except OSError:
            raise
        except Exception as error:
            raise _fault(self._point, f"failed on `{place.path}`", error) from error


def load_foreign(point: EntryPoint) -> Reader:
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
