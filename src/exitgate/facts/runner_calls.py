"""What tools returned of test runs: better evidence than what the agent says of them."""

from __future__ import annotations

from exitgate.facts import runner_lines
from exitgate.facts.runner_figures import Figures, figures
from exitgate.facts.runner_lines import CHECK, CHECKING, RESULT, RUNNING, SUMMARY, Reading
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence
from exitgate.facts.structural import SHELL_PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.facts.lexicon import Lexicon
    from exitgate.model.evidence import Evidence

#: The source that evidence names.
SOURCE = "tool_calls"
#: Calls that are looked at, the last ones, and characters of a result: its end, where summaries are.
CALLS_LIMIT = 50
RESULT_LIMIT = 48_000
#: Characters of a command line that are looked at.
COMMAND_LIMIT = 4_000
#: Commands of one line.
PARTS_LIMIT = 50


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
    for number, call in enumerate(told[-CALLS_LIMIT:]):
        result = call.get("result")
        if not isinstance(result, str) or not _runs_tests(call.get("input"), runners):
            continue
        text = Text(result[-RESULT_LIMIT:])
        own = [r for r in runner_lines.read(text, runners, None) if _is_printed(r)]
        for reading in own:
            moved = _of_call(reading, number)
            found.append(moved)
            seen[id(moved)] = evidence(SOURCE, text, reading.start, reading.end, reading.entry.id)
        broken = _failed(call) or any(r.role == SUMMARY and r.fails for r in own)
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
    for call in told[-CALLS_LIMIT:]:
        if not isinstance(call.get("result"), str):
            continue
        for part in _parts(call.get("input")):
            for index in _commands(runners, CHECKING):
                entry, patterns = runners.patterned()[index], runners.patterns
                if patterns is None or not patterns.occurs(index, part):
                    continue
                check = str(entry.options.get("runner"))
                text = Text(part)
                last.pop(check, None)
                last[check] = evidence(SOURCE, text, 0, len(part), entry.id) if _failed(call) else None
    return tuple(one for one in last.values() if one is not None)[:EVIDENCE_LIMIT]


def _failed(call: Mapping[str, object]) -> bool:
    status = call.get("exit_status")
    return call.get("error") is True or (isinstance(status, int) and status != 0)


def _is_printed(reading: Reading) -> bool:
    """Return whether a runner printed it, or what a run of tests checks besides."""
    return reading.role in (SUMMARY, RESULT) or (
        reading.role == CHECK and reading.entry.options.get("joins") is True
    )


def _of_call(reading: Reading, number: int) -> Reading:
    return Reading(
        reading.entry, number, number + 1, number, number, reading.figures, reading.name, reading.guard
    )


def _runs_tests(input: object, runners: Lexicon) -> bool:
    """Return whether one of the commands of a call's command line runs tests."""
    patterns, running = runners.patterns, _commands(runners, RUNNING)
    return patterns is not None and any(patterns.occurs(i, part) for part in _parts(input) for i in running)


def _commands(runners: Lexicon, role: str) -> list[int]:
    """Return the numbers of the entries that are about commands of a role."""
    entries = enumerate(runners.patterned())
    return [n for n, e in entries if e.options.get("reports") == role and e.options.get("splits") is True]


def _parts(input: object) -> list[str]:
    """Return the commands of a call's command line."""
    line = input if isinstance(input, str) else ""
    if isinstance(input, dict):
        given = input.get("command", input.get("cmd", input.get("script")))
        if isinstance(given, list | tuple):
            given = " ".join(str(part) for part in given)
        line = given if isinstance(given, str) else ""
    line = line[:COMMAND_LIMIT]
    for mark in SHELL_PARTS:
        line = line.replace(mark, "\n")
    return [part.strip() for part in line.split("\n")[:PARTS_LIMIT] if part.strip()]
