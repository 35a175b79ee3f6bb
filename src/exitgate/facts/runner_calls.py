"""What tools returned of test runs: better evidence than what the agent says of them."""

from __future__ import annotations

from exitgate.facts import runner_lines
from exitgate.facts.commands import commands, failed
from exitgate.facts.runner_figures import Figures, figures
from exitgate.facts.runner_lines import CHECK, CHECKING, RESULT, RUNNING, SUMMARY, Reading
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.facts.lexicon import Entry, Lexicon
    from exitgate.model.evidence import Evidence

#: The source that evidence names.
SOURCE = "tool_calls"
#: Calls that are looked at, the last ones, and characters of a result: its end, where summaries are.
CALLS_LIMIT = 50
RESULT_LIMIT = 48_000
#: Commands of one line.
COMMANDS_LIMIT = 50


def of_calls(
    told: Sequence[Mapping[str, object]], runners: Lexicon
) -> tuple[Figures, tuple[Evidence, ...]] | None:
    """
    Return how the last runs of tests went by what commands printed, with evidence; None without any.

    Only results of commands that run tests are read: what shows a file or a log runs none. Each call is one
    run; of each runner the last counts, as `figures` says. A run within which any summary tells of failures
    does not pass, nor does one whose call failed.
    """
    found: list[Reading] = []
    seen: dict[int, Evidence] = {}
    broken: bool | None = None
    running = _entries(runners, RUNNING)
    for number, call in enumerate(told[-CALLS_LIMIT:]):
        result = call.get("result")
        if not isinstance(result, str) or next(_ran(call, runners, running), None) is None:
            continue
        text = Text(result[-RESULT_LIMIT:])
        own = [r for r in runner_lines.read(text, runners, None) if _is_printed(r)]
        for reading in own:
            moved = _of_call(reading, number)
            found.append(moved)
            seen[id(moved)] = evidence(SOURCE, text, reading.start, reading.end, reading.entry.id)
        broken = failed(call) or any(r.role == SUMMARY and r.fails for r in own)
    if broken is None:
        return None
    come = figures(found)
    if come is None and not broken:
        return None
    come = come or Figures()
    if broken and not come.failed:
        come = come.but(passing=False, failed=None)
    return come, tuple(seen[id(r)] for r in come.readings[:EVIDENCE_LIMIT])


def failing_checks(told: Sequence[Mapping[str, object]], runners: Lexicon) -> tuple[Evidence, ...]:
    """Return the line of each command that builds, lints or checks types and failed when it last ran."""
    last: dict[str, Evidence | None] = {}
    checking = _entries(runners, CHECKING)
    for call in told[-CALLS_LIMIT:]:
        for command, entry in _ran(call, runners, checking):
            check = str(entry.options.get("runner"))
            last.pop(check, None)
            shown = evidence(SOURCE, Text(command), 0, len(command), entry.id) if failed(call) else None
            last[check] = shown
    return tuple(one for one in last.values() if one is not None)[:EVIDENCE_LIMIT]


def _is_printed(reading: Reading) -> bool:
    """Return whether a runner printed it, or what a run of tests checks besides."""
    return reading.role in (SUMMARY, RESULT) or (
        reading.role == CHECK and reading.entry.options.get("joins") is True
    )


def _of_call(reading: Reading, number: int) -> Reading:
    return Reading(
        reading.entry, number, number + 1, number, number, reading.figures, reading.name, reading.guard
    )


def _entries(runners: Lexicon, role: str) -> list[tuple[int, Entry]]:
    """Return the entries that are about commands of a role, with their numbers."""
    numbered = enumerate(runners.patterned())
    return [
        (n, e) for n, e in numbered if e.options.get("reports") == role and e.options.get("splits") is True
    ]


def _ran(
    call: Mapping[str, object], runners: Lexicon, among: Sequence[tuple[int, Entry]]
) -> Iterator[tuple[str, Entry]]:
    """Yield the commands of a call that came back which are about one of the entries, with the entry."""
    patterns = runners.patterns
    if patterns is None or not isinstance(call.get("result"), str):
        return
    for command in commands(call.get("input"))[:COMMANDS_LIMIT]:
        for index, entry in among:
            if patterns.occurs(index, command):
                yield command, entry
