"""
The state of the ralph-wiggum plugin: `.claude/ralph-loop.local.md`.

It says how far a loop in a session has come, its bounds and its promise, and nothing of what was said:
a run without iterations. The transcript is the session's own JSON lines, which `claude-session` reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exitgate.core.model import capabilities
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "ralph-wiggum"
TITLE = "state of the ralph-wiggum plugin, .claude/ralph-loop.local.md"
GIVES = frozenset((capabilities.FILES,))

_FENCE = "---"
_NEEDED = ("iteration", "max_iterations", "completion_promise")
_LIMIT = 1_000_000


def fits(look: Probe) -> bool:
    """Return whether the file is such a state."""
    return all(name in front_matter(look.text) for name in _NEEDED)


def front_matter(text: str) -> Mapping[str, str]:
    """Return the fields between the first two lines of dashes, none where there are no such lines."""
    lines = text.lstrip().splitlines()
    if not lines or lines[0].strip() != _FENCE:
        return {}
    end = next((n for n, line in enumerate(lines[1:60], 1) if line.strip() == _FENCE), 0)
    split = (line.partition(":") for line in lines[1:end])
    return {name.strip(): value.strip().strip('"') for name, colon, value in split if colon}


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    text = place.text(_LIMIT)
    fields = front_matter(text)
    said = [f"{name} {fields[name]}" for name in _NEEDED if fields.get(name)]
    session = fields.get("session_id") or place.name
    started = instant(fields.get("started_at"))
    yield Begin(session, PROCESS, place.path, started, ", ".join(said), files={place.path: text})
    yield End(why=f"at iteration {fields['iteration']}" if fields.get("iteration") else "")
    where = f"`{fields['session_id']}.jsonl`" if fields.get("session_id") else "its session's JSON lines"
    yield Problem(place.path, f"a state file has no iterations; {where} below `~/.claude/projects/` has them")
