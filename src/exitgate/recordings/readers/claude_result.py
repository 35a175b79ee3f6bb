"""
Claude Code's `--output-format json`: one object, or an array of messages that ends in one.

A file is a run, and each process of the agent that wrote to it an iteration, mostly one. It tells no
instants.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.envelopes import claude
from exitgate.core.envelopes.json_text import BLANK, cut, scanned, whole
from exitgate.core.envelopes.members import objects_in, objects_of
from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.claude_stream import fold_for, run_id

ID = "claude-result"
TITLE = "Claude Code, `--output-format json`: one result per file"
GIVES = capabilities.TRANSCRIPT | capabilities.USAGE | {capabilities.DENIALS}
_RESULT = "result"
_CUT = "its JSON is cut off at the end; the rest counts"
#: Lines of a shell's, or of warnings, that may be around a result.
_WORDS = 8
_TYPES = ("system", "assistant", "user", "rate_limit_event", _RESULT)
#: Members of which a result has at least one beside its text.
_OF_RESULT = ("session_id", "sessionId", "total_cost_usd", "is_error")


def fits(look: Probe) -> bool:
    """Return whether the file is one result, or one array of messages of Claude Code's."""
    value = look.value
    if value is None and len(look.events) == 1:
        others = look.outside
        value = look.events[0] if others is not None and others <= _WORDS else None
    if value is None and look.text.lstrip()[:1] in ("{", "["):
        several, _ = values_of(look.text)
        return len(several) > 1
    return _is_process_result(value)


def _is_process_result(value: object) -> bool:
    """Return whether a value is what one process tells."""
    if isinstance(value, dict):
        return _is_result(value)
    if not isinstance(value, list) or not value:
        return False
    mine = [item for item in objects_in(value) if item.get("type") in _TYPES and claude.fits(item)]
    told = any("session_id" in item for item in mine) and not any("parentUuid" in item for item in mine)
    return told and len(mine) * 2 >= len(value)


def _is_result(value: dict[str, object]) -> bool:
    shaped = value.get("type", _RESULT) == _RESULT and claude.fits(value)
    return shaped and any(name in value for name in _OF_RESULT)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run, an iteration for each process. Raises OSError when it cannot be read."""
    yield Begin(run_id(place), PROCESS, place.path)
    several, problem = values_of(place.text())
    taken = 0
    for index, value in enumerate(several, 1):
        fold = fold_for(wants)
        taken += sum(fold.take(item) for item in objects_of(value))
        fold.gathered.cut = bool(problem) and index == len(several)
        yield fold.iteration(index, Provenance(place.path), JSON)
    if problem:
        yield Problem(place.path, problem)
    elif not taken:
        yield Problem(place.path, "it has no result")
    yield End()


def values_of(text: str) -> tuple[list[object], str]:
    """Return the values that processes reported one after the other, at least one, and what is wrong."""
    first, problem = value_of(text)
    if problem or not _is_process_result(first):
        return [first], problem
    body = text.strip(BLANK + "\0")
    found: list[object] = []
    at = min(at for at in (body.find("{"), body.find("[")) if at >= 0)
    while 0 <= at < len(body):
        read = scanned(body, at)
        if read is None:
            rest = cut(body[at:])
            if rest is not None and _is_process_result(rest.value):
                return [*found, rest.value], _CUT
            break
        if _is_process_result(read.value):
            found.append(read.value)
        at = _next(body, read.end)
    return found or [first], ""


def _next(body: str, at: int) -> int:
    """Return where the next value begins: at the head of a line; -1 without one."""
    found = [begin for mark in "{[" if (begin := body.find(f"\n{mark}", at)) >= 0]
    return min(found) + 1 if found else -1


def value_of(text: str) -> tuple[object, str]:
    """Return the first JSON value in a text, None without one, and what is wrong with it or nothing."""
    body = text.strip(BLANK + "\0")
    start = min((at for at in (body.find("{"), body.find("[")) if at >= 0), default=-1)
    if start < 0:
        return None, ""
    read = whole(body) or scanned(body, start)
    if read is not None:
        return read.value, ""
    read = cut(body[start:])
    if read is None:
        return None, "it is not JSON"
    return read.value, _CUT
