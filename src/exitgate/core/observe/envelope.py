"""The response out of its envelope: what the agent said, what its tools gave back, how it ended."""

from __future__ import annotations

from exitgate.core.envelopes.plain import NAMES, TEXT, looks_wrapped, plain
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject, as_object
from exitgate.core.state.faults import is_fault, unread
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from exitgate.core.envelopes.plain import Unwrapped


#: Sources that are taken out of the response where no file is given for them.
TAKEN_OUT = ("output", "result", "tool_calls", "tool_results")

NOT_READ = "EP823"
#: In the path of a text that was taken out of its envelope, before the name of the format.
OUT_OF = "(out of "

#: Code -> what it means.
CODES = {NOT_READ: "the response does not have the format given by `--input-format`"}


def unwrapped(
    response: Source, form: str, agent_exit: int | None, wanted: Container[str]
) -> dict[str, Source]:
    """
    Return `response` as the agent said it, and those of `TAKEN_OUT` that there is something to say of.

    Args:
        response: As it was read; without a text the others have none either, and say why.
        form: `auto`, `text`, `json` or `jsonl`.
        agent_exit: The agent's exit status, or None.
        wanted: Names of the sources that are read. `result` is there for every envelope and for fields
            out of one that cannot be read: extractors look at it beside their own source.

    Raises:
        ExitgateError: 65 where a forced form does not match.
    """
    if response.text is None:
        return {"response": response, **_without(response, agent_exit, wanted)}
    try:
        found = _unwrap(response, response.text, form, failed=bool(agent_exit))
    except ExitgateError:
        raise
    except Exception as error:
        return _set_aside(response, response.text, error, agent_exit, wanted)
    digest, path, written = response.digest, response.path, response.written
    if found.taken_out:
        digest = hex_digest(response.text.encode("utf-8", "surrogatepass"))
        path = _path(response.path, found)
        warnings = (*response.warnings, *found.warnings)
        response = Source("response", found.response, None, path, "", warnings, False, digest, written)
    elif found.warnings:
        warnings = (*response.warnings, *found.warnings)
        response = Source("response", found.response, None, path, "", warnings, written=written)
    sources = {"response": response}
    if "output" in wanted:
        sources["output"] = Source("output", text=found.output, path=path)
    if "tool_results" in wanted:
        reason = f"the response is {NAMES[found.format]} without tool results"
        text = found.tool_results
        sources["tool_results"] = Source("tool_results", text=text, path=path, reason="" if text else reason)
    if "tool_calls" in wanted:
        sources["tool_calls"] = _calls(found, path)
    if "result" in wanted or found.format != TEXT or "fields" in found.record:
        sources["result"] = Source("result", record=_record(found, agent_exit), path=path)
    return sources


def was_there(response: Source) -> bool:
    """Return whether there was a response, be it one that could not be read."""
    return response.text is not None or bool(response.digest) or is_fault(response)


def _set_aside(
    response: Source, text: str, error: Exception, agent_exit: int | None, wanted: Container[str]
) -> dict[str, Source]:
    """Return the sources of a response that a fault of exitgate keeps from being read: unknown, but there."""
    reason = unread("response", error).reason
    digest = hex_digest(text.encode("utf-8", "surrogatepass"))
    warnings = (*response.warnings, reason)
    there = Source("response", None, None, response.path, reason, warnings, False, digest, response.written)
    return {"response": there, **_without(there, agent_exit, wanted)}


def _calls(found: Unwrapped, path: str | None) -> Source:
    if found.calls is None:
        return Source(
            "tool_calls", path=path, reason=f"the response is {NAMES[found.format]} without single calls"
        )
    from exitgate.core.envelopes.todos import record_of

    return Source("tool_calls", record=record_of(found.calls, found.lost), path=path)


def given_result(source: Source, agent_exit: int | None) -> Source:
    """Return a `result` that the caller gave a file for: the record of the envelope in it, of any kind."""
    if source.text is None:
        return source
    found = _unwrap(source, source.text, "auto", failed=bool(agent_exit))
    return Source("result", record=_record(found, agent_exit), path=source.path, warnings=source.warnings)


def _unwrap(source: Source, text: str, form: str, *, failed: bool) -> Unwrapped:
    if form == "text" or (form == "auto" and not looks_wrapped(text)):
        return plain(text, failed=failed)
    from exitgate.core.envelopes.unwrap import NotReadError, unwrap

    try:
        return unwrap(text, form, failed=failed)
    except NotReadError as error:
        from exitgate.core.model.decision import BAD_POLICY
        from exitgate.core.model.diagnostic import Diagnostic

        where = f" at `{source.path}`" if source.path else ""
        message = f"the response{where} cannot be read as `{form}`: {error}"
        help = "omit `--input-format`, or use `text`"
        raise ExitgateError([Diagnostic(NOT_READ, message, help=help)], BAD_POLICY) from error


def _without(response: Source, agent_exit: int | None, wanted: Container[str]) -> dict[str, Source]:
    """Return the sources beside a response that does not exist; how the agent ended may be known."""
    found = {
        name: Source(name, path=response.path, reason=response.reason, absent=response.absent)
        for name in TAKEN_OUT
        if name in wanted
    }
    if "result" in wanted and agent_exit is not None:
        found["result"] = Source("result", record=_ended(JsonObject(), agent_exit))
    return found


def _record(found: Unwrapped, agent_exit: int | None) -> dict[str, object]:
    return _ended(as_object(found.record), agent_exit)


def _ended(record: JsonObject, agent_exit: int | None) -> dict[str, object]:
    """Return the record with the exit status, and after a failure with what local times in it mean."""
    ended = dict(record) if agent_exit is None else {**record, "agent_exit": agent_exit}
    if agent_exit or ended.get("is_error") is True:
        import time

        # extractors know no clock: how far it is ahead of UTC here and now, in seconds
        ended["utc_offset"] = time.localtime().tm_gmtoff
    return ended


def _path(path: str | None, found: Unwrapped) -> str:
    """Return where a text was read, for people: its lines are not those of the file."""
    return f"{path or ''} {OUT_OF}{NAMES[found.format]})".strip()
