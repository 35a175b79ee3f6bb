"""
Roo Code, and older versions of Cline: the folder of a task, a single file of it, or a log of conversations.

A turn is the task or a later message of the user's, and what follows. A claim of being done is what the
agent says last in its turn; one that was refused is followed by the next. Summaries that take the place of
earlier messages do not count as words. Costs and tokens are those of each call of the model, so the record of
a turn names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.look import look_at
from exitgate.transcripts.readers import roo_log
from exitgate.transcripts.readers.cline_api import is_history
from exitgate.transcripts.readers.cline_task import claimed, is_task, read_task, shown_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "roo"
TITLE = "Roo Code, task folders and logs: a user message and what follows"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK,
        gives.FILES, gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.COST, gives.TOKENS,
        gives.DENIALS,
    )
)  # fmt: skip
FOLDER = True


def fits(look: Look) -> bool:
    """Return whether it is a task's folder, a file of one, or such a log."""
    if look.place.is_folder:
        return is_task(look)
    return shown_in(look) is not None or is_history(look.value) or roo_log.fits(look)


def claims(look: Look) -> frozenset[str]:
    """Return the names of the task's files."""
    return claimed(look)


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs. Raises OSError when it cannot be read."""
    if not place.is_folder and roo_log.fits(look_at(place)):
        yield from roo_log.read(place, wants)
    else:
        yield from read_task(place, wants)
