"""Lines of `events-*.jsonl`: where a loop starts and ends, and the reports of its agents in between."""

from __future__ import annotations

import json

from exitgate.model.value import Value
from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.ralph_orchestrator_log import class_of
from exitgate.transcripts.readers.ralph_orchestrator_names import is_event, object_of
from exitgate.transcripts.run import End, Problem
from exitgate.transcripts.values import count_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place

_LOOP = "loop"
_END_TOPIC = "loop.terminate"
_REASON = "## Reason\n"


class Emitted(Value):
    """
    An event.

    Args:
        line: Where it is, from 1.
        at: Seconds since the epoch, or None.
        topic: Its topic.
        payload: Its text; an object as JSON.
        iteration: The loop's own number of it, or None.
        starts: Whether a loop starts with it.
        ends: How the loop ended, its end with it; else None.
    """

    __slots__ = ("at", "ends", "iteration", "line", "payload", "starts", "topic")

    def __init__(
        self,
        line: int,
        at: float | None,
        topic: str,
        payload: str,
        iteration: int | None,
        starts: bool,
        ends: End | None,
    ) -> None:
        self.line = line
        self.at = at
        self.topic = topic
        self.payload = payload
        self.iteration = iteration
        self.starts = starts
        self.ends = ends

    @property
    def said(self) -> str:
        """The event in the form in which an agent writes one."""
        return f'<event topic="{self.topic}">\n{self.payload}\n</event>'


def emitted(place: Place, problems: list[Problem]) -> Iterator[Emitted]:
    """Yield the events of a file; lines that are none are shown in `problems`. Raises OSError."""
    for number, raw in enumerate(place.lines(), 1):
        if not raw.strip():
            continue
        event = object_of(raw)
        if event is None or not is_event(event):
            problems.append(Problem(place.path, "this line is not an event", number))
            continue
        topic = text_at(event, "topic") or ""
        payload = event.get("payload")
        text = payload if isinstance(payload, str) else json.dumps(payload) if payload is not None else ""
        count = count_at(event, "iteration")
        own = event.get("hat") == _LOOP
        at = instant(event.get("ts"))
        ends = _end(text, at) if topic == _END_TOPIC else None
        starts = own and count == 0 and ends is None
        yield Emitted(number, at, topic, text, count, starts, ends)


def _end(text: str, at: float | None) -> End:
    reason = text.partition(_REASON)[2].partition("\n")[0].strip() if _REASON in text else text.strip()[:80]
    return End(class_of(reason), reason, at)
