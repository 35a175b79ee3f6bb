"""From launches of iannuttall/ralph, and the files of their iterations, to runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.envelopes.plain import TEXT
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.recordings.formats.json_files import uncoloured
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location, cannot_open
from exitgate.recordings.model import (
    AGENT,
    COMMIT,
    LOOP,
    PROCESS,
    Begin,
    End,
    FileChange,
    Part,
    Provenance,
    RecordedIteration,
    ToolCall,
)
from exitgate.recordings.readers.ralph_iannuttall.activity import (
    SUCCESS,
    KnownIteration,
    Launch,
    events_in,
    launches,
)

Files = Mapping[tuple[str, int], Mapping[str, Location]]


_ACTIVITY = "activity.log"
_LIMIT = 16_000_000
_NO_LOG, _EMPTY_LOG = "its log does not exist", "its log is empty"
_NO_PLAN = "the loop keeps no copy of its stories, and chose none after this iteration"


def folder_runs(place: Location) -> Iterator[Part]:
    """Yield the runs of a state folder. Raises OSError."""
    parts: dict[tuple[str, int], dict[str, Location]] = {}
    for key, own in files_in(place).items():
        wrong = {kind: problem for kind, one in own.items() if (problem := cannot_open(one)) is not None}
        yield from wrong.values()
        parts[key] = {kind: one for kind, one in own.items() if kind not in wrong}
    kept: dict[str, dict[int, KnownIteration]] = {}
    for run, number in sorted(parts):
        own = parts[run, number]
        if LOG in own or SUMMARY in own:
            kept.setdefault(run, {})[number] = _known(number, own)
    log = place.at(_ACTIVITY) if _ACTIVITY in place.names() else None
    if log is not None and (problem := cannot_open(log)) is not None:
        yield problem
        log = None
    told = () if log is None else events_in(log)
    yield from log_runs(log or place, launches(told, kept), parts)


def _known(number: int, own: Mapping[str, Location]) -> KnownIteration:
    """Return what the summary of an iteration says of it. Raises OSError."""
    known = KnownIteration(number, kept=True)
    summary = summary_in(own)
    if summary is not None:
        known.started = instant(summary.fields.get("started"))
        known.ended = instant(summary.fields.get("ended"))
        known.story = _id(summary.fields.get("story", ""))
        known.status = summary.fields.get("status", "")
    return known


def log_runs(place: Location, found: Sequence[Launch], parts: Files) -> Iterator[Part]:
    """Yield a run for each launch, `parts` the files of its iterations. Raises OSError."""
    for nth, launch in enumerate(found, 1):
        order = [launch.known[number] for number in sorted(launch.known)]
        begun = order[0].started if order else launch.dangling.started if launch.dangling else None
        yield Begin(launch.id or f"launch-{nth}", PROCESS, place.path, begun)
        stories = _Stories()
        following = [*order[1:], launch.dangling][: len(order)]
        for index, (known, after) in enumerate(zip(order, following, strict=True), 1):
            own = parts.get((launch.id, known.number), {})
            summary = summary_in(own)
            story = known.story or ("" if summary is None else _id(summary.fields.get("story", "")))
            title = "" if summary is None else summary.fields.get("story", "")
            chosen = "" if after is None else after.story or f"iteration {after.number}"
            plan = stories.after(story, title, chosen)
            one = _iteration(index, place, known, own, summary)
            if plan is None:
                one = one.but(not_known={**one.not_known, "plan": _NO_PLAN})
            yield one.but(plan=plan)
        yield _end(launch, order)


def _end(launch: Launch, order: Sequence[KnownIteration]) -> End:
    at = order[-1].ended if order else None
    if launch.dangling is None:
        return End(ended_at=at)
    return End("interrupted", f"iteration {launch.dangling.number} began and did not end", at)


def _iteration(
    index: int,
    place: Location,
    known: KnownIteration,
    own: Mapping[str, Location],
    summary: Summary | None,
) -> RecordedIteration:
    told: dict[str, object] = {}
    not_known: dict[str, str] = {}
    text = own[LOG].text(_LIMIT) if LOG in own else ""
    if text.strip():
        told = parts_of(text)
    else:
        why = _EMPTY_LOG if LOG in own else _NO_LOG
        not_known = dict.fromkeys(("response", "output", "tool_results"), why)
    if PROMPT in own:
        told["prompt"] = own[PROMPT].text(_LIMIT)
    started, ended, status = known.started, known.ended, known.status
    if summary is not None:
        told |= {"files_changed": summary.changes, "git": summary.git}
        started = started if started is not None else instant(summary.fields.get("started"))
        ended = ended if ended is not None else instant(summary.fields.get("ended"))
        status = status or summary.fields.get("status", "")
    where = own.get(LOG) or own.get(SUMMARY)
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


# Files of an iteration of iannuttall/ralph: its log, its summary, its prompt; nested or flattened.

LOG, SUMMARY, PROMPT = "log", "summary", "prompt"
_RUN, _PROMPT = "run-", "prompt-"
_ITER = "-iter-"
_TEXT_LIMIT = 16_000_000
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


def files_in(place: Location) -> Mapping[tuple[str, int], Mapping[str, Location]]:
    """Return run and number -> kind -> file, of all in the state folder. Raises OSError."""
    names = list(place.names())
    for below in ("runs/", ".tmp/", "tmp/"):
        if below in names:
            names += [below + name for name in place.at(below.rstrip("/"), True).names()]
    found: dict[tuple[str, int], dict[str, Location]] = {}
    for name in names:
        part = part_of(name)
        if part is not None:
            found.setdefault((part[0], part[2]), {})[part[1]] = place.at(name)
    return found


class Summary(Struct, frozen=True):
    """
    What a summary says: fields of its list in lower case, files changed, the source `git`.

    `started`, `ended`, `status`, `story` are in `fields`.
    """

    fields: Mapping[str, str]
    changes: tuple[FileChange, ...]
    git: Mapping[str, object]


def is_summary(text: str) -> bool:
    """Return whether a text begins as a summary does."""
    return text.lstrip().startswith(_TITLE)


def summary_in(own: Mapping[str, Location]) -> Summary | None:
    """Return what the loop's summary of an iteration says, None without one or for one of the agent's."""
    place = own.get(SUMMARY)
    return summary_of(place) if place is not None and is_summary(place.text(_TEXT_LIMIT)) else None


def summary_of(place: Location) -> Summary:
    """Return what a summary says. Raises OSError."""
    fields: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    section = ""
    for line in place.text(_TEXT_LIMIT).splitlines():
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


# The text that an agent's program printed in an iteration, taken apart.
#
# Claude Code's and Codex's are unwrapped as everywhere. opencode's coloured lines name each tool; what a
# command printed is below, up to a blank line, and what comes then is taken as the agent's own words, so
# that the rest of an output with blank lines in it is among them.

#: With what a tool's line begins: colour, a bar in bold, the tool's name in grey.
_BAR = "\x1b[1m| \x1b[0m\x1b[90m "
_COLOUR = "\x1b["
#: The tool below whose line is what it printed.
_SHELL = "Bash"
_LATEST_BAR = 12


def parts_of(text: str) -> dict[str, object]:
    """Return parts of a `RecordedIteration`: response, output, tool results, tool calls, record."""
    if not is_tui(text):
        found = unwrap(text)
        return {
            "response": found.response,
            "output": found.output,
            "tool_results": found.tool_results,
            "record": found.record,
        }
    blocks = _blocks(text)
    said = [words for _, words, _ in blocks if words]
    printed = [shown for _, _, shown in blocks if shown]
    calls = tuple(call for call, _, _ in blocks if call is not None)
    return {
        "response": blocks[-1][1],
        "output": "\n\n".join(said),
        "tool_results": "\n".join(printed),
        "tool_calls": calls,
        "record": _record(calls),
    }


def is_tui(text: str) -> bool:
    """Return whether a text has lines of opencode's that name a tool."""
    return _BAR in text


def _record(calls: tuple[ToolCall, ...]) -> Mapping[str, object]:
    return {"format": TEXT, "tool_calls": len(calls)}


def _blocks(text: str) -> list[tuple[ToolCall | None, str, str]]:
    """Return tool, own words behind it, what it printed; the first block has no tool."""
    blocks: list[tuple[ToolCall | None, list[str]]] = [(None, [])]
    for line in text.splitlines():
        at = line.find(_BAR)
        if 0 <= at <= _LATEST_BAR and line.startswith(_COLOUR):
            name, _, about = uncoloured(line[at + len(_BAR) :]).strip().partition(" ")
            blocks.append((ToolCall(name, about.strip()), []))
        else:
            blocks[-1][1].append(uncoloured(line))
    return [(call, *_parted(call, lines)) for call, lines in blocks]


def _parted(call: ToolCall | None, lines: list[str]) -> tuple[str, str]:
    """Return the agent's words in the lines behind a tool's, and what the tool printed."""
    if call is None or call.name != _SHELL:
        return "\n".join(lines).strip(), ""
    body = "\n".join(lines).lstrip("\n")
    printed, _, words = body.partition("\n\n") if lines and not lines[0].strip() else ("", "", body)
    return words.strip(), printed.strip()
