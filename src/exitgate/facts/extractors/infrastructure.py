"""`infrastructure`: whether the agent could work at all, and when to try again where it could not."""

from __future__ import annotations

from exitgate.facts import ending
from exitgate.facts.ending import CUT_SHORT, HALTED, KINDS, LIMITED, NONE
from exitgate.model.evidence import EXCERPT_LIMIT, Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, DURATION, TEXT, Type
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.iteration import Iteration

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
        "default": list(ending.TIMEOUTS),
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


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
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
    ended = ending.ending(given.record, source, options, iteration)
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
    ended: ending.Ending,
    options: Mapping[str, object],
    iteration: Iteration,
) -> Fact:
    """Return whether the program's own stop is the kind of trouble, or the last line of the answer."""
    if ended.kind == HALTED:
        return Fact(f"{prefix}.halted", True, ended.evidence)
    found = ending.halting_line(iteration.source("response").text, options) if ended.kind == NONE else ()
    return Fact(f"{prefix}.halted", bool(found), found)
