"""
BB3's log of its decisions, `.ralph/logs/exit-decisions_DATE.log`: an iteration each, without its response.

Each has the scores that BB3 took from the response; they are those facts of the shipped `bb3` that bear
the same names. A run ends where BB3 decided to exit.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.envelopes.members import as_object, count_at
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import value_of
from exitgate.recordings.formats.loops.console import decoded, plain
from exitgate.recordings.formats.loops.headers import line_of
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe

ID = "bb3-decisions"
TITLE = "BB3's decisions, .ralph/logs/exit-decisions_DATE.log"
GIVES = frozenset((capabilities.TIMES, capabilities.CIRCUIT))

_DECISION, _REASON, _METRICS, _CIRCUIT = "Decision: ", "Reason: ", "Metrics: ", "Circuit status: "
_EXIT = "EXIT"
#: Beginnings of BB3's reasons -> class.
_REASONS = (
    ("Circuit breaker", "halted"),
    ("Task completion", "complete"),
    ("All ", "complete"),
    ("AI confidence", "review"),
    ("Error count", "stuck"),
    ("No progress", "stuck"),
)
_SILENT = dict.fromkeys(("response", "output", "tool_results"), "BB3's log does not keep responses")


class _Decision:
    """One decision: its first line, when it was made, what was decided, and why."""

    def __init__(self, line: int, at: float | None, verdict: str) -> None:
        self.line = self.last = line
        self.at = at
        self.verdict = verdict
        self.reason = ""
        self.facts: dict[str, object] = {}
        self.circuit: dict[str, object] | None = None

    def take(self, line: int, text: str) -> None:
        """Take a line below the first."""
        self.last = line
        if text.startswith(_REASON):
            self.reason = text.removeprefix(_REASON)
        elif text.startswith(_CIRCUIT):
            self.circuit = {"state": text.removeprefix(_CIRCUIT).strip()}
        elif text.startswith(_METRICS):
            read = value_of(text.removeprefix(_METRICS))
            value = as_object(None if read is None else read.value)
            named = (("confidence", "confidence"), ("error_count", "errors.count"))
            self.facts = {name: n for key, name in named if (n := count_at(value, key)) is not None}

    def iteration(self, index: int, file: str) -> RecordedIteration:
        """Return the iteration that was decided on."""
        where = Provenance(file, self.line, self.last)
        facts = self.facts or None
        return RecordedIteration(
            index, where, ended_at=self.at, not_known=_SILENT, circuit=self.circuit, facts=facts
        )

    def end(self) -> End:
        """Return the end that the decision is."""
        how = next((how for begin, how in _REASONS if self.reason.startswith(begin)), None)
        return End(how, self.reason, self.at)


def fits(look: Probe) -> bool:
    """Return whether the file begins with such a decision."""
    return any(_decided(plain(line)) is not None for line in look.text.lstrip().split("\n", 1)[:1])


def _decided(text: str) -> tuple[float | None, str] | None:
    line = line_of(text)
    if line.stamp is None or not line.body.startswith(_DECISION):
        return None
    verdict = line.body.removeprefix(_DECISION).strip()
    return (line.stamp.at, verdict) if verdict in ("CONTINUE", _EXIT) else None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when it cannot be opened."""
    name = place.name.rpartition(".")[0] or place.name
    runs = index = 0
    open_ = False
    for one in _decisions(place):
        if not open_:
            runs, index, open_ = runs + 1, 0, True
            yield Begin(name if runs == 1 else f"{name}#{runs}", PROCESS, place.path)
        index += 1
        yield one.iteration(index, place.path)
        if one.verdict == _EXIT:
            yield one.end()
            open_ = False
    if open_:
        yield End()


def _decisions(place: Location) -> Iterator[_Decision]:
    held: _Decision | None = None
    for number, raw in enumerate(place.lines(), 1):
        text = plain(decoded(raw)).strip()
        decided = _decided(text)
        if decided is not None:
            if held is not None:
                yield held
            held = _Decision(number, *decided)
        elif held is not None and text:
            held.take(number, text)
    if held is not None:
        yield held
