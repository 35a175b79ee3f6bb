"""From a recorded iteration to the sources that a check of it would have read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exitgate.core.envelopes.calls import ID_SHOWN, NO_INPUT, OF_OTHERS
from exitgate.core.envelopes.todos import record_of
from exitgate.core.facts.registry import beside, own_files
from exitgate.core.ledger.runs import elapsed_at
from exitgate.core.model.fact import Fact, FactSpec, Source
from exitgate.core.model.json_object import JsonObject, number_of, object_of, whole_of
from exitgate.core.model.value import Type, Unknown
from exitgate.core.observe.json_file import joined, places_of
from exitgate.core.observe.sources import TAMPERING, with_failure, with_written
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.recordings import recorded_probes
from exitgate.recordings.model import Begin, RecordedIteration, ToolCall

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
_NO_TREE = Source(TAMPERING, reason="a recording does not show what was done to files")
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
    if (asked is None or "probes" in asked) and recorded_probes.asks(policy):
        answers = probes_of_recording(iteration, policy)
        found["probes"] = Source("probes", record=JsonObject(answers=answers))
    found["result"] = _result(iteration)
    found["day"] = _ALONE
    found[TAMPERING] = _NO_TREE
    for entry in policy.extractions:
        if any(option in entry.options for option in own_files(entry.extractor)):
            found[entry.source] = _file(entry, iteration.files)
    return with_failure(found, policy)


def probes_of_recording(iteration: RecordedIteration, policy: CompiledPolicy) -> dict[str, JsonObject]:
    """Return what the iteration shows of the probes that the facts of a policy ask."""
    calls, where = _calls(iteration), iteration.provenance.file
    return recorded_probes.recorded(policy, calls, iteration.index, where, object_of(iteration.probes))


def sources_of_begin(begin: Begin, policy: CompiledPolicy) -> dict[str, Source]:
    """
    Return all shipped policies before the first iteration: plan, git and other files, where they are known.
    """
    reason = "" if begin.plan is not None else "the transcript does not record the earlier plan"
    found = {
        "plan": Source("plan", text=begin.plan, path=begin.file, reason=reason),
        "day": _ALONE,
        TAMPERING: _NO_TREE,
    }
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
        | ({"background": True} if call.background else {})
        | ({} if call.exit_status is None else {"exit_status": call.exit_status})
        for call in iteration.tool_calls
        if call.own
    )
    lost = iteration.not_known.get("tool_calls") or _missing_from(iteration.tool_calls)
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


# Facts that a transcript recorded themselves, taken where a policy has facts that they fit.

NOTE = "as it was recorded"
_LARGEST_PERCENT = 100


def taken(
    recorded: Mapping[str, Any], names: Iterable[str], specs: Mapping[str, FactSpec]
) -> dict[str, Fact]:
    """
    Return the facts to put in place of those that were extracted.

    Args:
        recorded: Name -> value, `Unknown` or a `Fact` with its evidence, as the transcript has them.
        names: The facts that rest on a text or record; computed ones are computed again.
        specs: The policy's facts by name.

    A recorded value counts where the policy's fact of that name is of a type that it fits; an unknown
    one stays unknown with the reason that was recorded.
    """
    found: dict[str, Fact] = {}
    for name in names:
        if name not in recorded or name not in specs:
            continue
        value = recorded[name]
        told = value if isinstance(value, Fact) else Fact(name, value)
        if isinstance(told.value, Unknown) or holds(specs[name].type, told.value):
            found[name] = Fact(name, told.value, told.evidence, told.rejected, told.note or NOTE)
    return found


def holds(type: Type, value: object) -> bool:
    """Return whether `value` is one that a fact of this type may have; see `model.value.Type`."""
    if type.kind == "bool":
        return isinstance(value, bool)
    if type.kind in ("text", "signature"):
        return isinstance(value, str)
    if type.kind == "enum":
        return value in type.members
    if type.kind == "list":
        return (
            isinstance(value, tuple)
            and type.item is not None
            and all(holds(type.item, item) for item in value)
        )
    number = whole_of(value) if type.kind == "count" else number_of(value)
    if number is None or (type.kind == "count" and number < 0):
        return False
    return type.kind != "percent" or 0 <= number <= _LARGEST_PERCENT


# Time within a recorded run, counted as a ledger's lines would have counted it.


class Instants:
    """
    When the iterations of a run were checked.

    A check comes right after its iteration: at its end, or at its start where only that is reported. Of an
    iteration without either, the time is not known, and the clock is where it was. A run whose start
    nothing tells began no later than its first known instant.
    """

    __slots__ = ("_before", "_elapsed", "_line_at", "elapsed", "known", "last_at", "now", "started_at")

    def __init__(self, started_at: float | None) -> None:
        self.started_at = started_at
        #: Time of the check before, None for the first.
        self.last_at: float | None = None
        #: Time of this check; where it is not known, that of the last one, of the start, or 0.
        self.now = started_at or 0.0
        self.known = False
        #: Seconds of the run so far, None where they are not known.
        self.elapsed: float | None = None
        self._line_at: float | None = None
        self._elapsed = 0.0
        self._before: float | None = None

    def begin(self, started_at: float | None, ended_at: float | None) -> float | None:
        """Return when the run began, by what its first iteration says."""
        if self.started_at is None:
            self.started_at = started_at if started_at is not None else ended_at
        return self.started_at

    def at(self, started_at: float | None, ended_at: float | None) -> Instants:
        """Go on to the check of the next iteration, and return this."""
        self.begin(started_at, ended_at)
        own = ended_at if ended_at is not None else started_at
        self.last_at = self._before
        self.known, self.elapsed = own is not None, None
        if own is None:
            return self
        line_at = self.started_at if self._line_at is None else self._line_at
        self._elapsed = elapsed_at(JsonObject(time=line_at, totals={"elapsed": self._elapsed}), own)
        self.elapsed = self._elapsed
        self.now = self._line_at = self._before = own
        return self


def _missing_from(calls: Sequence[ToolCall]) -> str:
    """Return why a recording's calls are not all that the agent made, or may not be, or the empty text."""
    seen: dict[str, object] = {}
    for call in calls:
        if not call.own:
            return OF_OTHERS
        if not isinstance(call.input, dict | str):
            return NO_INPUT
        if call.id is not None and seen.setdefault(call.id, call.input) != call.input:
            return f"two calls have the id `{call.id[:ID_SHOWN]}`"
    return ""
