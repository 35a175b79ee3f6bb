"""What tools returned of test runs: better evidence than what the agent says of them."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.lexicon import Lexicon
from exitgate.core.facts.test_runs import lines
from exitgate.core.facts.test_runs.figures import Figures, figures
from exitgate.core.facts.test_runs.lines import (
    CHECK,
    FAILED,
    NAME,
    OUTPUT,
    PASSED,
    RESULT,
    RUNNING,
    STATEMENT,
    SUMMARY,
    Reading,
)
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, Text, evidence
from exitgate.core.facts.turn.calls import commands, failed, hides_status
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.lexicons.lexicon import Entry
    from exitgate.core.model.fact import Evidence


#: The source that evidence names.
SOURCE = "tool_calls"
#: Calls that are looked at, the last ones, and characters of a result: its end, where summaries are.
CALLS_LIMIT = 50
RESULT_LIMIT = 48_000
#: Commands of one line.
COMMANDS_LIMIT = 50
#: What an entry on commands may be about: `RUNNING`, a run of tests that a text may name, and these, asked
#: of calls alone: a run of tests; a check; what only shows texts; a failure of a command that is not one.
TESTING = "testing"
CHECKING = "checking"
SHOWING = "showing"
EXCUSE = "excuse"
COMMANDS = frozenset((RUNNING, TESTING, CHECKING, SHOWING, EXCUSE))
PRINTED = frozenset((SUMMARY, RESULT, OUTPUT, CHECK))


class Words(Value):
    """The entries of a lexicon on what commands print, and on commands; the latter by what they are about."""

    __slots__ = ("_by_role", "commands", "printed")

    def __init__(self, printed: Lexicon, commands: Lexicon) -> None:
        self.printed = printed
        self.commands = commands
        self._by_role: dict[str, list[tuple[int, Entry]]] = {}
        for number, entry in enumerate(commands.patterned()):
            self._by_role.setdefault(str(entry.options.get("reports")), []).append((number, entry))

    def of(self, text: str, *roles: str) -> tuple[int, Entry] | None:
        """Return the first entry of one of the roles that is about a command, with its number."""
        patterns = self.commands.patterns
        among = (one for role in roles for one in self._by_role.get(role, ()))
        return next((one for one in among if patterns is not None and patterns.occurs(one[0], text)), None)

    def name(self, number: int, text: str) -> str:
        """Return the group `NAME` of the entry's match, the empty text where it has none."""
        patterns = self.commands.patterns
        return "" if patterns is None else patterns.groups(number, text).get(NAME, "")


def of_calls(told: Sequence[JsonObject], words: Words) -> tuple[Figures, tuple[Evidence, ...]] | None:
    """
    Return how the last runs of tests went by what commands printed, with evidence; None without any.

    Results of commands that run tests are read, and of any other command that failed and shows failing
    tests: a project's own script may run them. What only shows a file or a log runs none. Each call is one
    run; of each runner the last counts, as `figures` says, and the same command again replaces its
    earlier result. A run within which any summary shows failures does not pass, nor does one whose
    call failed.
    """
    found: list[Reading] = []
    seen: dict[int, Evidence] = {}
    by_command: dict[str, list[Reading]] = {}
    broken: bool | None = None
    for number, call in enumerate(told[-CALLS_LIMIT:]):
        result = call.text("result")
        if result is None:
            continue
        command, tests = _command(commands(call.get("input"))[:COMMANDS_LIMIT], words)
        bad = failed(call)
        if not command or not (tests or bad or command in by_command):
            continue
        text = Text(result[-RESULT_LIMIT:])
        readings = lines.read(text, words.printed, None)
        own = [r for r in readings if _is_printed(r)] or (_rows(readings) if bad else [])
        if not tests and bad and not any(r.fails or _adds_failure(r) for r in own):
            continue
        if own or not (bad or hides_status(call.get("input"))):
            before = {id(r) for r in by_command.pop(command, ())}
            found = [r for r in found if id(r) not in before]
        for reading in own:
            moved = _of_call(reading, number)
            found.append(moved)
            by_command.setdefault(command, []).append(moved)
            seen[id(moved)] = evidence(SOURCE, text, reading.start, reading.end, reading.entry.id)
        broken = bad or any(r.fails for r in [r for r in own if r.role == SUMMARY] or own)
    if broken is None:
        return None
    come = figures(found)
    if come is None and not broken:
        return None
    come = come or Figures()
    if broken and not come.failed:
        come = come.but(passing=False, failed=None)
    return come, tuple(seen[id(r)] for r in come.readings[:EVIDENCE_LIMIT])


def failing_checks(told: Sequence[JsonObject], words: Words) -> tuple[Evidence, ...]:
    """
    Return the line of each command that builds, checks or commits and failed when it last ran.

    Commands of one kind are the same check, and where their entry names them (`name`) those of one name.
    Where the line hides the status of the command, what it printed counts.
    """
    last: dict[tuple[str, str], Evidence | None] = {}
    for call in told[-CALLS_LIMIT:]:
        result = call.text("result")
        if result is None:
            continue
        for command in commands(call.get("input"))[:COMMANDS_LIMIT]:
            one = words.of(command, CHECKING)
            if one is None:
                continue
            number, entry = one
            kind = str(entry.options.get("runner"))
            check = (kind, " ".join(words.name(number, command).split()))
            bad = failed(call) or (hides_status(call.get("input")) and _reports_failure(result, words))
            bad = bad and not _is_excused(result, kind, words)
            shown = evidence(SOURCE, Text(command), 0, len(command), entry.id) if bad else None
            last.pop(check, None)
            last[check] = shown
    return tuple(one for one in last.values() if one is not None)[:EVIDENCE_LIMIT]


def _command(parts: Sequence[str], words: Words) -> tuple[str, bool]:
    """
    Return the command of a line that runs tests, or the first that may, and whether it is known to.

    The empty text where all of them only show something.
    """
    known = next((part for part in parts if words.of(part, RUNNING, TESTING)), None)
    if known is not None:
        return known, True
    return next((part for part in parts if words.of(part, SHOWING) is None), ""), False


def _adds_failure(reading: Reading) -> bool:
    """Return whether it is the line on a test that failed."""
    return reading.role == RESULT and reading.entry.options.get("adds") == FAILED


def _rows(readings: Sequence[Reading]) -> list[Reading]:
    """Return the rows of counts that a project's own script prints, where both kinds are counted."""
    rows = [r for r in readings if r.role == STATEMENT and r.guard is None]
    counted = {name for r in rows for name in r.figures}
    return rows if counted >= {PASSED, FAILED} else []


def _reports_failure(result: str, words: Words) -> bool:
    """Return whether what a command printed says that it failed."""
    readings = lines.read(Text(result[-RESULT_LIMIT:]), words.printed, None)
    return any(r.role == CHECK and r.fails and r.guard is None for r in readings)


def _is_excused(result: str, kind: str, words: Words) -> bool:
    """Return whether a line of a result says why a command of a kind ended with a status and did not fail."""
    for line in result[-EXCUSE_LIMIT:].splitlines():
        one = words.of(line, EXCUSE)
        if one is not None and one[1].options.get("runner") == kind:
            return True
    return False


#: Characters of a result in which an excuse is looked for.
EXCUSE_LIMIT = 4_000


def _is_printed(reading: Reading) -> bool:
    """Return whether a runner printed it, or what a run of tests checks besides."""
    return reading.role in (SUMMARY, RESULT) or (
        reading.role == CHECK and reading.entry.options.get("joins") is True
    )


def _of_call(reading: Reading, number: int) -> Reading:
    return Reading(
        reading.entry, number, number + 1, number, number, reading.figures, reading.name, reading.guard
    )


@lexicons.kept
def ready(options: JsonObject) -> Words:
    """Return the words of the option `lexicon` about commands, and about what they print."""
    plain = options.object("lexicon")
    entries = lexicons.entries_of(plain)
    guards = plain.object("guards")
    printed = [
        e for e in entries if e.get("reports") in PRINTED or (e.get("row") and e.get("reports") == STATEMENT)
    ]
    asked = [e for e in entries if e.get("reports") in COMMANDS]
    made = (lexicons.ready(JsonObject(entries=one, guards=guards)) for one in (printed, asked))
    return Words(*made)
