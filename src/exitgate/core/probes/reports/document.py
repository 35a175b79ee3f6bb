"""A JSON document of any form; facts enter it by JSON pointers."""

from __future__ import annotations

import json
import math

from exitgate.core.probes.figures import NEVER, Figures, ReportError, check_time, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "json"
#: Bytes of a document that are kept whole; of a larger one nothing is.
LARGEST = 1 << 16
#: Digits of a whole number that is kept as one: 64 bits, which every reader of JSON takes.
_DIGITS = 18


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return the document as `value`. Raises `ReportError`."""
    if len(data) > LARGEST:
        raise ReportError(f"it has {len(data)} bytes; of a JSON document at most {LARGEST} are kept")
    found = read(data)
    check_time(until)
    return Figures(value=found)


def read(data: bytes) -> object:
    """
    Return a JSON document, all of whose numbers can be written as JSON again.

    Raises:
        ReportError: It is not JSON, is too deep, holds a number that is infinite or none, or an object that
            has a key twice, of which programs read one or the other.
    """
    try:
        return DECODER.decode(text_of(data))
    except RecursionError as error:
        raise ReportError("it is not JSON: it is too deep") from error
    except ValueError as error:
        raise ReportError(f"it is not JSON: {str(error)[:80]}") from error


def _constant(text: str) -> object:
    raise ValueError(f"`{text}` is not a number")


def _number(text: str) -> float:
    found = float(text)
    if math.isinf(found):
        raise ValueError(f"`{text[:20]}` is too large for a number")
    return found


def _whole(text: str) -> float:
    return int(text) if len(text) <= _DIGITS else _number(text)


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key `{twice[:40]}` is there twice")
    return found


#: Reads JSON strictly. Raises ValueError and RecursionError.
DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_float=_number, parse_int=_whole, object_pairs_hook=_once
)
