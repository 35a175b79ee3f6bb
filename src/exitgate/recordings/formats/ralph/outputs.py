"""The outputs of an agent's processes that a loop keeps in its folder: `claude_output_<start>.log`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.core.envelopes.json_text import BLANK
from exitgate.core.envelopes.members import objects_of
from exitgate.core.envelopes.plain import JSON, JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.claude_process import Fold
from exitgate.recordings.formats.json_files import Lines
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.ralph.log import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem, Provenance, RecordedIteration, from_unwrapped
from exitgate.recordings.readers.claude_result import value_of

PREFIX, STREAM, LOG = "claude_output_", "_stream.log", ".log"
_STAMP = 19
_RESULT = "result"
#: Bytes of a file that its form is known from.
_HEAD = 4096


class Output:
    """
    What is kept of one process: `stamp` as its files are named by, `at` the same in seconds since the epoch.

    `result` is the file with what the process said at the end, `stream` that with all events; either may
    be None, and the first may hold all events too. `took` is the seconds that it says it took, once read.
    """

    def __init__(self, stamp: str, at: float) -> None:
        self.stamp = stamp
        self.at = at
        self.result: Location | None = None
        self.stream: Location | None = None
        self.took: float | None = None

    @property
    def main(self) -> Location:
        """The file that tells most."""
        place = self.stream or self.result
        assert place is not None, "an output without a file"
        return place


def is_output(name: str) -> bool:
    """Return whether a file is named as an output is."""
    return name.startswith(PREFIX) and name.endswith(LOG) and _at(name) is not None


def outputs_in(folder: Location, names: Sequence[str]) -> list[Output]:
    """Return the outputs in a folder in the order in which they began; two files may be one."""
    found: dict[str, Output] = {}
    for name in names:
        at = _at(name) if is_output(name) else None
        if at is None:
            continue
        stamp = name[len(PREFIX) : len(PREFIX) + _STAMP]
        one = found.setdefault(stamp, Output(stamp, at))
        if name.endswith(STREAM):
            one.stream = folder.at(name)
        else:
            one.result = folder.at(name)
    return sorted(found.values(), key=lambda one: (one.at, one.stamp))


def _at(name: str) -> float | None:
    return instant(name[len(PREFIX) : len(PREFIX) + _STAMP])


def read_output(
    one: Output, index: int, plans: Plans | None, wants: frozenset[str], *, failed: bool
) -> Iterator[Problem | RecordedIteration]:
    """
    Yield what was wrong, and last the iteration that an output shows, without instants of its own.

    Args:
        one: The output.
        index: Number of the iteration.
        plans: The plans of the run, kept up with its calls, or None.
        wants: As in `exitgate.recordings.registry`.
        failed: Whether the loop says that the process failed.
    """
    try:
        head = one.main.head(_HEAD)
    except OSError as error:
        yield Problem(one.main.path, error.strerror or str(error))
        yield _nothing(one, index, "its output file cannot be read")
        return
    text = head.decode("utf-8-sig", "replace").strip(BLANK + "\0")
    if not text:
        yield _nothing(one, index, "its output file is empty").but(output="")
    elif text[0] in "{[":
        yield from _events(one, index, plans, wants)
    else:
        yield from _text(one, index, plans, wants, failed=failed)


def _events(
    one: Output, index: int, plans: Plans | None, wants: frozenset[str]
) -> Iterator[Problem | RecordedIteration]:
    fold = Fold(plans, keep=bool(wants & {capabilities.TOOL_CALLS}))
    main = one.main
    form, last = JSON_LINES, 0
    lines = Lines(main)
    try:
        for event in lines.events():
            fold.take(event)
            yield from lines.problems()
        if fold.taken == 0:
            form = JSON
            value, problem = value_of(main.text())
            for item in objects_of(value):
                fold.take(item)
            fold.gathered.cut = bool(problem)
            if problem:
                yield Problem(main.path, problem)
        else:
            form, last = (JSON_LINES, lines.number) if lines.number > 1 else (JSON, 0)
            fold.gathered.cut = lines.cut
            yield from lines.problems()
        if fold.results == 0 and one.stream is not None and one.result is not None:
            _add_result(one.result, fold)
    except OSError as error:
        yield Problem(main.path, error.strerror or str(error))
    if fold.problem:
        yield Problem(main.path, fold.problem)
    one.took = fold.duration
    yield fold.iteration(index, Provenance(main.path, 1 if last else 0, last), form)


def _add_result(place: Location, fold: Fold) -> None:
    """Add the result that is in a file of its own. Raises OSError."""
    value, _ = value_of(place.text())
    for item in objects_of(value):
        if item.get("type") == _RESULT:
            fold.take(item)


def _text(
    one: Output, index: int, plans: Plans | None, wants: frozenset[str], *, failed: bool
) -> Iterator[Problem | RecordedIteration]:
    """Yield what plain text tells; a stream may have other lines before its first event."""
    from exitgate.core.envelopes.unwrap import unwrap

    main = one.main
    try:
        text = main.text()
    except OSError as error:
        yield Problem(main.path, error.strerror or str(error))
        yield _nothing(one, index, "its output file cannot be read")
        return
    found = unwrap(text, failed=failed)
    if found.format == JSON_LINES:
        yield from _events(one, index, plans, wants)
        return
    yield from_unwrapped(index, Provenance(main.path), found)


def _nothing(one: Output, index: int, why: str) -> RecordedIteration:
    told = dict.fromkeys(("response", "output", "tool_results"), why)
    return RecordedIteration(index, Provenance(one.main.path), not_known=told)
