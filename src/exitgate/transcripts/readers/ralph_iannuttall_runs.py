"""From launches of iannuttall/ralph, and the files of their iterations, to runs."""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.opened import trouble_with
from exitgate.transcripts.readers import ralph_iannuttall_files as files
from exitgate.transcripts.readers.ralph_iannuttall_launches import Known, Launch, launches
from exitgate.transcripts.readers.ralph_iannuttall_log import SUCCESS, told_in
from exitgate.transcripts.readers.ralph_iannuttall_text import parts_of
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

    Files = Mapping[tuple[str, int], Mapping[str, Place]]

_ACTIVITY = "activity.log"
_LIMIT = 16_000_000
_NO_LOG, _EMPTY_LOG = "its log does not exist", "its log is empty"
_NO_PLAN = "the loop keeps no copy of its stories, and chose none after this iteration"


def folder_runs(place: Place) -> Iterator[Part]:
    """Yield the runs of a state folder. Raises OSError."""
    parts: dict[tuple[str, int], dict[str, Place]] = {}
    for key, own in files.files_in(place).items():
        wrong = {kind: problem for kind, one in own.items() if (problem := trouble_with(one)) is not None}
        yield from wrong.values()
        parts[key] = {kind: one for kind, one in own.items() if kind not in wrong}
    kept: dict[str, dict[int, Known]] = {}
    for run, number in sorted(parts):
        own = parts[run, number]
        if files.LOG in own or files.SUMMARY in own:
            kept.setdefault(run, {})[number] = _known(number, own)
    log = place.at(_ACTIVITY) if _ACTIVITY in place.names() else None
    if log is not None and (problem := trouble_with(log)) is not None:
        yield problem
        log = None
    told = () if log is None else told_in(log)
    yield from log_runs(log or place, launches(told, kept), parts)


def _known(number: int, own: Mapping[str, Place]) -> Known:
    """Return what the summary of an iteration says of it. Raises OSError."""
    known = Known(number, kept=True)
    summary = files.summary_in(own)
    if summary is not None:
        known.started = instant(summary.fields.get("started"))
        known.ended = instant(summary.fields.get("ended"))
        known.story = _id(summary.fields.get("story", ""))
        known.status = summary.fields.get("status", "")
    return known


def log_runs(place: Place, found: Sequence[Launch], parts: Files) -> Iterator[Part]:
    """Yield a run for each launch, `parts` the files of its iterations. Raises OSError."""
    for nth, launch in enumerate(found, 1):
        order = [launch.known[number] for number in sorted(launch.known)]
        begun = order[0].started if order else launch.dangling.started if launch.dangling else None
        yield Begin(launch.id or f"launch-{nth}", PROCESS, place.path, begun)
        stories = _Stories()
        following = [*order[1:], launch.dangling][: len(order)]
        for index, (known, after) in enumerate(zip(order, following, strict=True), 1):
            own = parts.get((launch.id, known.number), {})
            summary = files.summary_in(own)
            story = known.story or ("" if summary is None else _id(summary.fields.get("story", "")))
            title = "" if summary is None else summary.fields.get("story", "")
            chosen = "" if after is None else after.story or f"iteration {after.number}"
            plan = stories.after(story, title, chosen)
            one = _iteration(index, place, known, own, summary)
            if plan is None:
                one = one.but(not_known={**one.not_known, "plan": _NO_PLAN})
            yield one.but(plan=plan)
        yield _end(launch, order)


def _end(launch: Launch, order: Sequence[Known]) -> End:
    at = order[-1].ended if order else None
    if launch.dangling is None:
        return End(ended_at=at)
    return End("interrupted", f"iteration {launch.dangling.number} began and did not end", at)


def _iteration(
    index: int,
    place: Place,
    known: Known,
    own: Mapping[str, Place],
    summary: files.Summary | None,
) -> RecordedIteration:
    told: dict[str, object] = {}
    not_known: dict[str, str] = {}
    text = own[files.LOG].text(_LIMIT) if files.LOG in own else ""
    if text.strip():
        told = parts_of(text)
    else:
        why = _EMPTY_LOG if files.LOG in own else _NO_LOG
        not_known = dict.fromkeys(("response", "output", "tool_results"), why)
    if files.PROMPT in own:
        told["prompt"] = own[files.PROMPT].text(_LIMIT)
    started, ended, status = known.started, known.ended, known.status
    if summary is not None:
        told |= {"files_changed": summary.changes, "git": summary.git}
        started = started if started is not None else instant(summary.fields.get("started"))
        ended = ended if ended is not None else instant(summary.fields.get("ended"))
        status = status or summary.fields.get("status", "")
    where = own.get(files.LOG) or own.get(files.SUMMARY)
    lines = (min(known.lines), max(known.lines)) if known.lines else (0, 0)
    one = RecordedIteration(
        index,
        Provenance(place.path, *lines) if where is None else Provenance(where.path),
        started_at=started,
        ended_at=ended,
        exit_status=0 if status == SUCCESS else None,
        not_known=not_known,
        number=known.number,
    )
    return one.but(**told)


class _Stories:
    """The stories that the loop chose, as far as it had come: ticked where it went on to another."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}

    def after(self, story: str, title: str, chosen: str) -> str | None:
        """Return the plan after an iteration on `story`, behind which the loop chose `chosen`; else None."""
        if story:
            self._titles[story] = title or self._titles.get(story) or story
        if not chosen:
            return None
        known = {**self._titles, chosen: self._titles.get(chosen, chosen)}
        lines = [f"- [{' ' if id == chosen else 'x'}] {text}" for id, text in known.items()]
        return "\n".join(lines) + "\n"


def _id(story: str) -> str:
    return story.partition(":")[0].strip()
