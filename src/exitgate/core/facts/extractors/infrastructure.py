"""`infrastructure`: whether the agent could work at all, and when to try again where it could not."""

from __future__ import annotations

from exitgate.core.facts.extractors.run import INTERRUPTED
from exitgate.core.facts.records import amount
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, Text, evidence
from exitgate.core.model.fact import EXCERPT_LIMIT, Fact, FactSpec
from exitgate.core.model.json_object import JsonObject, objects_of, whole_of
from exitgate.core.model.value import BOOL, DURATION, TEXT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.turn.trouble import Trouble, Watch
    from exitgate.core.model.fact import Evidence, Iteration


# How an agent's turn ended, from the record of its result: sound, or with which kind of trouble.

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


def ending_of(record: JsonObject, source: str, options: JsonObject, iteration: Iteration) -> Ending:
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


def _failed(record: JsonObject, status: int | None, rejected: bool, options: JsonObject) -> bool | None:
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


def _reported(record: JsonObject, iteration: Iteration, options: JsonObject) -> Iterator[_Said]:
    if record.flag(ALONE):
        # what it printed last is what it ended with
        text = Text(str(record.get("tail") or ""))
        yield from reversed([_Said("tail", text, t) for t in _watch(options).own(text)])
        return
    if record.flag("is_error") and not record.get("error"):
        # an error without a text of its own has it instead of the answer
        answer = iteration.source("response").text
        record = JsonObject({**record, "error": answer or ""})
    for field in REPORTED:
        yield from _in_field(record, field, options)


def _in_field(record: JsonObject, field: str, options: JsonObject) -> Iterator[_Said]:
    written = record.text(field)
    if written:
        text = Text(written)
        yield from (_Said(field, text, t) for t in _watch(options).reported(text))


def _printed(record: JsonObject, status: int | None, options: JsonObject) -> Iterator[_Said]:
    written = record.text("tail")
    if written and status:
        text = Text(written)
        yield from (_Said("tail", text, t) for t in _watch(options).printed(text))


def _watch(options: JsonObject) -> Watch:
    from exitgate.core.facts.turn.trouble import watch

    return watch(options)


def _wait(
    record: JsonObject,
    limit: JsonObject | None,
    counting: list[_Said],
    iteration: Iteration,
    options: JsonObject,
) -> int | Unknown:
    from exitgate.core.facts.turn import retry_time

    if limit is not None and limit.get("resets_at") is not None:
        return retry_time.instant(limit["resets_at"], iteration.time)
    for said in counting:
        if said.trouble.retry:
            words = _watch(options).words
            return retry_time.seconds_until(
                said.trouble.retry, words, iteration.time, record.get("utc_offset")
            )
    return Unknown("no retry time was given")


def _rejected(record: JsonObject) -> JsonObject | None:
    """Return the last event on limits where it was a rejection, else None: later ones overtake it."""
    last = objects_of(record.array("limits")[-1:])
    return last[0] if last and last[0].get("status") == REJECTED else None


def _status(record: JsonObject) -> int | None:
    number = amount(record.get("agent_exit"))
    return int(number) if number is not None else None


def _timeouts(options: JsonObject) -> tuple[object, ...]:
    named = tuple(options.array("timeouts")) if "timeouts" in options else TIMEOUTS
    # 128 and the number of a signal is its negative elsewhere
    return named + tuple(128 - n for n in map(whole_of, named) if n is not None and n > 128)


def _note(status: int | None) -> str:
    if not status:
        return ""
    return NOT_STARTED.get(status, f"exit status {status}")


def _shown(source: str, said: _Said) -> Evidence:
    trouble = said.trouble
    note = f"{trouble.entry}, in `{said.field}`"
    return evidence(source, said.text, trouble.start, trouble.end, note, trouble.guard)


def _plain(
    record: JsonObject, limit: JsonObject | None, counting: list[_Said], source: str
) -> tuple[Evidence, ...]:
    """Return the rejection, and the reported error itself where no entry of the lexicon knows it."""
    found = []
    written = record.text("error", "")
    if not counting and written.strip():
        start = len(written) - len(written.lstrip())
        text = Text(written)
        end = text.lines.span(text.lines.number(start))[1]
        found.append(evidence(source, text, start, end, "in `error`"))
    if limit is not None:
        found.append(evidence(source, Text(REJECTED), 0, len(REJECTED), "in `limits`"))
    return tuple(found)


def halting_line(answer: str | None, options: JsonObject) -> tuple[Evidence, ...]:
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


NAME = "infrastructure"
SOURCE = "result"
OPTIONS: dict[str, object] = {
    "lexicon": {
        "description": "Name or path of the lexicon of error messages of the agents' own programs.",
        "type": "string",
        "default": "infrastructure",
        "examples": ["infrastructure"],
    },
    "timeouts": {
        "description": "Exit statuses of an agent that timed out; killed is 128 plus the signal's number.",
        "type": "array",
        "items": {"type": "integer"},
        "default": list(TIMEOUTS),
        "examples": [[124]],
    },
}

_MISSING = "without a result"

_SPECS = (
    FactSpec(
        "kind",
        Type("enum", members=KINDS),
        "What prevented the agent from working; `NONE` if neither its result nor its exit status "
        "shows an error.",
        _MISSING,
        read=False,
    ),
    FactSpec(
        "failed",
        BOOL,
        "The agent's result is an error, or its exit status is neither 0 nor that of an interruption.",
        "if neither the result nor an exit status shows it",
        read=False,
    ),
    FactSpec("limited", BOOL, "A usage limit or a rate limit was reached.", _MISSING, read=False),
    FactSpec(
        "retry_after",
        DURATION,
        "Time until the retry time in the message; 0 if it has passed.",
        "if no such time was given or its zone is not known",
        low=0,
        read=False,
    ),
    FactSpec("timed_out", BOOL, "The agent was ended because it timed out.", _MISSING, read=False),
    FactSpec(
        "cut_short",
        BOOL,
        "A limit of its own program or runner (turns, cost, time) cut the agent's turn short.",
        _MISSING,
    ),
    FactSpec(
        "halted",
        BOOL,
        "The agent's own program stopped it because it was repeating itself; its answer may not say so.",
        _MISSING,
    ),
    FactSpec("excerpt", TEXT, "The error message.", "if there is none", read=False),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the facts on how the agent's turn ended; all unknown when the source has no record.

    Read are the fields `is_error`, `error`, `subtype`, `stop_reason`, `limits` and `agent_exit`, and
    `tail` after a failure; never tool results, nor what the agent said but for the line with which its own
    program stops it. `utc_offset` is how many seconds
    the machine's clock is ahead of UTC, for times that are said without a zone.
    """
    given = iteration.source(source)
    if given.record is None:
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(given.reason, f"{prefix}.{s.name}")) for s in _SPECS)
    ended = ending_of(given.record, source, options, iteration)
    kind = Fact(f"{prefix}.kind", ended.kind, ended.evidence, ended.rejected, ended.note)
    failed: object = ended.failed
    if failed is None:
        failed = Unknown("neither the result nor an exit status shows it", f"{prefix}.failed")
    wait = ended.wait
    if isinstance(wait, Unknown):
        wait = Unknown(wait.reason, f"{prefix}.retry_after")
    said: object = ended.evidence[0].excerpt[:EXCERPT_LIMIT] if ended.evidence else ""
    if not said:
        said = Unknown("there is no error message", f"{prefix}.excerpt")
    limited = ended.kind in LIMITED
    return (
        kind,
        Fact(f"{prefix}.failed", failed, ended.evidence, note=ended.note),
        Fact(f"{prefix}.limited", limited, ended.evidence if limited else (), ended.rejected),
        Fact(f"{prefix}.retry_after", wait, ended.evidence if ended.kind != NONE else ()),
        Fact(f"{prefix}.timed_out", ended.timed_out, note=ended.note if ended.timed_out else ""),
        Fact(f"{prefix}.cut_short", ended.timed_out or ended.kind == CUT_SHORT, ended.evidence),
        _halted(prefix, ended, options, iteration),
        Fact(f"{prefix}.excerpt", said, ended.evidence),
    )


def _halted(
    prefix: str,
    ended: Ending,
    options: JsonObject,
    iteration: Iteration,
) -> Fact:
    """Return whether the program's own stop is the kind of trouble, or the last line of the answer."""
    if ended.kind == HALTED:
        return Fact(f"{prefix}.halted", True, ended.evidence)
    found = halting_line(iteration.source("response").text, options) if ended.kind == NONE else ()
    return Fact(f"{prefix}.halted", bool(found), found)
