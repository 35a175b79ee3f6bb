"""A JSON document of any form; facts enter it by JSON pointers."""

from __future__ import annotations

import json

from exitgate.core.probes.figures import Figures, ReportError, text_of

NAME = "json"
#: Bytes of a document that are kept whole; of a larger one nothing is.
LARGEST = 1 << 16


def parse(data: bytes) -> Figures:
    """Return the document as `value`. Raises `ReportError`."""
    if len(data) > LARGEST:
        raise ReportError(f"it has {len(data)} bytes; of a JSON document at most {LARGEST} are kept")
    return Figures(value=read(data))


def read(data: bytes) -> object:
    """Return a JSON document. Raises `ReportError`."""
    try:
        return json.loads(text_of(data), parse_constant=_refused)
    except RecursionError as error:
        raise ReportError("it is not JSON: it is too deep") from error
    except ValueError as error:
        raise ReportError(f"it is not JSON: {str(error)[:80]}") from error


def _refused(text: str) -> None:
    raise ValueError(f"`{text}` is not a number")
