"""
An answer that is nothing but the own error of the agent's program: a failure, no matter what the exit status.
"""

from __future__ import annotations

from exitgate.model.iteration import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy

#: Extractor whose lexicon knows what programs print.
_KNOWS = "infrastructure"


def with_failure(
    sources: Mapping[str, Source], policy: CompiledPolicy, *, here: bool = False
) -> dict[str, Source]:
    """
    Return the sources, the result an error where the response is nothing but the program's own error.

    Only a policy that asks about the agent's program has it looked at. What the result says itself of an
    error stays; an exit status of 0 says nothing against it. `here` says that local times in it are those
    of this machine.
    """
    found = dict(sources)
    asking = [entry for entry in policy.extractions if entry.extractor == _KNOWS]
    response, result = found.get("response"), found.get("result")
    text = response.text if response is not None else None
    if not asking or not text or result is None or result.record is None:
        return found
    from exitgate.facts.ending import ALONE, TIMEOUTS
    from exitgate.facts.extractors.run import INTERRUPTED
    from exitgate.facts.trouble import watch

    record = result.record
    # some exit statuses say themselves how the turn ended
    if record.get("is_error") is True or record.get("agent_exit") in (*TIMEOUTS, *INTERRUPTED):
        return found
    if any(watch(entry.options).alone(text) for entry in asking):
        from exitgate.facts.structural import strip_escapes
        from exitgate.transcripts.plain import tail_of

        told = {**record, "is_error": True, ALONE: True, "tail": tail_of(strip_escapes(text))}
        found["result"] = Source("result", record=_with_offset(told) if here else told, path=result.path)
    return found


def _with_offset(record: dict[str, object]) -> dict[str, object]:
    import time

    # extractors know no clock: how far it is ahead of UTC here and now, in seconds
    return {"utc_offset": time.localtime().tm_gmtoff, **record}
