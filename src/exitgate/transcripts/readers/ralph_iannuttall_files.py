"""Files of an iteration of iannuttall/ralph: its log, its summary, its prompt; nested or flattened."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.transcripts.recorded import AGENT, COMMIT, LOOP, FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.transcripts.place import Place

LOG, SUMMARY, PROMPT = "log", "summary", "prompt"
_RUN, _PROMPT = "run-", "prompt-"
_ITER = "-iter-"
_LIMIT = 16_000_000
_OWN = (".ralph/", ".agents/tasks/")
_TITLE = "# Ralph Run Summary"
_NONE = "(none)"


def part_of(name: str) -> tuple[str, str, int] | None:
    """Return run, kind and number of the iteration that a file by this name belongs to, else None."""
    base = name.rpartition("__")[2].rpartition("/")[2]
    stem, _, ending = base.rpartition(".")
    if base.startswith(_RUN) and ending in ("log", "md"):
        run, _, digits = stem.removeprefix(_RUN).partition(_ITER)
        kind = LOG if ending == "log" else SUMMARY
    elif base.startswith(_PROMPT) and ending == "md":
        run, _, digits = stem.removeprefix(_PROMPT).rpartition("-")
        kind = PROMPT
    else:
        return None
    return (run, kind, int(digits)) if run[:8].isdigit() and digits.isdigit() and len(digits) < 7 else None


def files_in(place: Place) -> Mapping[tuple[str, int], Mapping[str, Place]]:
    """Return run and number -> kind -> file, of all in the state folder. Raises OSError."""
    names = list(place.names())
    for below in ("runs/", ".tmp/", "tmp/"):
        if below in names:
            names += [below + name for name in place.at(below.rstrip("/"), True).names()]
    found: dict[tuple[str, int], dict[str, Place]] = {}
    for name in names:
        part = part_of(name)
        if part is not None:
            found.setdefault((part[0], part[2]), {})[part[1]] = place.at(name)
    return found


class Summary(Value):
    """
    What a summary says: fields of its list in lower case, files changed, the source `git`.

    `started`, `ended`, `status`, `story` are in `fields`.
    """

    __slots__ = ("changes", "fields", "git")

    def __init__(
        self, fields: Mapping[str, str], changes: tuple[FileChange, ...], git: Mapping[str, object]
    ) -> None:
        self.fields = fields
        self.changes = changes
        self.git = git


def is_summary(text: str) -> bool:
    """Return whether a text begins as a summary does."""
    return text.lstrip().startswith(_TITLE)


def summary_in(own: Mapping[str, Place]) -> Summary | None:
    """Return what the loop's summary of an iteration says, None without one or for one of the agent's."""
    place = own.get(SUMMARY)
    return summary_of(place) if place is not None and is_summary(place.text(_LIMIT)) else None


def summary_of(place: Place) -> Summary:
    """Return what a summary says. Raises OSError."""
    fields: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    section = ""
    for line in place.text(_LIMIT).splitlines():
        if line.startswith("#"):
            section = line.lstrip("#").strip().lower()
        elif line.startswith("- "):
            lists.setdefault(section, []).append(line[2:].strip())
            name, colon, value = line[2:].partition(":")
            if colon:
                fields.setdefault(name.strip().lower(), value.strip())
    commits = _listed(lists, "commits")
    committed = _listed(lists, "changed files (commits)")
    left = [path for path in _listed(lists, "uncommitted changes") if not _is_own(path)]
    changes = [FileChange(path, LOOP if _is_own(path) else COMMIT) for path in committed]
    changes += [FileChange(path, AGENT) for path in left]
    files = {change.path for change in changes if change.origin != LOOP}
    git = {
        "commits": len(commits),
        "files_changed": len(files),
        "changed": bool(files),
        "uncommitted": len(left),
        "head": fields.get("head (after)"),
        "head_changed": fields.get("head (before)") != fields.get("head (after)"),
        "reasons": dict.fromkeys(("content", "untracked", "branch"), "the summary does not record it"),
    }
    return Summary(fields, tuple(changes), git)


def _listed(lists: Mapping[str, list[str]], section: str) -> list[str]:
    return [item for item in lists.get(section, ()) if item != _NONE]


def _is_own(path: str) -> bool:
    return path.startswith(_OWN) or any(f"/{own}" in path for own in _OWN)
