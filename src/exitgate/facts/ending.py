"""How an agent's turn ended, from the record of its result: sound, or with which kind of trouble."""

from __future__ import annotations

from exitgate.facts.extractors.run import INTERRUPTED
from exitgate.facts.record_values import amount
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.facts.trouble import Trouble, Watch
    from exitgate.model.evidence import Evidence
    from exitgate.model.iteration import Iteration

NONE, OTHER, CRASH, TIMEOUT, USAGE = "NONE", "OTHER", "CRASH", "TIMEOUT", "USAGE_LIMIT"
NO_START, CUT_SHORT, HALTED = "CANNOT_START", "CUT_SHORT", "HALTED"
KINDS = (
    NONE, USAGE, "RATE_LIMIT", "OVERLOADED", "AUTH", "MODEL", NO_START, TIMEOUT, CUT_SHORT, HALTED, CRASH,
    OTHER,
)  # fmt: skip
LIMITED = (USAGE, "RATE_LIMIT")
#: Longest line, in characters, with which a program stops its agent.
HALTING = 400
#: Of `timeout` when time is up, and of a process killed because it would not end.
TIMEOUTS = (124, 137)
#: Status of a shell whose command could not be started.
NOT_STARTED = {126: "the agent's command cannot be run", 127: "the agent's command was not found"}
#: `limits` say this of a limit that was met.
REJECTED = "rejected"
#: Field of the record: the answer is nothing but the program's own error, which is in `tail`.
ALONE = "alone"
#: Fields of the record whose text is the program's own word on its error.
REPORTED = ("error", "subtype", "stop_reason")


class Ending(Value):
    """
    How a turn ended.

    Args:
        kind: One of `KINDS`.
        failed: Whether it failed, or None when nothing says it.
        timed_out: Its time was up.
        wait: Seconds until it may be tried again, or why that is not known.
        evidence: What was said.
        rejected: Printed lines that looked like trouble, each with the guard that refused it.
        note: What the exit status says, for people.
    """

    __slots__ = ("evidence", "failed", "kind", "note", "rejected", "timed_out", "wait")

    def __init__(
        self,
        kind: str,
        failed: bool | None,
        timed_out: bool,
        wait: int | Unknown,
        evidence: tuple[Evidence, ...] = (),
        rejected: tuple[Evidence, ...] = (),
        note: str = "",
    ) -> None:
        self.kind = kind
        self.failed = failed
        self.timed_out = timed_out
        self.wait = wait
        self.evidence = evidence
        self.rejected = rejected
        self.note = note


class _Said(Value):
    """Trouble with the text it is in."""

    __slots__ = ("field", "text", "trouble")

    def __init__(self, field: str, text: Text, trouble: Trouble) -> None:
        self.field = field
        self.text = text
        self.trouble = trouble


def ending(
    record: Mapping[str, object], source: str, options: Mapping[str, object], iteration: Iteration
) -> Ending:
    """
    Return how the turn ended.

    An answer that is nothing but the program's own error is one, no matter what the exit status.

    The first that speaks decides: a limit that the service rejected, the program's report of an error,
    an exit status for time that was up, the last lines that were printed, the exit status. Exit status 0
    without a reported error is sound, no matter what the texts say; an interruption is not a failure.
    """
    status = _status(record)
    limit = _rejected(record)
    failed = _failed(record, status, limit is not None, options)
    timed_out = status in _timeouts(options)
    note = _note(status)
    if not failed:
        return Ending(NONE, failed, timed_out, Unknown("no error was reported"), note=note)
    counting = list(_reported(record, iteration, options))
    rejected: list[_Said] = []
    if not timed_out and not counting and limit is None:
        printed = list(_printed(record, status, options))
        # the last word of a program is what it ended with
        counting = [s for s in reversed(printed) if s.trouble.guard is None]
        rejected = [s for s in printed if s.trouble.guard is not None]
    said = bool(record.get("tail")) or bool(iteration.source("response").text)
    kind = USAGE if limit is not None else _kind(counting, status, timed_out, said)
    return Ending(
        kind,
        failed,
        timed_out,
        _wait(record, limit, counting, iteration, options),
        tuple(_shown(source, s) for s in counting[:EVIDENCE_LIMIT]) + _plain(record, limit, counting, source),
        tuple(_shown(source, s) for s in rejected[:EVIDENCE_LIMIT]),
        note,
    )


def _failed(
    record: Mapping[str, object], status: int | None, rejected: bool, options: Mapping[str, object]
) -> bool | None:
    said = record.get("is_error")
    if said is True:
        return True
    if status is not None and status != 0:
        return status not in INTERRUPTED
    if said is False:
        return False
    if record.get("error") or any(True for f in REPORTED for _ in _in_field(record, f, options)):
        return True
    if status == 0:
        return False
    return True if rejected else None


def _kind(counting: list[_Said], status: int | None, timed_out: bool, said: bool) -> str:
    for one in counting:
        kind = one.trouble.kind.upper().replace("-", "_")
        if kind in KINDS and kind != OTHER:
            return kind
    if timed_out:
        return TIMEOUT
    if status in NOT_STARTED and not counting and not said:
        return NO_START
    # a negative status is the number of the signal, as some runners tell it
    return CRASH if status is not None and (status < 0 or status > 128) and not counting else OTHER


def _reported(
    record: Mapping[str, object], iteration: Iteration, options: Mapping[str, object]
) -> Iterator[_Said]:
    if record.get(ALONE) is True:
        # what it printed last is what it ended with
        text = Text(str(record.get("tail") or ""))
        yield from reversed([_Said("tail", text, t) for t in _watch(options).own(text)])
        return
    if record.get("is_error") is True and not record.get("error"):
        # an error without a text of its own has it instead of the answer
        answer = iteration.source("response").text
        record = {**record, "error": answer or ""}
    for field in REPORTED:
        yield from _in_field(record, field, options)


def _in_field(record: Mapping[str, object], field: str, options: Mapping[str, object]) -> Iterator[_Said]:
    written = record.get(field)
    if isinstance(written, str) and written:
        text = Text(written)
        yield from (_Said(field, text, t) for t in _watch(options).reported(text))


def _printed(
    record: Mapping[str, object], status: int | None, options: Mapping[str, object]
) -> Iterator[_Said]:
    written = record.get("tail")
    if isinstance(written, str) and written and status:
        text = Text(written)
        yield from (_Said("tail", text, t) for t in _watch(options).printed(text))


def _watch(options: Mapping[str, object]) -> Watch:
    from exitgate.facts.trouble import watch

    return watch(options)


def _wait(
    record: Mapping[str, object],
    limit: Mapping[str, object] | None,
    counting: list[_Said],
    iteration: Iteration,
    options: Mapping[str, object],
) -> int | Unknown:
    from exitgate.facts import retry_time

    if limit is not None and limit.get("resets_at") is not None:
        return retry_time.instant(limit["resets_at"], iteration.time)
    for said in counting:
        if said.trouble.retry:
            words = _watch(options).words
            return retry_time.seconds_until(
                said.trouble.retry, words, iteration.time, record.get("utc_offset")
            )
    return Unknown("no retry time was given")


def _rejected(record: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the last event on limits where it was a rejection, else None: later ones overtake it."""
    limits = record.get("limits")
    last = limits[-1] if isinstance(limits, list | tuple) and limits else None
    return last if isinstance(last, dict) and last.get("status") == REJECTED else None


def _status(record: Mapping[str, object]) -> int | None:
    number = amount(record.get("agent_exit"))
    return int(number) if number is not None else None


def _timeouts(options: Mapping[str, object]) -> tuple[object, ...]:
    given = options.get("timeouts")
    named = tuple(given) if isinstance(given, list | tuple) else TIMEOUTS
    # 128 and the number of a signal is its negative elsewhere
    return named + tuple(128 - n for n in named if isinstance(n, int) and n > 128)


def _note(status: int | None) -> str:
    if not status:
        return ""
    return NOT_STARTED.get(status, f"exit status {status}")


def _shown(source: str, said: _Said) -> Evidence:
    trouble = said.trouble
    note = f"{trouble.entry}, in `{said.field}`"
    return evidence(source, said.text, trouble.start, trouble.end, note, trouble.guard)


def _plain(
    record: Mapping[str, object], limit: Mapping[str, object] | None, counting: list[_Said], source: str
) -> tuple[Evidence, ...]:
    """Return the rejection, and the reported error itself where no entry of the lexicon knows it."""
    found = []
    written = record.get("error")
    if not counting and isinstance(written, str) and written.strip():
        start = len(written) - len(written.lstrip())
        text = Text(written)
        end = text.lines.span(text.lines.number(start))[1]
        found.append(evidence(source, text, start, end, "in `error`"))
    if limit is not None:
        found.append(evidence(source, Text(REJECTED), 0, len(REJECTED), "in `limits`"))
    return tuple(found)


def halting_line(answer: str | None, options: Mapping[str, object]) -> tuple[Evidence, ...]:
    """Return the last line of an answer as evidence where it is that with which a program stops its agent."""
    body = (answer or "").rstrip()
    start = body.rfind("\n") + 1
    line = body[start:]
    if not line or len(line) > HALTING or not _watch(options).alone(line):
        return ()
    text = Text(body)
    for trouble in _watch(options).printed(Text(line)):
        if trouble.kind.upper() == HALTED:
            return (evidence("response", text, start, len(body), trouble.entry),)
    return ()
