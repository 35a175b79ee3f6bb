"""
From what a runner wrote to what its agent said.

The format is recognised by the content. A text that only shows JSON, in a fence or behind words, is plain
text; so is an object that no runner writes. JSON that cannot be read is plain text with a warning.
"""

from __future__ import annotations

from exitgate.core.envelopes import flat
from exitgate.core.envelopes.flat import looks_like_object, salvaged
from exitgate.core.envelopes.gathered import Gathered
from exitgate.core.envelopes.json_text import Read, cut, looks_escaped, scanned, unescaped, whole
from exitgate.core.envelopes.members import writable, writable_text
from exitgate.core.envelopes.plain import BLANK, ESCAPE, JSON, JSON_LINES, TEXT, Unwrapped, plain, tail_of
from exitgate.core.envelopes.stream import EVENT, OTHER, is_stream, read_stream, reader_of
from exitgate.core.facts.text.structure import strip_escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event


#: How a format can be forced.
AUTO = "auto"
FORCED = {"text": TEXT, "json": JSON, "jsonl": JSON_LINES}
_NOT_READ = "looks like unreadable JSON; treated as text"
_UNESCAPED = "its line ends are written `\\n`; read as lines"


class NotReadError(Exception):
    """The text is not of the format that was forced; the text of this says what it is not."""


def unwrap(text: str, form: str = AUTO, *, failed: bool = False) -> Unwrapped:
    """
    Return the response without its envelope.

    Args:
        text: All that was read.
        form: `auto`, or the key of `FORCED` that it must be read as.
        failed: Whether the agent's exit status is known and not 0; then the record has the `tail`.

    Raises:
        NotReadError: Where a forced form does not match.
    """
    if form == "text":
        return plain(text, failed=failed)
    body = text.strip(BLANK)
    if body[:1] == ESCAPE:
        body = strip_escapes(body).strip(BLANK)
    if form == "jsonl":
        stream = read_stream(body, forced=True)
        if stream.counts[EVENT] + stream.counts[OTHER] == 0:
            raise NotReadError("none of its lines is a JSON object")
        return finished(stream.gathered, JSON_LINES, failed)
    found = _value(body, failed, forced=form == "json")
    if found is not None:
        return found
    if form == "json":
        raise NotReadError("it is not one JSON value")
    return _stream(body, failed) or _text(text, body, failed)


def _value(body: str, failed: bool, *, forced: bool) -> Unwrapped | None:
    """Return the response when the text is one value, whole or cut off, else None."""
    if body[:1] == '"':
        return _string(body, failed)
    if body[:1] not in ("{", "["):
        return None
    read = whole(body)
    first = body.partition("\n")[0].strip(BLANK)
    if read is None and "\n" in body and (part := whole(first)) is not None and reader_of(part.value):
        return None  # lines
    rest = ""
    if read is None:
        read = scanned(body)
        if read is None or isinstance(read.value, list):
            read = cut(body) or read
        elif not forced and body[read.end :].lstrip(BLANK)[:1] == "{":
            return None
        rest = "" if read is None else body[read.end :]
    return None if read is None else _of(read, body, rest, failed, forced=forced)


def _of(read: Read, body: str, rest: str, failed: bool, *, forced: bool) -> Unwrapped | None:
    """Return the response that a value is, None when no runner writes such a value."""
    into = Gathered()
    into.cut = read.cut
    into.fixed = [1] if read.fixed else []
    into.outside = [line for line in rest.splitlines() if line.strip()]
    value, format = read.value, JSON
    if isinstance(value, list):
        readers = [(take, item) for item in value if (take := reader_of(item)) is not None]
        if not readers or (2 * len(readers) < len(value) and not forced):
            return _forced(body, into, failed) if forced else None
        for take, item in readers:
            take(item, into)
    elif isinstance(value, dict):
        take_one = reader_of(value)
        if flat.fits_answer(value):
            flat.take_answer(value, into)
        elif take_one is not None:
            take_one(value, into)
            into.set("fields", flat.result_fields(value))
            format = JSON_LINES if is_stream(value) and not forced else JSON
        elif not rest.strip() and not read.cut and flat.fits(value):
            into.final = _flat_text(value, body)
            into.denials = flat.refused_in(value)
            if (fields := flat.fields_of(value)) is not None:
                into.record["fields"] = fields
        else:
            return _forced(body, into, failed) if forced else None
    else:
        return _forced(body, into, failed) if forced else None
    return finished(into, format, failed)


def _flat_text(value: Event, body: str) -> str:
    text = flat.text_of(value)
    return body if text is None else text


def _forced(body: str, into: Gathered, failed: bool) -> Unwrapped:
    """Return a value of no known shape, which the caller says is the response."""
    into.final = body
    return finished(into, JSON, failed)


def _string(body: str, failed: bool) -> Unwrapped | None:
    """Return the response when the text is one JSON string with escapes in it."""
    read = whole(body) if "\\" in body else None
    if read is None or not isinstance(read.value, str):
        return None
    into = Gathered()
    into.final = read.value
    return finished(into, TEXT, failed)


def _stream(body: str, failed: bool) -> Unwrapped | None:
    stream = read_stream(body)
    return finished(stream.gathered, JSON_LINES, failed) if stream.is_one() else None


def _text(text: str, body: str, failed: bool) -> Unwrapped:
    """Return plain text, with a note if it seems to be something else."""
    malformed = looks_like_object(body) and scanned(body) is None
    warnings = (_NOT_READ,) if malformed else ()
    fields, answer = salvaged(body) if malformed else (None, None)
    escaped = "\\n" in body if malformed and "\n" not in body else looks_escaped(body)
    if not escaped:
        found = plain(text, failed=failed, warnings=warnings)
    else:
        lines = unescaped(body) if answer is None else answer
        found = plain(lines, failed=failed, warnings=(*warnings, _UNESCAPED))
    record = found.record if fields is None else {**found.record, "fields": fields}
    if _breaks_off(body):
        record = {**record, "truncated": True}
    return Unwrapped(TEXT, found.response, found.output, None, record, found.warnings, taken_out=escaped)


def _breaks_off(body: str) -> bool:
    """Return whether the object that begins the text, or its last line, is JSON without its end."""
    if looks_like_object(body):
        return scanned(body) is None and cut(body) is not None
    line = body[body.rfind("\n") + 1 :].strip(BLANK)
    return line[:2] == '{"' and whole(line) is None and cut(line) is not None


def finished(into: Gathered, format: str, failed: bool) -> Unwrapped:
    """Return the sum of an envelope, its texts unwrapped once more where they are JSON themselves."""
    found = into.concluded(format, failed=failed)
    response, output = found.response, found.output
    record = dict(found.record)
    warnings = found.warnings
    if looks_escaped(response):
        output = output.replace(response, unescaped(response))
        response = unescaped(response)
        warnings = (*warnings, _UNESCAPED)
    if "fields" not in record and response.lstrip()[:1] == "{":
        inner = whole(response.strip(BLANK))
        fields = None if inner is None else flat.fields_of(inner.value)
        if fields is not None:
            record["fields"] = fields
    if failed and format == TEXT:
        record["tail"] = tail_of(response)
    results = found.tool_results
    return Unwrapped(
        format,
        writable_text(response),
        writable_text(output),
        None if results is None else writable_text(results),
        {name: writable(value) for name, value in record.items()},
        warnings,
        taken_out=True,
        calls=found.calls,
        lost=found.lost,
        ended=found.ended,
    )
