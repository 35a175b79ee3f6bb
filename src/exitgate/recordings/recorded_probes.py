"""What a recording shows of probes: the same command, run by the agent itself at the end of its turn."""

from __future__ import annotations

from exitgate.core.envelopes.edits import commands_of, written_by
from exitgate.core.facts.registry import ASKING
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject, object_of, one_or_more, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy

#: Lines at the end of a result that are evidence.
_LINES = 8
_NO_CALL = "the recording does not show that its command ran after the last change of a file"


def asks(policy: CompiledPolicy) -> bool:
    """Return whether a fact of the policy asks a probe by name."""
    return bool(_named(policy))


def recorded(policy: CompiledPolicy, calls: Source) -> Source:
    """
    Return the source `probes` of a recorded iteration.

    A command of the agent counts for a probe if its words are the same and no file was written behind it. Its
    exit status decides, or else whether it is marked as an error. No report is read.

    Args:
        policy: Its settings define the probes.
        calls: The agent's calls of tools.
    """
    answers: dict[str, JsonObject] = {}
    told = calls.record.objects("calls") if calls.record is not None else []
    named = _named(policy)
    for name, plain in object_of(policy.layers.get("probes")).items():
        probe = object_of(plain)
        if name in named and "judge" not in probe:
            answers[name] = _answer(probe.text("shell") or " ".join(texts_of(probe.get("command"))), told)
    missing = JsonObject(status="broken", reason="no probe of this name is defined")
    return Source("probes", record=JsonObject(answers={**dict.fromkeys(named, missing), **answers}))


def _named(policy: CompiledPolicy) -> set[str]:
    """Return the probes that facts of the policy ask."""
    asking = [entry for entry in policy.extractions if entry.extractor in ASKING]
    return {name for entry in asking for name in one_or_more(entry.options.get(ASKING[entry.extractor]))}


def _answer(command: str, calls: Sequence[JsonObject]) -> JsonObject:
    wanted = _words(command)
    for call in reversed(calls):
        if written_by(call.get("input")):
            break
        ran = commands_of(call.object("input"))
        if ran is None or _words(ran) != wanted:
            continue
        status = call.whole("exit_status")
        error = call.flag("error")
        if status is None and error is None:
            break
        passed = status == 0 if status is not None else error is False
        found = JsonObject(status="answered", passed=passed, reason="recorded")
        if status is not None:
            found["exit_status"] = status
        lines = [line for line in str(call.get("result", "")).splitlines() if line.strip()][-_LINES:]
        found["evidence"] = [["output", at, line[:200]] for at, line in enumerate(lines, 1)]
        return found
    return JsonObject(status="broken", reason=_NO_CALL)


def _words(command: str) -> list[str]:
    """Return the words of a command without what shows its errors among its output."""
    return [word for word in command.split() if word != "2>&1"]


def definitions(policy: CompiledPolicy) -> Mapping[str, object]:
    """Return what the facts of probes in a recording depend on beside the recording."""
    return object_of(policy.layers.get("probes"))
