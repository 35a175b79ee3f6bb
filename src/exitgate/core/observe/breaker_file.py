"""The record of a circuit breaker that something else keeps."""

from __future__ import annotations

from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.observe.files import read_source
from exitgate.core.system.quick_json import loads

#: Bytes of the largest record that is read; real ones have a few hundred.
RECORD_LIMIT = 1_000_000


def read(path: str | None, *, named: bool = False) -> Source:
    """
    Return the source `circuit` with the JSON object that `path` holds.

    A missing file gives a source with the reason. One that is not JSON object does too, and carries
    a warning: an OPEN breaker may have been lost with it.

    Raises:
        ExitgateError: For a named file that is missing (66) or cannot be read (74).
    """
    if path is None and not named:
        return Source("circuit", reason="the policy has neither a breaker nor a state file of one")
    source = read_source("circuit", path, named=named, limit=RECORD_LIMIT)
    if source.text is None:
        return source
    record, reason = _parse(source.text)
    if record is None:
        warning = f"the state of the breaker at `{path}` is lost: {reason}"
        return Source("circuit", path=path, reason=f"{path} {reason}", warnings=(*source.warnings, warning))
    return Source("circuit", record=record, path=path, warnings=source.warnings)


def _parse(text: str) -> tuple[JsonObject | None, str]:
    """Return the object, or None and what is wrong with the text."""
    if not text.strip():
        return None, "is empty"
    try:
        found = object_or_none(loads(text))
    except (ValueError, RecursionError):
        return None, "is not JSON"
    if found is None:
        return None, "does not hold a JSON object"
    return found, ""
