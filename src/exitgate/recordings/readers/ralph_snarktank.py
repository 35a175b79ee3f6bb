"""
snarktank/ralph: a folder with `prd.json` (`userStories` with `passes`) and `progress.txt`.

The loop keeps no transcript. Where the folder is in a working tree of git, every commit that touches one
of the two files is an iteration, see `git_history`; else each section that the agent added to
`progress.txt` is one, without an instant where its heading has none. `prd.json` as it is now is that of
the last iteration where the log shows every story that passes in it; else it may be newer. One of the
files by itself is read as its folder would be without git.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.envelopes.members import as_object, list_at, objects_in
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.ralph.progress import NO_MOMENT, sections
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.git_history import commits as live
from exitgate.recordings.readers.git_history.commits import ITEMS, LOGS, STORIES, Stories, runs

ID = "ralph-snarktank"
TITLE = "snarktank/ralph: prd.json and progress.txt"
FOLDER = True
GIVES = frozenset((capabilities.FILES, capabilities.GIT, capabilities.TIMES, capabilities.FILES_CHANGED))

_LOG = LOGS[0]
_CAVEAT = "a section of progress.txt represents an iteration; an iteration without one is not seen"
_NO_TEXT = "the loop keeps no transcript"
_SILENT = dict.fromkeys(("response", "output", "tool_results", "prompt"), _NO_TEXT)
_LIMIT = 8_000_000
#: Heading with which the file begins, and that of its first section.
_TITLES = ("# Ralph Progress Log", "# Progress Log", "## Codebase Patterns")


def fits(look: Probe) -> bool:
    """Return whether the folder has both files, or the file is one of them."""
    if look.place.is_folder:
        return STORIES in look.names and _LOG in look.names
    if as_object(look.value):
        return _has_stories(look.value)
    if not look.place.name.endswith(_LOG):
        return False
    head = look.text.lstrip()
    return head.startswith(_TITLES) or any(line.startswith("## ") for line in head.split("\n", 400)[:400])


def claims(look: Probe) -> frozenset[str]:
    """Return the two files."""
    return frozenset((STORIES, _LOG)).intersection(look.names)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if place.is_folder and place.system is None and live.top_of(place.path) is not None:
        found = False
        for part in runs(place.path, place.path, (STORIES, _LOG)):
            found = True
            yield part
        if found:
            return
    yield from _by_sections(place)


def _by_sections(place: Location) -> Iterator[Part]:
    stories: tuple[str, str] | None = None
    if place.is_folder:
        log = place.at(_LOG)
        stories = (place.at(STORIES).path, place.at(STORIES).text(_LIMIT))
    elif place.name.endswith(".json"):
        yield from _stories_only(place)
        return
    else:
        log = place
    yield Begin(place.name or place.path, PROCESS, place.path, title=_CAVEAT)
    text = ""
    held: RecordedIteration | None = None
    for index, section in enumerate(sections(log.text(_LIMIT)), 1):
        text += section.text
        if held is not None:
            yield held
        held = RecordedIteration(
            index,
            Provenance(log.path, section.first, section.last),
            ended_at=section.at,
            files={log.path: text},
            not_known=_SILENT,
        )
    if held is not None:
        if stories is not None and _agrees(stories[1], text):
            held = held.but(files={**held.files, stories[0]: stories[1]})
        elif stories is not None:
            held = held.but(not_known={**held.not_known, "plan": NO_MOMENT})
        yield held
    yield End(ended_at=None if held is None else held.ended_at)


def _agrees(stories: str, log: str) -> bool:
    """Return whether a log shows every story that passes."""
    import json

    try:
        value = json.loads(stories)
    except (ValueError, RecursionError):
        return False
    items = read_as(Stories, value).user_stories
    return all(_names(log, one.id) for one in items if one.passes is True)


def _names(log: str, id: str | None) -> bool:
    """Return whether an id is in a log, and not only as the beginning of a longer one."""
    at = -1 if not id else log.find(id)
    while at >= 0 and id:
        if not log[at + len(id) : at + len(id) + 1].isalnum():
            return True
        at = log.find(id, at + 1)
    return False


def _stories_only(place: Location) -> Iterator[Part]:
    """Yield a run of no iteration: the list of stories as it is."""
    text = place.text(_LIMIT)
    yield Begin(place.name, PROCESS, place.path, title="a list of stories", files={place.path: text})
    yield End()
    if '"passes"' not in text:
        yield Problem(place.path, "no story says whether it passes")


def _has_stories(value: dict[str, object]) -> bool:
    items = list_at(value, ITEMS)
    return items is not None and len(objects_in(items)) == len(items)
