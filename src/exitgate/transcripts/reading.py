"""
The parts of every transcript that paths lead to; one that cannot be read is reported and stops no other.
"""

from __future__ import annotations

from exitgate.model.diagnostic import ExitgateError
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gaps import marked
from exitgate.transcripts.gives import ALL
from exitgate.transcripts.unread import known_reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.discover import Found
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.unread import Unread


def readable(paths: Sequence[str], reader: str | None, unread: Unread) -> Iterator[Found]:
    """
    Yield the files and folders that have a reader; `unread` is told the others.

    Raises ExitgateError (64) for a reader that does not exist.
    """
    for found in discover(paths, known_reader(reader)):
        if found.reader is None:
            unread.add(found)
        else:
            yield found


def parts_of(found: Found, unread: Unread, wants: frozenset[str] = ALL) -> Iterator[Part]:
    """Yield the parts of a transcript that has a reader; `unread` gets the reason of an early end."""
    assert found.reader is not None
    try:
        yield from marked(registry.load(found.reader).read(found.place, wants))
    except OSError as error:
        unread.fail(found.place.path, error)
    except ExitgateError as error:
        # a reader of another package that does not keep to the contract
        unread.failed += error.diagnostics
