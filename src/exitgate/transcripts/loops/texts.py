"""
Whether files whose names say little hold what an agent said in one iteration each.

They do where runners of agents wrote them, or where they are plain text: no log of an application, whose
lines have times at their heads, no data, and nothing that a reader takes for a run of its own.
"""

from __future__ import annotations

from exitgate.transcripts import registry
from exitgate.transcripts.look import look_at
from exitgate.transcripts.loops.files import PROCESSES
from exitgate.transcripts.loops.marks import LONGEST, header_of, line_of
from exitgate.transcripts.loops.series import surveyed
from exitgate.transcripts.loops.text import plain, raw_lines_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.loops.names import Named
    from exitgate.transcripts.place import Place

#: Files of a series that are looked into, and lines of each.
_FILES, _LINES = 40, 60
#: Ends of names of files with text.
_TEXTS = (".log", ".txt", ".md", ".out", ".markdown", ".stdout")
_PROCESS, _TEXT, _EMPTY, _OTHER = "process", "text", "empty", "other"


def are_texts(folder: Place, several: Sequence[Named]) -> bool:
    """Return whether the files of a series hold one iteration each."""
    kinds: set[str] = set()
    some = several if len(several) <= _FILES else (*several[: _FILES // 2], *several[-_FILES // 2 :])
    for one in some:
        try:
            kinds.add(_kind_of(look_at(folder.at(one.name)), one))
        except OSError:
            return False
        if _OTHER in kinds:
            return False
    return bool(kinds - {_EMPTY})


def _kind_of(look: Look, one: Named) -> str:
    """Return what a file holds."""
    if not look.head.strip():
        return _EMPTY
    reader = registry.sniff(look)
    if reader in PROCESSES:
        return _PROCESS
    if reader is not None and reader != "loop-logs":
        return _OTHER
    name = look.place.name.lower()
    if (
        b"\0" in look.head
        or look.text.lstrip()[:1] in ("{", "[", "<")
        or not (name.endswith(_TEXTS) or "." not in name)
    ):
        return _OTHER
    lines = [text for raw in raw_lines_in(look.head) if (text := plain(raw))]
    headers = [head for launch in surveyed(lines).launches(log=False) for head in launch.headers]
    if reader is not None and [head.header.number for head in headers if head.header] != [one.order[0]]:
        return _OTHER
    stamps = sum(_is_stamped(text) for text in lines[:_LINES])
    return _OTHER if stamps * 2 > len(lines[:_LINES]) and not headers else _TEXT


def _is_stamped(text: str) -> bool:
    line = line_of(text[:LONGEST])
    return line.stamp is not None and header_of(line) is None
