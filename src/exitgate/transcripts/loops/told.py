"""
An iteration that somebody wrote as one JSON object: `{"iteration": 3, "response": "..."}` and the like.
"""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.recorded import Provenance, RecordedIteration, from_unwrapped
from exitgate.transcripts.unwrap import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.transcripts.values import Event

#: Members that hold the number, the text, and what else is reported; names in lower case without `_` and `-`.
_NUMBER = (
    "iteration",
    "iterationnumber",
    "iter",
    "loop",
    "loopnumber",
    "loopcount",
    "round",
    "turn",
    "cycle",
    "step",
)
_INDEX = ("n", "index", "i", "number")
TEXT = (
    "response",
    "output",
    "agentresponse",
    "agentoutput",
    "answer",
    "reply",
    "result",
    "text",
    "message",
    "content",
    "stdout",
)
_STARTED = ("startedat", "start", "starttime", "timestamp", "time", "at", "date", "ts", "t")
_ENDED = ("endedat", "end", "endtime", "finishedat", "completedat")
_STATUS = ("exitcode", "exitstatus", "returncode", "code", "rc")
_COST = ("costusd", "totalcostusd", "cost", "usd")
_TOKENS = ("tokens", "totaltokens", "tokensused")
_TIMED_OUT = ("timedout", "timeout")
_ERROR = ("error", "errormessage")
_PROMPT = ("prompt", "task", "input")
#: Members that describe the process: times, exit status, cost, tokens, errors.
FIGURES = (*_ENDED, *_STATUS, *_COST, *_TOKENS, *_TIMED_OUT, *_ERROR)
_LIMIT = ("maxiterations", "limit", "max", "of")


def flat(value: Event) -> Mapping[str, object]:
    """Return the members of an object by their names in lower case without `_` and `-`."""
    return {key.lower().replace("_", "").replace("-", ""): member for key, member in value.items()}


def number_of(value: Event) -> int | None:
    """Return the number of the iteration that an object shows, None where it shows none."""
    members = flat(value)
    if not any(isinstance(members.get(key), str) for key in TEXT) and not any(
        key in members and members[key] is None for key in TEXT
    ):
        return None
    found = _first(members, _NUMBER, int)
    if found is None and len(members) <= 8:
        found = _first(members, _INDEX, int)
    return found if isinstance(found, int) and 0 <= found < 1_000_000 else None


def limit_of(value: Event) -> int | None:
    """Return after how many iterations an object says that the loop ends, else None."""
    found = _first(flat(value), _LIMIT, int)
    return found if isinstance(found, int) and found > 0 else None


def iteration_of(value: Event, index: int, provenance: Provenance) -> RecordedIteration:
    """Return the iteration that an object shows."""
    members = flat(value)
    status = _first(members, _STATUS, int)
    text = _first(members, TEXT, str)
    parts: dict[str, object] = {
        "started_at": instant(_first(members, _STARTED, (str, int, float))),
        "ended_at": instant(_first(members, _ENDED, (str, int, float))),
        "exit_status": status,
        "timed_out": _first(members, _TIMED_OUT, bool),
        "prompt": _first(members, _PROMPT, str),
    }
    number = number_of(value)
    if number is not None and number != index:
        parts["number"] = number
    if not isinstance(text, str) or not text.strip():
        missing = dict.fromkeys(("response", "output"), "the agent's response is not recorded")
        one = RecordedIteration(index, provenance, not_known=missing).but(**parts)
    else:
        one = from_unwrapped(index, provenance, unwrap(text, failed=status not in (None, 0)), **parts)
    told = {"cost": _first(members, _COST, (int, float)), "tokens": _first(members, _TOKENS, int)}
    error = _first(members, _ERROR, str)
    if isinstance(error, str) and error.strip():
        told |= {"is_error": True, "error": error}
    return one.but(
        record={**one.record, **{key: member for key, member in told.items() if member is not None}}
    )


def begun_at(value: Event) -> object:
    """Return the time that an object tells, as it is written, else None."""
    return _first(flat(value), _STARTED, (str, int, float))


def _first(members: Mapping[str, object], keys: tuple[str, ...], kind: type | tuple[type, ...]) -> object:
    for key in keys:
        found = members.get(key)
        if isinstance(found, kind) and (kind is bool or not isinstance(found, bool)):
            return found
    return None
