"""One file of iannuttall/ralph by itself."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers import ralph_iannuttall_files as files
from exitgate.transcripts.readers.ralph_iannuttall_log import SUCCESS, told
from exitgate.transcripts.readers.ralph_iannuttall_text import parts_of
from exitgate.transcripts.readers.ralph_snarktank_log import instant as heading_instant
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

_LIMIT = 16_000_000
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results"), "the file does not contain the agent's response"
)
_RUN, _ITERATION = "Run: ", "(iteration "


def part_run(place: Place) -> Iterator[Part]:
    """Yield the run of one iteration that a log, a summary or a prompt shows. Raises OSError."""
    text = place.text(_LIMIT)
    part = files.part_of(place.name)
    kind = files.SUMMARY if files.is_summary(text) else part[1] if part is not None else files.LOG
    one = RecordedIteration(1, Provenance(place.path, 1, text.count("\n") + 1))
    title = "" if part is None else f"iteration {part[2]} of {part[0]}"
    if kind == files.SUMMARY:
        summary = files.summary_of(place)
        one = one.but(
            started_at=instant(summary.fields.get("started")),
            ended_at=instant(summary.fields.get("ended")),
            exit_status=0 if summary.fields.get("status") == SUCCESS else None,
            files_changed=summary.changes,
            git=summary.git,
            not_known=_NO_TEXT,
        )
        title = (
            title or f"iteration {summary.fields.get('iteration', '')} of {summary.fields.get('run id', '')}"
        )
    elif kind == files.PROMPT:
        one = one.but(prompt=text, not_known=_NO_TEXT)
    else:
        one = one.but(**parts_of(text))
    yield Begin(place.name, PROCESS, place.path, one.started_at, title)
    yield one
    yield End(ended_at=one.ended_at)


def error_runs(place: Place) -> Iterator[Part]:
    """Yield a run with an iteration for each that the log of errors names. Raises OSError."""
    number = index = last = 0
    at: float | None = None
    for line, raw in enumerate(place.lines(), 1):
        one = told(raw.decode("utf-8", "replace"), line)
        if one is None or (number and one.number == last):
            continue
        if not number or one.number < last:
            if number:
                yield End(ended_at=at)
            number += 1
            index = 0
            yield Begin(f"launch-{number}", PROCESS, place.path, title="iterations with recorded errors")
        index += 1
        last, at = one.number, one.at
        yield RecordedIteration(index, Provenance(place.path, line, line), ended_at=at, not_known=_NO_TEXT)
    if number:
        yield End(ended_at=at)


def progress_runs(place: Place) -> Iterator[Part]:
    """Yield the runs whose iterations the agent's log of progress names. Raises OSError."""
    found: dict[str, dict[int, tuple[int, float | None]]] = {}
    heading, at = 0, None
    for line, raw in enumerate(place.lines(), 1):
        text = raw[:_LIMIT].decode("utf-8", "replace")
        if text.startswith("## "):
            heading, at = line, heading_instant(text)
        elif text.startswith(_RUN) and _ITERATION in text:
            run, _, rest = text.removeprefix(_RUN).partition(_ITERATION)
            digits = rest.partition(")")[0].strip()
            if digits.isdigit() and len(digits) < 7:
                found.setdefault(run.strip(), {}).setdefault(int(digits), (heading or line, at))
    for run, iterations in reversed(found.items()):
        yield Begin(run, PROCESS, place.path, title="sections of the agent's own log")
        for index, number in enumerate(sorted(iterations), 1):
            line, at = iterations[number]
            yield RecordedIteration(
                index, Provenance(place.path, line, line), ended_at=at, not_known=_NO_TEXT
            )
        yield End()


def state_run(place: Place) -> Iterator[Part]:
    """Yield a run without iterations that holds a file as it is. Raises OSError."""
    yield Begin(place.name, PROCESS, place.path, files={place.path: place.text(_LIMIT)})
    yield End()
