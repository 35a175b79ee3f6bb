"""`history.jsonl` of ralph-orchestrator, and the notes that it keeps beside it."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.ralph_orchestrator_log import class_of
from exitgate.transcripts.readers.ralph_orchestrator_names import is_history, object_of
from exitgate.transcripts.run import PROCESS, Begin, End, Problem
from exitgate.transcripts.values import object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

_STARTED, _COMPLETED = "loop_started", "loop_completed"
_KILLED = "another loop was started before this one had ended"
_TITLE = 80
_LIMIT = 4_000_000
#: What a summary says of the whole loop.
_STATUS, _COUNT = "**Status:**", "**Iterations:**"
_SUMMARY = "# Loop Summary"


class History:
    """When loops started and completed, with the reason."""

    __slots__ = ("_lines", "problems")

    def __init__(self) -> None:
        self._lines: list[tuple[str, str, float | None, str]] = []
        self.problems: list[Problem] = []

    def add(self, place: Place) -> None:
        """Read a file. Raises OSError."""
        for number, raw in enumerate(place.lines(), 1):
            if not raw.strip():
                continue
            line = object_of(raw)
            if line is None or not is_history(line):
                self.problems.append(
                    Problem(place.path, "this line does not belong to a history of loops", number)
                )
                continue
            what = object_at(line, "type")
            said = text_at(what, "prompt", "reason") or ""
            self._lines.append((place.path, text_at(what, "kind") or "", instant(line.get("ts")), said))

    def end(self, begin: float, following: float | None) -> End | None:
        """Return how the loop that began at `begin` completed, before another began at `following`."""
        for _, kind, at, said in self._lines:
            if (
                kind == _COMPLETED
                and at is not None
                and at >= begin
                and (following is None or at < following)
            ):
                return End(class_of(said), said, at)
        return None

    def parts(self) -> Iterator[Part]:
        """Yield a run without iterations for each loop: all that a history tells."""
        number = 0
        running = False
        for path, kind, at, said in self._lines:
            if kind not in (_STARTED, _COMPLETED):
                continue
            if kind == _STARTED:
                if running:
                    yield End("interrupted", _KILLED)
                number += 1
                title = " ".join(said.split())[:_TITLE]
                yield Begin(f"loop-{number}", PROCESS, path, at, title)
                running = True
                continue
            if not running:
                number += 1
                yield Begin(f"loop-{number}", PROCESS, path)
            yield End(class_of(said), said, at)
            running = False
        if running:
            yield End()
        yield from self.problems


def read_note(place: Place) -> Iterator[Part]:
    """Yield a run without iterations that holds a note or state file as it is. Raises OSError."""
    text = place.text(_LIMIT)
    value = object_of(text.encode("utf-8", "replace")) or {}
    started = instant(value.get("started"))
    title = " ".join((text_at(value, "prompt") or "").split())[:_TITLE]
    yield Begin(place.name, PROCESS, place.path, started, title, files={place.path: text})
    why = ""
    if text.lstrip().startswith(_SUMMARY):
        lines = text.split("\n")
        said = [_after(lines, mark) for mark in (_STATUS, _COUNT)]
        why = f"{said[0]}; {said[1]} iterations" if said[1] else said[0]
    yield End(why=why)


def _after(lines: list[str], mark: str) -> str:
    return next((line[len(mark) :].strip() for line in lines if line.startswith(mark)), "")
