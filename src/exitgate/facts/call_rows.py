"""Calls of tools as a row of digests, and what repeats in it."""

from __future__ import annotations

from exitgate.model.digest import hex_digest
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def rows(told: Sequence[Mapping[str, object]]) -> tuple[Call, ...]:
    """Return the calls of a record, in order."""
    found = []
    for one in told:
        tool, written = str(one.get("tool", "")), _written(one.get("input"))
        result = one.get("result")
        text = result if isinstance(result, str) else ""
        if len(text) > HEAD + TAIL:
            text = f"{len(text)} {text[:HEAD]} {text[-TAIL:]}"
        failed = "failed\n" if one.get("error") is True else ""
        found.append(Call(digest_of(tool, written), failed + text, f"{tool} {written}".strip()))
    return tuple(found)


def is_waiting(input: object) -> bool:
    """Return whether a call hands over texts and all of them are empty: it looks whether something moved."""
    if not isinstance(input, dict):
        return False
    texts = [value for value in input.values() if isinstance(value, str)]
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
