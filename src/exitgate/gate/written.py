"""Files that the agent's own tools wrote: added to the source `tool_calls` if a policy asks for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy

#: The extractor that reads them, its fact, and the field of the record.
TOOLS, WRITTEN = "tools", "written"


def with_written(source: Source, policy: CompiledPolicy) -> Source:
    """
    Return the source `tool_calls` with `written`: paths as the calls name them, each once, in order.

    A call that failed wrote nothing.
    """
    if source.record is None or not any(
        entry.extractor == TOOLS and entry.asks(WRITTEN) for entry in policy.extractions
    ):
        return source
    from exitgate.transcripts.plans_calls import written_by

    calls = source.record.get("calls")
    done = (
        one
        for one in (calls if isinstance(calls, list | tuple) else ())
        if isinstance(one, dict) and one.get("error") is not True
    )
    paths = dict.fromkeys(path for call in done for path in written_by(call.get("input")))
    return source.but(record={**source.record, WRITTEN: list(paths)})
