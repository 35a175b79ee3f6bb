"""What a check looked at beside what the agent said, as the transcript keeps it."""

from __future__ import annotations

from exitgate.facts.registry import own_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.loop.transcript import Transcript

#: Field of git's record that grows with the working tree and that no fact is read from.
_DIGESTS = "dirty"


def seen_in(checked: Checked, into: Transcript) -> dict[str, object]:
    """
    Return the plan, the files that facts name, and the records of git and of an external breaker.

    What was not looked at, or was missing, is left out.
    """
    sources = checked.iteration.sources
    seen: dict[str, object] = {}
    plan = sources.get("plan")
    if plan is not None and plan.text is not None:
        seen["plan"] = into.text("plan", plan.text)
    for name in ("git", "circuit"):
        source = sources.get(name)
        if source is not None and source.record is not None:
            seen[name] = {key: value for key, value in source.record.items() if key != _DIGESTS}
    files: dict[str, object] = {}
    for entry in checked.policy.extractions:
        path, source = entry.options.get("file"), sources.get(entry.source)
        if own_files(entry.extractor) and isinstance(path, str) and source is not None:
            text = into.text(f"file {path}", source.text)
            files |= {} if text is None else {path: text}
    return {**seen, "files": files} if files else seen
