"""
The readers there are, and which of them reads a file or folder.

A reader is a module:

    ID: str                       # file name, `--reader` word, page in the reference
    TITLE: str                    # a line for people: what writes this format
    GIVES: frozenset[str]         # what the format can say, of the words in `exitgate.transcripts.gives`
    def fits(look: Look) -> bool            # by content, cheap, never raises
    def read(place: Place, wants: frozenset[str]) -> Iterator[Part]

and, where it reads whole folders, `FOLDER = True` and `def claims(look: Look) -> frozenset[str]`: names below
the folder that are its own, so that no other process reads them once more. `fits` is asked with a folder's
look only then. `read` raises OSError for what cannot be opened and nothing else, no matter what the bytes;
everything else is a `Problem`. What is not in `wants` need not be gathered. Third parties register a module
under the entry-point group `exitgate.readers`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint
    from typing import Protocol

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

    class Reader(Protocol):
        """A module under `exitgate.transcripts.readers`; see above."""

        ID: str
        TITLE: str
        GIVES: frozenset[str]
        fits: Callable[[Look], bool]
        read: Callable[[Place, frozenset[str]], Iterator[Part]]


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
        module: Reader = __import__(f"exitgate.transcripts.readers.{id.replace('-', '_')}", fromlist=["read"])
        return module
    from exitgate.transcripts.foreign import loaded

    return loaded(_others()[id])


def sniff(look: Look) -> str | None:
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
