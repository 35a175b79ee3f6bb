"""
The folder of a project in which a loop ran: its logs, its files of iterations, and what is not a run.

Logs are in the folder itself or in one of those that loops keep them in. Lists of tasks, prompts and notes of
progress beside a log are not runs of their own: the log has the texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from exitgate.recordings import registry
from exitgate.recordings.formats.loops.file_names import (
    Named,
    is_folder_of_loops,
    is_side,
    patterned,
    series_in,
)
from exitgate.recordings.formats.loops.files import are_texts, granularity_of_several, process_of
from exitgate.recordings.formats.loops.log import is_log
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS
from exitgate.recordings.probe import Probe, probe_of

#: Folders that loops keep their logs in, below that of the project.
_KEPT = (
    ".ralph/", ".ralph/logs/", ".ralph/iterations/", ".ralph/outputs/", ".ralph/output/", ".ralph/worktrees/",
    ".ralph/runs/", "logs/", "logs/ralph/", "scripts/ralph/", "scripts/ralph/logs/", "ralph/", "ralph/logs/",
    "iterations/", "outputs/", "output/", "log/", ".logs/", "runs/",
)  # fmt: skip
_SAID = (".log", ".txt", ".md", ".json", ".jsonl", ".out", ".stdout")
#: Names, and ends of names, of logs that may be a console; what has another is known from no look of ours.
_LOGS = (".log", ".txt", ".out", ".console", ".ansi", ".stdout", ".md", ".markdown", ".err", ".text")
#: What is written about the work, in lower case: no run beside a log.
_ABOUT = frozenset(
    (
        "progress.txt", "progress.md", "prd.json", "prd.md", "prompt.md", "prompt.txt",
        "fix_plan.md", "@fix_plan.md", "guardrails.md", "signs.md", "implementation_plan.md",
        "plan.md", "plan.json", "todo.md", "tasks.md", "tasks.json", "agent.md", "agents.md",
        "claude.md", "qwen.md", "gemini.md", "activity.md", "notes.md", "learnings.md",
        "readme.md", "stories.txt", "stories.json", "spec.md", "errors.log", "last-response.md",
        "state.json", "config.json", "status.json", "features.json", "feature_list.json",
        "backlog.json", "backlog.md", "issues.json", "session.json", "changelog.md", "journal.md",
        "handoff.md",
    )
)  # fmt: skip
_ABOUT_BEGINS = ("prompt", "prd-", "prd_", "progress-", "progress_", "claude-progress")
#: Folders below that are looked through for those, at most.
_BELOW = 60
#: Files of one folder that are looked into.
_MOST = 400
_SELF = "loop-logs"
#: Readers of folders that yield to a log with texts.
_YIELD = frozenset((_SELF, "ralph-snarktank", "git-history"))


class Series(Struct, eq=False):
    """Files of iterations in one folder: `label` says which."""

    folder: Location
    below: str
    label: str
    names: list[Named]


class Project:
    """What a folder has: logs by their names below it, and series."""

    def __init__(self) -> None:
        self.logs: dict[str, Location] = {}
        self.series: list[Series] = []
        self.last: dict[str, Location] = {}

    def __bool__(self) -> bool:
        return bool(self.logs or self.series)


def is_about(name: str) -> bool:
    """Return whether a file of that name is about the work, and no record of it."""
    low = name.lower()
    return low in _ABOUT or (low.startswith(_ABOUT_BEGINS) and low.endswith((".md", ".txt", ".json")))


def _is_list(name: str) -> bool:
    return name.lower() in (
        "prd.json",
        "progress.txt",
        "progress.md",
        "fix_plan.md",
        "@fix_plan.md",
        "prompt.md",
    )


def may_be_log(name: str) -> bool:
    """Return whether a file of that name may be the console of a loop."""
    low = name.lower()
    if is_about(name) or low.startswith("."):
        return False
    return low.endswith(_LOGS) or "." not in low


def project_of(look: Probe) -> Project:
    """Return what a folder has of a loop that no reader asked earlier reads."""
    found = Project()
    for below, names in _folders(look.place, look.names):
        folder = look.place if not below else look.place.at(below.rstrip("/"), True)
        if below and _is_others(folder, names):
            continue
        taken: set[str] = set()
        for prefix, several in series_in(name for name in names if not name.endswith("/")).items():
            if _is_series(folder, several, about=any(map(_is_list, names))):
                label = f"{below}{prefix}*"
                found.series.append(Series(folder, below, label, several))
                taken.update(one.name for one in several)
        rest = [name for name in names if name not in taken and not is_about(name)]
        for shape, several in _patterned(folder, rest).items():
            if are_texts(folder, several) and not _are_runs(folder, several):
                found.series.append(Series(folder, below, f"{below}{shape}", several))
                taken.update(one.name for one in several)
        found.series += _folder_series(folder, below, names)
        for name in names[:_MOST]:
            if name not in taken and not name.endswith("/") and may_be_log(name):
                place = folder.at(name)
                if _is_last(name):
                    found.last[f"{below}{name}"] = place
                elif _is_own_log(place):
                    found.logs[f"{below}{name}"] = place
    return found


def _patterned(folder: Location, names: Sequence[str]) -> dict[str, list[Named]]:
    """Return the series of files of a folder whose names differ in a number or a time."""
    path = os.path.abspath(folder.path) if folder.system is None else folder.path
    kept = is_folder_of_loops(path)
    return patterned((name for name in names if not name.endswith("/")), kept=kept)


def _folder_series(folder: Location, below: str, names: Sequence[str]) -> list[Series]:
    """Return series of folders that hold the files of one iteration each."""
    found: list[Series] = []
    for prefix, several in series_in(name.rstrip("/") for name in names if name.endswith("/")).items():
        if len(several) < 2 or not several[0].strong:
            continue
        mains = _mains_of(folder, several)
        if len(mains) > 1:
            found.append(Series(folder, below, f"{below}{prefix}*/", mains))
    return found or _numbered_folders(folder, below, names)


def _numbered_folders(folder: Location, below: str, names: Sequence[str]) -> list[Series]:
    """Return series of folders whose names are numbers, or say little else, with one text each."""
    found: list[Series] = []
    for shape, several in _patterned(folder, [n.rstrip("/") for n in names if n.endswith("/")]).items():
        mains = _mains_of(folder, several)
        if len(mains) == len(several) and are_texts(folder, mains) and not _are_runs(folder, mains):
            found.append(Series(folder, below, f"{below}{shape}/", mains))
    return found


def _mains_of(folder: Location, several: Sequence[Named]) -> list[Named]:
    """Return what holds the texts of a series of folders, by their names with the file's."""
    mains: list[Named] = []
    for one in several:
        with suppress(OSError):
            main = _main_of(folder.at(one.name, True).names())
            if main:
                mains.append(replace(one, name=f"{one.name}/{main}"))
    return mains


def _main_of(names: Sequence[str]) -> str | None:
    """Return the name of the file that holds what was said, of those of one iteration."""
    files = [name for name in names if not name.endswith("/") and name.lower().endswith(_SAID)]
    for word in (
        "response",
        "output",
        "result",
        "answer",
        "claude",
        "codex",
        "agent",
        "transcript",
        "stdout",
        "log",
    ):
        for name in files:
            low = name.lower()
            if word in low and not any(
                other in low for other in ("prompt", "stderr", "summary", "diff", "test")
            ):
                return name
    return files[0] if len(files) == 1 else None


def _folders(top: Location, names: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the folder, and those below it that loops keep their logs in, with their names."""
    yield "", names
    for below in _KEPT:
        if below.partition("/")[0] + "/" not in names:
            continue
        try:
            yield below, top.at(below.rstrip("/"), True).names()
        except OSError:
            continue


def _is_others(folder: Location, names: Sequence[str]) -> bool:
    """Return whether a reader of folders that does not yield to a log takes the folder."""
    look = Probe(folder, names=tuple(names))
    for id in registry.READERS:
        if id == _SELF:
            return False
        reader = registry.load(id)
        if id not in _YIELD and getattr(reader, "FOLDER", False) and reader.fits(look):
            return True
    return False


def _is_own_log(place: Location) -> bool:
    try:
        if not is_log(place):
            return False
        look = probe_of(place)
    except OSError:
        return False
    return registry.sniff(look) == _SELF


def _is_series(folder: Location, several: Sequence[Named], *, about: bool) -> bool:
    """Return whether files hold an iteration each: by their names, or as runners of agents write them."""
    mains = [one for one in several if not is_side(one)]
    numbers = {one.order for one in mains}
    if len(numbers) < 2 and not (numbers and several[0].strong and len(several) > 1):
        return bool(numbers) and several[0].strong and len(several) == 1 and _is_process(folder, several[0])
    if several[0].strong:
        return not all(map(_is_code, mains)) and not _are_runs(folder, mains)
    if several[0].kin and not _is_loop_folder(folder, about):
        return False
    told = sum(_is_process(folder, one) for one in mains[:_SOME])
    return told * 2 > len(mains[:_SOME]) and not _are_runs(folder, mains)


def _is_loop_folder(folder: Location, about: bool) -> bool:
    """Return whether a folder is one of those that loops keep logs in, or lists of tasks are in it."""
    return about or f"{folder.name}/" in _KEPT


#: Files of a series that are looked into.
_SOME = 6


def _is_code(one: Named) -> bool:
    return "test" in one.name.lower() or "screenshot" in one.name.lower()


def _is_process(folder: Location, one: Named) -> bool:
    try:
        return process_of(probe_of(folder.at(one.name))) is not None
    except OSError:
        return False


def _are_runs(folder: Location, mains: Sequence[Named]) -> bool:
    """
    Return whether the files of a series hold more than one iteration: then each is a run.

    One that asked its agent several times is enough. An agent may be started twice for one iteration: of
    files to which processes were appended, half must have several.
    """
    processes = 0
    for one in mains[:_SOME]:
        with suppress(OSError):
            what = granularity_of_several(folder.at(one.name))
            if what is not None and what != PROCESS:
                return True
            processes += what is not None
    return 2 * processes >= len(mains[:_SOME]) > 0


def _is_last(name: str) -> bool:
    """Return whether a file holds what the agent said last, written over each time."""
    low = name.lower()
    return low.startswith(("last-", "last_", "latest-", "latest_")) and any(
        word in low for word in ("output", "response", "result", "message")
    )


def claimed(look: Probe, found: Project) -> frozenset[str]:
    """Return the names below a folder that belong to its loop, or are about the work."""
    names = {*found.logs, *found.last}
    for series in found.series:
        names.update(
            f"{series.below}{one.name.partition('/')[0]}{'/' * ('/' in one.name)}" for one in series.names
        )
    kept = {below for below in _KEPT if any(name.startswith(below) for name in names)}
    for below in ("", *_below(look.place, look.names), *kept):
        try:
            inside = look.names if not below else look.place.at(below.rstrip("/"), True).names()
        except OSError:
            continue
        if below and ".git/" in inside:
            continue
        own = below.startswith(".ralph/")
        names.update(
            f"{below}{name}"
            for name in inside
            if is_about(name) or (own and name.lower().endswith((".json", ".md", ".txt")))
        )
    return frozenset(names)


def _below(top: Location, names: Sequence[str]) -> list[str]:
    """Return the folders below in which loops keep lists of tasks and notes."""
    found = [name for name in names if name.endswith("/") and name not in (".git/", "node_modules/")][:_BELOW]
    if ".ralph/" in found:
        with suppress(OSError):
            found += [f".ralph/{n}" for n in top.at(".ralph", True).names() if n.endswith("/")]
    return [*found, *(["scripts/ralph/"] if "scripts/" in names else [])]
