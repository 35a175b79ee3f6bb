"""
`repeated_calls`: the same calls of tools repeated within one iteration, with the same results.

A call is another one when tool, input or, unless `result: ignore`, what it gave back differs: reading on,
polling something that moves and the same tool on many files are not a repetition. A call that hands over
only empty texts waits for something, and is passed over.
"""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import kept, ready
from exitgate.core.facts.lexicons.patterns import Noise, is_noise
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.json_object import object_of, objects_of
from exitgate.core.model.value import COUNT, SIGNATURE, TEXT, Unknown, Value
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "repeated_calls"
SOURCE = "tool_calls"
IGNORE, SAME, WITHOUT_NOISE = "ignore", "same", "without_noise"
CYCLE = 5

OPTIONS: dict[str, object] = {
    "result": {
        "enum": [IGNORE, SAME, WITHOUT_NOISE],
        "default": WITHOUT_NOISE,
        "description": "Whether calls with different results are the same: `ignore` ignores "
        "results, `same` compares them literally, `without_noise` without the noise in `lexicon`.",
        "examples": [SAME],
    },
    "cycle": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "default": CYCLE,
        "description": "Length of the longest sequence that is searched for, in calls.",
    },
    "lexicon": {
        "description": "Name or path of a lexicon whose entries say what is noise in results: times, "
        "addresses, ids.",
        "type": "string",
        "default": "noise",
        "examples": ["noise"],
    },
}

_UNTOLD = "if the response does not show single calls: plain text, or a single result"
_SPECS = (
    FactSpec("count", COUNT, "Tool calls, without those that only wait.", _UNTOLD, low=0),
    FactSpec(
        "repeats",
        COUNT,
        "Longest series of the same call with the same result; 1 if none was repeated.",
        _UNTOLD,
        low=0,
    ),
    FactSpec(
        "cycles",
        COUNT,
        "Longest series of the same sequence of two or more different calls.",
        _UNTOLD,
        low=0,
    ),
    FactSpec(
        "call",
        TEXT,
        "The call that was repeated most often, or the first of a sequence.",
        "if none was repeated",
    ),
    FactSpec("answered", COUNT, "Calls with a result.", _UNTOLD, low=0),
    FactSpec("signature", SIGNATURE, "A hash of all calls and results.", f"{_UNTOLD}; without a call"),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return how the calls in the source's record repeat: `calls`, each with `tool`, `input`, `result`."""
    given = iteration.source(source)
    told = None if given.record is None else given.record.get("calls")
    if not isinstance(told, list | tuple):
        why = given.reason or "the response does not show single calls"
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(why, f"{prefix}.{s.name}")) for s in _SPECS)
    calls = rows([one for one in objects_of(told) if not is_waiting(one.get("input"))])
    result = options.get("result", WITHOUT_NOISE)
    noise = _noise(options) if result == WITHOUT_NOISE else None
    alike = _alike(calls, result, noise)
    repeats, cycle, at = cycles(alike, options.whole("cycle", CYCLE))
    return _facts(prefix, source, calls, alike, repeats, cycle, at)


def _alike(calls: Sequence[Call], result: object, noise: Noise | None) -> tuple[str, ...]:
    """Return a digest for each call; those that are the same have the same."""
    if result == IGNORE:
        return tuple(call.asked for call in calls)
    seen: set[str] = set()
    again: set[str] = set()
    for call in calls:
        (again if call.asked in seen else seen).add(call.asked)
    return tuple(
        digest_of(c.asked, c.result if noise is None or c.asked not in again else _plain(c, noise))
        for c in calls
    )


#: Lines of a result that noise is taken out of; the rest is compared letter by letter.
_LINES = 400


def _plain(call: Call, noise: Noise) -> str:
    lines = call.result.splitlines()
    return "\n".join([*(noise.without(line.casefold()) for line in lines[:_LINES]), *lines[_LINES:]])


def _facts(
    prefix: str, source: str, calls: Sequence[Call], alike: Sequence[str], repeats: int, cycle: int, at: int
) -> tuple[Fact, ...]:
    again = max(repeats, cycle) > 1
    shown = calls[at].shown[:EXCERPT_LIMIT] if again else ""
    evidence = (Evidence(source, 1, 1, 0, 0, shown),) if again else ()
    values: tuple[object, ...] = (
        len(calls),
        repeats,
        cycle,
        shown if again else Unknown("no call was repeated", f"{prefix}.call"),
        sum(bool(call.result) for call in calls),
        digest_of(*alike) if calls else Unknown("there was no call", f"{prefix}.signature"),
    )
    return tuple(
        Fact(f"{prefix}.{spec.name}", value, evidence if spec in _OF_THE_CALL else ())
        for spec, value in zip(_SPECS, values, strict=True)
    )


#: What is reported about the call that came again.
_OF_THE_CALL = _SPECS[1:4]


@kept
def _noise(options: JsonObject) -> Noise:
    return Noise([entry for entry in ready(options.object("lexicon")).entries if is_noise(entry)])


# Calls of tools as a row of digests, and what repeats in it.

#: Characters of a result that are compared: its beginning and its end.
HEAD, TAIL = 48_000, 16_000


class Call(Value):
    """
    One call.

    Args:
        asked: Digest of tool and input, in which the order of names means nothing.
        result: What came back, bounded; the empty text where nothing was reported.
        shown: The call for people.
    """

    __slots__ = ("asked", "result", "shown")

    def __init__(self, asked: str, result: str, shown: str) -> None:
        self.asked = asked
        self.result = result
        self.shown = shown


def rows(told: Sequence[JsonObject]) -> tuple[Call, ...]:
    """Return the calls of a record, in order."""
    found = []
    for one in told:
        tool, written = str(one.get("tool", "")), _written(one.get("input"))
        text = one.text("result", "")
        if len(text) > HEAD + TAIL:
            text = f"{len(text)} {text[:HEAD]} {text[-TAIL:]}"
        failed = "failed\n" if one.flag("error") else ""
        found.append(Call(digest_of(tool, written), failed + text, f"{tool} {written}".strip()))
    return tuple(found)


def is_waiting(input: object) -> bool:
    """Return whether a call hands over texts and all of them are empty: it looks whether something moved."""
    texts = object_of(input).own_texts()
    return bool(texts) and not any(text.strip() for text in texts)


def digest_of(*parts: str) -> str:
    """Return a digest of several texts that no other division of the same letters has."""
    whole = "".join(f"{len(part)}:{part}" for part in parts)
    return hex_digest(whole.encode("utf-8", "surrogatepass"))


def cycles(alike: Sequence[str], limit: int) -> tuple[int, int, int]:
    """
    Return how often the same call, and the same sequence of 2 to `limit` calls, came in a row, at most.

    The third is where the one that came most often begins; 0 without any call. Linear in the calls.
    """
    if not alike:
        return 0, 0, 0
    best, repeats, again, at = 1, 1, 1, 0
    for length in range(1, min(limit, len(alike) // 2) + 1):
        run = 0
        for index in range(length, len(alike)):
            run = run + 1 if alike[index] == alike[index - length] else 0
            count = run // length + 1
            first = index - run - length + 1
            if count <= 1 or (length > 1 and len(set(alike[first : first + length])) == 1):
                continue
            if length == 1:
                repeats = max(repeats, count)
            else:
                again = max(again, count)
            if count > best:
                best, at = count, first
    return repeats, again, at


def _written(value: object, depth: int = 0) -> str:
    """Return a value of JSON as text, names in the order of the alphabet; what is too deep by its kind."""
    if depth > _DEPTH:
        return type(value).__name__
    if isinstance(value, dict):
        inner = ", ".join(f"{name}: {_written(value[name], depth + 1)}" for name in sorted(value, key=str))
        return f"{{{inner}}}" if depth else inner
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(one, depth + 1) for one in value)}]"
    return value if isinstance(value, str) else repr(value)


#: Levels of an input that are looked at.
_DEPTH = 20
