"""Where a loop keeps what: its logs, outputs and state files, in one folder or in `logs` below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.model import capabilities
from exitgate.recordings.formats.ralph.launches import Evidence, iterations_of, joined
from exitgate.recordings.formats.ralph.log import (
    LAUNCH,
    LOOP,
    TURN,
    Launch,
    LoopLog,
    Marks,
    parsed,
    read_lines,
)
from exitgate.recordings.formats.ralph.outputs import LOG, PREFIX, is_output, outputs_in
from exitgate.recordings.formats.ralph.progress import NAMES as PLANS
from exitgate.recordings.formats.ralph.progress import counted
from exitgate.recordings.formats.ralph.state import Circuits
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe, probe_of

_LOGS, _MAIN, _ALIKE = "logs/", "ralph.log", "ralph"
#: Folders that have no name of their own.
_NAMELESS = (".ralph", "ralph", "logs")
#: State files without their leading dot, and what else such a loop leaves beside them.
STATES = (
    "status.json", "progress.json", "exit_signals", "response_analysis", "circuit_breaker_state",
    "circuit_breaker_history", "ralph_session", "ralph_session_history", "call_count", "token_count",
    "last_reset", "loop_start_sha", "last_output_length", "claude_session_id", "metrics.jsonl",
    "live.log", "PROMPT.md",
)  # fmt: skip
_PROMPTS = ("PROMPT.md", ".harness-prompt.md")
#: What the loop writes beside its outputs, too: what a process left on stderr, that its time was up.
_OTHERS = ("timeout-report-", "claude_stderr_")
#: Bytes of a log that its loop is known from.
_HEAD = 65_536


class LoopFiles(Struct, frozen=True):
    """
    The files of a loop.

    Args:
        name: Of the folder, without folders that have no name of their own.
        place: The folder.
        logs: Its logs, the oldest first.
        console: What its console showed, kept in a log beside them, or None.
        outputs: Folder of the outputs.
        output_names: Names of files there.
        plan: The plan's file, or None.
        prompt: The prompt's file, or None.
        states: Name without a leading dot -> state file.
        claimed: Names below the folder of all of these.
    """

    name: str
    place: Location
    logs: tuple[Location, ...]
    outputs: Location
    output_names: tuple[str, ...]
    plan: Location | None
    prompt: Location | None
    states: dict[str, Location]
    claimed: frozenset[str]
    console: Location | None = None


def loop_files(look: Probe) -> LoopFiles | None:
    """Return the files of a loop in a folder, None where it keeps neither a log nor an output there."""
    place = look.place
    found = _inner(look)
    if found is None:
        return None
    inner, prefix = found
    where = place.at("logs", is_folder=True) if prefix else place
    logs = tuple(where.at(name) for name in _logs(inner))
    console = _MAIN if prefix and _MAIN in look.names else None
    shown = None if console is None else place.at(console)
    if not logs and shown is not None:
        logs, shown = (shown,), None
    outputs = tuple(name for name in inner if is_output(name))
    beside = (*look.names, *(prefix + name for name in inner if prefix))
    states = {bare: place.at(name) for name in reversed(beside) if (bare := _bare(name)) in STATES}
    plan, prompt = _first(PLANS, beside), _first(_PROMPTS, beside)
    claimed = {prefix + name for name in (*_logs(inner), *outputs)}
    claimed |= {console} if console is not None else set()
    claimed |= {name for name in beside if _bare(name) in STATES or name in (plan, prompt)}
    claimed |= {prefix + name for name in inner if name.startswith(_OTHERS)}
    return LoopFiles(
        _name(place),
        place,
        logs,
        where,
        outputs,
        place.at(plan) if plan else None,
        place.at(prompt) if prompt else None,
        states,
        frozenset(claimed),
        shown,
    )


def _inner(look: Probe) -> tuple[tuple[str, ...], str] | None:
    """
    Return the names where the loop keeps outputs and log, and the folder's name before them; else None.

    A log beside the folder of logs is what its console showed, and no other loop's, unless outputs lie there.
    """
    own = has_any(look.names)
    if _LOGS in look.names and not any(is_output(name) for name in look.names):
        try:
            inner = look.place.at("logs", is_folder=True).names()
        except OSError:
            inner = ()
        if has_any(inner):
            return inner, _LOGS
    return (look.names, "") if own else None


def _bare(name: str) -> str:
    """Return the name of a file without its folder and without a leading dot."""
    return name.rpartition("/")[2].removeprefix(".")


def _first(wanted: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for want in wanted for name in names if name.rpartition("/")[2] == want), None)


def has_any(names: Sequence[str]) -> bool:
    """Return whether a log of a loop or an output is among the names of a folder."""
    return _MAIN in names or any(is_output(name) for name in names)


def _logs(names: Sequence[str]) -> list[str]:
    """Return the names of the loop's own logs: rotated ones first, or else those named like it."""
    rotated = [n for n in names if n.startswith(f"{_MAIN}.") and n[len(_MAIN) + 1 :].isdigit()]
    if _MAIN in names:
        return [*sorted(rotated, key=lambda n: -int(n[len(_MAIN) + 1 :])), _MAIN]
    return [n for n in names if n.startswith(_ALIKE) and n.endswith(LOG) and not n.startswith(PREFIX)]


def _name(place: Location) -> str:
    while place.name in _NAMELESS and place.parent().name not in ("", ".", ".."):
        place = place.parent()
    return place.name


def speaks(text: str, marks: Marks) -> bool:
    """Return whether the lines of a log's beginning are those of the loop with these marks."""
    from exitgate.recordings.formats.ralph.log import lead_of

    begins = [mark for mark, says, _ in marks if says in (LOOP, TURN)]
    starts = [mark for mark, says, _ in marks if says == LAUNCH]
    found = False
    for line in text.split("\n"):
        read = parsed(line.rstrip("\r"))
        if read is None:
            continue
        lead = lead_of(read.text)
        if lead.startswith(tuple(begins)):
            return True
        found = found or any(lead == mark or (mark[-1] == " " and lead.startswith(mark)) for mark in starts)
    return found


def head_of(place: Location) -> str:
    """Return the beginning of a file as text, empty where it cannot be read."""
    try:
        return place.head(_HEAD).decode("utf-8-sig", "replace")
    except OSError:
        return ""


# What the readers of loops have in common: folders, single logs, outputs and state files.

#: What the folder of such a loop can tell.
GIVES = (
    capabilities.CHAT
    | capabilities.USAGE
    | {capabilities.CIRCUIT, capabilities.EXIT_STATUS, capabilities.DENIALS}
)


def fits_folder(look: Probe, marks: Marks) -> bool:
    """Return whether a folder has a log of the loop with these marks."""
    kept = loop_files(look)
    return kept is not None and any(speaks(head_of(place), marks) for place in kept.logs)


def fits_log(look: Probe, marks: Marks) -> bool:
    """Return whether a file is a log of the loop with these marks."""
    return look.head.removeprefix(b"\xef\xbb\xbf")[:1] == b"[" and speaks(look.text, marks)


def claims(look: Probe) -> frozenset[str]:
    """Return the names below a folder that belong to its loop."""
    kept = loop_files(look)
    return frozenset() if kept is None else kept.claimed


def launches_of(
    logs: Sequence[Location], marks: Marks, reasons: Mapping[str, str | None]
) -> Iterator[Problem | LoopLog]:
    """Yield what was wrong with logs, and last what they tell."""
    log = LoopLog(marks, reasons)
    for place in logs:
        try:
            for line in read_lines((place,)):
                log.take(line)
        except OSError as error:
            yield Problem(place.path, error.strerror or str(error))
    yield log


def read_folder(
    place: Location,
    wants: frozenset[str],
    marks: Marks,
    reasons: Mapping[str, str | None],
    *,
    one: bool = False,
) -> Iterator[Part]:
    """
    Yield the runs of a folder, a log or an output.

    Args:
        place: The folder or file.
        wants: As in `exitgate.recordings.registry`.
        marks: Of the loop's log.
        reasons: Of its ends.
        one: Whether all launches are one run.

    Raises:
        OSError: When it cannot be opened.
    """
    kept = loop_files(probe_of(place)) if place.is_folder else _single_file(place)
    if kept is None:
        yield Problem(place.path, "it has neither a log nor an output of a loop")
        return
    launches: list[Launch] = []
    for logs in (kept.logs, () if kept.console is None else (kept.console,)):
        for part in launches_of(logs, marks, reasons):
            if isinstance(part, LoopLog):
                told = {launch.at for launch in launches}
                launches += [launch for launch in part.finished() if launch.at not in told]
            else:
                yield part
    launches.sort(key=lambda launch: launch.at or 0.0)
    yield from runs_of(kept, launches, wants, one=one)


def _single_file(place: Location) -> LoopFiles:
    """Return a log, or an output, that is read by itself. Raises OSError."""
    name = place.name.rpartition(".")[0] or place.name
    output = is_output(place.name)
    place.head(1)
    return LoopFiles(
        name,
        place,
        () if output else (place,),
        place.parent(),
        (place.name,) if output else (),
        None,
        None,
        {},
        frozenset(),
    )


# Runs of a loop from its launches and outputs.
#
# The name of an output says the second in which its process was begun, by the same clock as the log. Each
# launch is a run, or all of them are one. Times are those of the log, local and taken as UTC; without a log
# they are those of the names and how long the results say it took.


def runs_of(
    kept: LoopFiles, launches: Sequence[Launch], wants: frozenset[str], *, one: bool
) -> Iterator[Part]:
    """
    Yield the runs of a folder.

    Args:
        kept: Its files.
        launches: What the log tells, empty without one.
        wants: As in `exitgate.recordings.registry`.
        one: Whether all launches are one run: of the iterations whose outputs are kept, if any are.
    """
    found = joined(launches, outputs_in(kept.outputs, kept.output_names), kept.states)
    plan, problems = _text(kept.plan, wants, capabilities.PLAN)
    prompt, more = _text(kept.prompt, wants, capabilities.TASK)
    yield from (*problems, *more)
    circuits = Circuits(kept.states)
    yield from circuits.problems
    last = max((told.at for _, several in found for told in several), default=None)
    if one and found:
        found = [_as_one(found)]
    elif not one:
        circuits.number([launch for launch, several in found if several and launch.opened])
    for number, (launch, several) in enumerate(found, 1):
        id = kept.name if len(found) == 1 else f"{kept.name}#{number}"
        resumed = several[0].execution.resumed if several and several[0].execution is not None else None
        yield Begin(id, PROCESS, kept.place.path, launch.at, resumed=resumed, plan=counted(launch.counted))
        yield from iterations_of(launch, several, wants, plan, prompt, last, circuits)
        yield End(launch.how, launch.why, launch.ended)


def _as_one(found: Sequence[tuple[Launch, list[Evidence]]]) -> tuple[Launch, list[Evidence]]:
    """Return all launches as one, with the end of the last that says one."""
    first, last = found[0][0], found[-1][0]
    whole = Launch(first.at, last.file, first.line)
    whole.counted = next((launch.counted for launch, _ in found if launch.counted is not None), None)
    whole.how, whole.why, whole.ended, whole.opened = last.how, last.why, last.ended, last.opened
    told = [one for _, several in found for one in several]
    if any(one.output is not None for one in told):
        told = [one for one in told if one.output is not None]
    return whole, sorted(told, key=lambda one: one.at)


def _text(place: Location | None, wants: frozenset[str], what: str) -> tuple[str | None, tuple[Problem, ...]]:
    if place is None or what not in wants:
        return None, ()
    try:
        return place.text(), ()
    except OSError as error:
        return None, (Problem(place.path, error.strerror or str(error)),)
