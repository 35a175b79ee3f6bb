"""
Ledgers of the forge loop: `.forge/ledgers/NAME.md`, one run a file, a section for each iteration.

A section has a list (`run_id`, `started_at`, `finished_at`, `exit_code`, `harness`) and the last lines
of what the agent's program printed, in a fence that may hold fences. Codex says its last message once more
behind the tokens that it used; Claude's stream ends with its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import objects_on
from exitgate.recordings.formats.loops.console import decoded, plain
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Provenance, RecordedIteration, from_unwrapped
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.claude_stream import fold_for
from exitgate.recordings.readers.ralph_wiggum import front_matter

ID = "forge-ledger"
TITLE = "ledger of the forge loop, .forge/ledgers/NAME.md"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.TIMES, capabilities.EXIT_STATUS, capabilities.COST, capabilities.TOKENS,
        capabilities.DENIALS,
    )
)  # fmt: skip

_NEEDED = ("loop_id", "loop_name")
_SECTION, _ITEM, _FENCE = "## ", "- ", "```"
_USED, _CODEX, _SPEAKERS = "tokens used", "codex", ("thinking", "exec", "user", "codex")
_COUNTED = ("tool_calls", "files_changed")
_NO_TEXT = "its tail has no text of the agent"


def fits(look: Probe) -> bool:
    """Return whether the file begins as such a ledger does."""
    fields = front_matter(look.text)
    return all(name in fields for name in _NEEDED) and "\n# Loop Ledger" in look.text


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be opened."""
    begun = False
    last = None
    fields = front_matter(place.text(4096))
    for index, (first, lines) in enumerate(_sections(place), 1):
        one = _iteration(place, index, first, lines, wants)
        if not begun:
            begun = True
            at = one.started_at if one.started_at is not None else instant(fields.get("created_at"))
            yield Begin(fields.get("loop_name") or place.name, PROCESS, place.path, at)
        last = one.ended_at
        yield one
    if not begun:
        yield Begin(
            fields.get("loop_name") or place.name, PROCESS, place.path, instant(fields.get("created_at"))
        )
    yield End(ended_at=last)


def _sections(place: Location) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the lines of each section: one begins with a time, wherever a fence ends."""
    first = 0
    held: list[str] = []
    for number, raw in enumerate(place.lines(), 1):
        line = decoded(raw)
        if line.startswith(_SECTION) and instant(line.removeprefix(_SECTION).strip()) is not None:
            if first:
                yield first, held
            first, held = number, []
        if first:
            held.append(line)
    if first:
        yield first, held


def _iteration(
    place: Location, index: int, first: int, lines: Sequence[str], wants: frozenset[str]
) -> RecordedIteration:
    fields: dict[str, str] = {}
    at = 1
    while at < len(lines) and not lines[at].startswith(_FENCE):
        name, colon, value = lines[at].removeprefix(_ITEM).partition(":")
        if colon and lines[at].startswith(_ITEM):
            fields.setdefault(name.strip(), value.strip())
        at += 1
    tail = list(lines[at + 1 :])
    while tail and not tail[-1].strip():
        tail.pop()
    if tail and tail[-1].strip() == _FENCE:
        tail.pop()
    code = fields.get("exit_code", "")
    status = int(code) if code.lstrip("-").isdigit() else None
    provenance = Provenance(place.path, first, first + len(lines) - 1)
    one = _said(index, provenance, tail, status, wants)
    ended = instant(fields.get("finished_at")) or instant(lines[0].removeprefix(_SECTION).strip())
    return one.but(exit_status=status, started_at=instant(fields.get("started_at")), ended_at=ended)


def _said(
    index: int, provenance: Provenance, tail: Sequence[str], status: int | None, wants: frozenset[str]
) -> RecordedIteration:
    """Return what the last lines of a program's output say of an iteration."""
    fold = fold_for(wants)
    for line in tail:
        if line.startswith("{"):
            for event in objects_on(line):
                fold.take(event)
    if fold.taken:
        one = fold.iteration(index, provenance, JSON_LINES)
        # of what the agent did, the tail shows the end alone: its counts are not counts of the iteration
        told = {key: value for key, value in one.record.items() if key not in _COUNTED}
        return one.but(record=told, tool_calls=None, files_changed=None)
    text, tokens = _of_codex([plain(line) for line in tail])
    if not text.strip():
        missing = dict.fromkeys(("response", "output"), _NO_TEXT)
        return RecordedIteration(index, provenance, not_known=missing)
    one = from_unwrapped(index, provenance, unwrap(text, failed=status not in (None, 0)))
    return one if tokens is None else one.but(record={**one.record, "tokens": tokens})


def _of_codex(tail: Sequence[str]) -> tuple[str, int | None]:
    """Return the last message and the tokens that Codex says it used; the whole text where it says none."""
    used = max((n for n, line in enumerate(tail) if line.strip() == _USED), default=-1)
    if used >= 0:
        number = tail[used + 1].strip().replace(",", "").replace(".", "") if used + 1 < len(tail) else ""
        tokens = int(number) if number.isdigit() and len(number) < 12 else None
        said = "\n".join(tail[used + 2 :]).strip("\n")
        if said.strip():
            return said, tokens
        return _last_words(tail[:used]), tokens
    return _last_words(tail), None


def _last_words(tail: Sequence[str]) -> str:
    """Return what follows the last line that says that Codex speaks; all where no line says who."""
    spoken = [n for n, line in enumerate(tail) if line.strip() in _SPEAKERS]
    if not spoken:
        return "\n".join(tail).strip("\n")
    mine = [n for n in spoken if tail[n].strip() == _CODEX]
    if not mine:
        return ""
    end = next((n for n in spoken if n > mine[-1]), len(tail))
    return "\n".join(tail[mine[-1] + 1 : end]).strip("\n")
