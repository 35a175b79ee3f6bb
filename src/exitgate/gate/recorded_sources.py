"""From a recorded iteration to the sources that a check of it would have read."""

from __future__ import annotations

from exitgate.facts.registry import beside, own_files
from exitgate.gate.alone import with_failure
from exitgate.gate.observe.json_file import joined, places_of
from exitgate.gate.written import with_written
from exitgate.model.iteration import Source
from exitgate.transcripts.calls import missing_from
from exitgate.transcripts.todos import record_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy, Extraction
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Begin

#: Source -> the part of an iteration that it is, and what to say where that is None.
_TEXTS = {
    "response": "response",
    "output": "output",
    "tool_results": "tool_results",
    "plan": "plan",
    "task": "prompt",
}
_RECORDS = {"git": "git", "circuit": "circuit"}
_SILENT = {name: f"the transcript does not record the {name}" for name in (*_TEXTS, *_RECORDS)}

#: The day of a recorded run, which is looked at by itself.
_ALONE = Source("day", reason="a recording does not tell what other runs of the day used up")


def asked_of(policy: CompiledPolicy) -> frozenset[str]:
    """Return the names of the sources that the facts of a policy, their guards and the totals look at."""
    return frozenset(
        (
            *("response", "task", "result"),
            *(
                name
                for entry in policy.extractions
                for name in (entry.source, *beside(entry.extractor, entry.options))
            ),
        )
    )


def sources_of(
    iteration: RecordedIteration, policy: CompiledPolicy, asked: frozenset[str] | None = None
) -> dict[str, Source]:
    """
    Return the sources of an iteration by name, those that are `asked` for, without `clock` and `run`.

    One that the transcript does not tell of says so in its reason; a file that a fact of the policy names
    is there where the transcript shows its text.
    """
    where = iteration.provenance.file
    found: dict[str, Source] = {}
    for name, part in _TEXTS.items():
        if asked is not None and name not in asked:
            continue
        text = getattr(iteration, part)
        reason = "" if text is not None else _reason(iteration, part, name)
        found[name] = Source(name, text=text, path=where, reason=reason)
    for name, part in _RECORDS.items():
        if asked is not None and name not in asked:
            continue
        record = getattr(iteration, part)
        reason = "" if record is not None else _reason(iteration, part, name)
        found[name] = Source(name, record=record, path=where, reason=reason)
    if asked is None or "tool_calls" in asked:
        found["tool_calls"] = with_written(_calls(iteration), policy)
    found["result"] = _result(iteration)
    found["day"] = _ALONE
    for entry in policy.extractions:
        if any(option in entry.options for option in own_files(entry.extractor)):
            found[entry.source] = _file(entry, iteration.files)
    return with_failure(found, policy)


def sources_of_begin(begin: Begin, policy: CompiledPolicy) -> dict[str, Source]:
    """
    Return all shipped policies before the first iteration: plan, git and other files, where they are known.
    """
    reason = "" if begin.plan is not None else "the transcript does not record the earlier plan"
    found = {"plan": Source("plan", text=begin.plan, path=begin.file, reason=reason), "day": _ALONE}
    if begin.git is not None:
        found["git"] = Source("git", record=begin.git, path=begin.file)
    for entry in policy.extractions:
        if any(option in entry.options for option in own_files(entry.extractor)):
            found[entry.source] = _file(entry, begin.files)
    return found


def _calls(iteration: RecordedIteration) -> Source:
    if iteration.tool_calls is None:
        return Source("tool_calls", reason=_reason(iteration, "tool_calls", "single calls"))
    calls = tuple(
        {"tool": call.name, "input": call.input}
        | ({} if call.result is None else {"result": call.result, "error": call.is_error is True})
        | ({"ended": True} if call.ended else {})
        | ({} if call.exit_status is None else {"exit_status": call.exit_status})
        for call in iteration.tool_calls
        if call.own
    )
    lost = iteration.not_known.get("tool_calls") or missing_from(iteration.tool_calls)
    return Source("tool_calls", record=record_of(calls, lost), path=iteration.provenance.file)


def _result(iteration: RecordedIteration) -> Source:
    """Return what was reported; if nothing was and there is no response, there is nothing to look at."""
    record, where = dict(iteration.record), iteration.provenance.file
    if iteration.exit_status is not None:
        record["agent_exit"] = iteration.exit_status
    if not record and iteration.response is None:
        return Source("result", path=where, reason=_reason(iteration, "record", "result"))
    return Source("result", record=record, path=where)


def _file(entry: Extraction, files: Mapping[str, str]) -> Source:
    """Return the file that a fact names, where the transcript shows a text of it."""
    wanted = places_of(entry.options)
    exact = [Source(entry.source, text=files[path], path=path) for path in wanted if path in files]
    if exact:
        return joined(entry.source, exact, entry.options)
    for place in wanted:
        for path, text in files.items():
            if place and path.endswith("/" + place):
                return Source(entry.source, text=text, path=path)
    named = " or ".join(f"`{place}`" for place in wanted if place)
    reason = f"the transcript does not show {named}" if named else "the transcript shows no such files"
    return Source(entry.source, reason=reason)


def _reason(iteration: RecordedIteration, part: str, name: str) -> str:
    return iteration.not_known.get(part) or _SILENT.get(name) or f"the transcript does not record the {name}"
