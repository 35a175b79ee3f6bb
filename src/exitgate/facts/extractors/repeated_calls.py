"""
`repeated_calls`: the same calls of tools repeated within one iteration, with the same results.

A call is another one when tool, input or, unless `result: ignore`, what it gave back differs: reading on,
polling something that moves and the same tool on many files are not a repetition. A call that hands over
only empty texts waits for something, and is passed over.
"""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts.call_rows import cycles, digest_of, is_waiting, rows
from exitgate.facts.lexicon import Kept
from exitgate.facts.noise import Noise, is_noise
from exitgate.model.evidence import EXCERPT_LIMIT, Evidence, Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import COUNT, SIGNATURE, TEXT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.facts.call_rows import Call
    from exitgate.model.iteration import Iteration

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


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return how the calls in the source's record repeat: `calls`, each with `tool`, `input`, `result`."""
    given = iteration.source(source)
    told = None if given.record is None else given.record.get("calls")
    if not isinstance(told, list | tuple):
        why = given.reason or "the response does not show single calls"
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(why, f"{prefix}.{s.name}")) for s in _SPECS)
    calls = rows([one for one in told if isinstance(one, dict) and not is_waiting(one.get("input"))])
    result = options.get("result", WITHOUT_NOISE)
    noise = _noise.of(options) if result == WITHOUT_NOISE else None
    assert noise is None or isinstance(noise, Noise)
    alike = _alike(calls, result, noise)
    limit = options.get("cycle", CYCLE)
    repeats, cycle, at = cycles(alike, limit if isinstance(limit, int) else CYCLE)
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


def _made(options: Mapping[str, object]) -> Noise:
    lexicon = options.get("lexicon")
    plain = lexicon if isinstance(lexicon, dict) else {}
    return Noise([entry for entry in lexicons.ready(plain).entries if is_noise(entry)])


_noise = Kept(_made)
