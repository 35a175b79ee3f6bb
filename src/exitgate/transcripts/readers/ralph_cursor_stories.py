"""A form of the dialect that logs a line a story: `2026-01-02T03:04:05Z S7 what was done`."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

_SUMMARY = "# Run Summary "
_NO_TEXT = dict.fromkeys(("response", "output", "tool_results", "prompt"), "the log keeps one line per story")
_LIMIT = 1_000_000


def story_of(line: str) -> tuple[float, str] | None:
    """Return instant and story of a line, None where it is not one."""
    words = line[:400].split(" ", 2)
    if len(words) < 3 or len(words[0]) != 20 or words[0][-1] != "Z":
        return None
    at = instant(words[0])
    story = words[1]
    return (at, story) if at is not None and story[:1] == "S" and story[1:].isdigit() else None


def is_summary(text: str) -> bool:
    """Return whether a text is the summary of a story."""
    head = text.lstrip()
    return head.startswith(_SUMMARY) and instant(head.split("\n", 1)[0].removeprefix(_SUMMARY)) is not None


def story_run(place: Place, summaries: Mapping[str, Place]) -> Iterator[Part]:
    """
    Yield the run whose iterations are the lines of a log, in their order. Raises OSError.

    Args:
        place: The log.
        summaries: Instant as names write it -> the summary of the story that was logged then.
    """
    yield Begin(place.name, PROCESS, place.path, title="one line per iteration")
    index = 0
    at: float | None = None
    for number, raw in enumerate(place.lines(), 1):
        line = raw.decode("utf-8", "replace")
        found = story_of(line)
        if found is None:
            if line.strip() and not line.startswith("#"):
                yield Problem(place.path, "this line is not a story", number)
            continue
        index += 1
        at, story = found
        summary = summaries.get(line[:20].replace(":", "-"))
        fields = {"STORY": story} if summary is None else {"STORY": story, **fields_of(summary.text(_LIMIT))}
        yield _iteration(index, Provenance(place.path, number, number), at, fields)
    yield End(ended_at=at)


def summary_run(place: Place) -> Iterator[Part]:
    """Yield the run of one iteration that a summary shows. Raises OSError."""
    text = place.text(_LIMIT)
    at = instant(text.lstrip().split("\n", 1)[0].removeprefix(_SUMMARY))
    yield Begin(place.name, PROCESS, place.path)
    lines = text.count("\n") + 1
    yield _iteration(1, Provenance(place.path, 1, lines), at, fields_of(text))
    yield End(ended_at=at)


def fields_of(text: str) -> dict[str, str]:
    """Return the list of a summary as fields in upper case."""
    found = (line[2:].partition(":") for line in text.splitlines() if line.startswith("- "))
    return {name.strip().upper(): value.strip() for name, colon, value in found if colon}


def _iteration(
    index: int, where: Provenance, at: float | None, fields: Mapping[str, str]
) -> RecordedIteration:
    return RecordedIteration(index, where, record={"fields": fields}, ended_at=at, not_known=_NO_TEXT)
