"""Remarks on what was observed: they warn and never decide."""

from __future__ import annotations

from exitgate.core.model.decision import Warned
from exitgate.core.model.display import counted
from exitgate.core.observe.envelope import OUT_OF
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.model.fact import Source
    from exitgate.core.state.history import History


def notes_on(
    sources: Mapping[str, Source], history: History, ledger_notes: Sequence[str] = ()
) -> tuple[Warned, ...]:
    """Return a warning for each thing about the ledger, the run and the sources that a user should know."""
    notes = list(ledger_notes)
    if history.standing.expired is not None:
        notes.append(f"run `{history.standing.expired}` expired; `{history.standing.run}` begins")
    for name in sorted(sources):
        notes += [f"{name}: {warning}" for warning in sources[name].warnings]
    response = sources.get("response")
    if response is not None and response.text is not None:
        notes += _on_response(response, response.text, history)
    return tuple(Warned(note) for note in notes)


def note_on_blindness(sources: Mapping[str, Source], exit_after: int | None) -> Warned:
    """Return the warning of a decision for which nothing could be read: what was looked for, what to do."""
    looked = [
        sources[name].reason for name in ("response", "plan") if name in sources and sources[name].reason
    ]
    ends = (
        f"; {counted(exit_after, 'such decision ends', 'such decisions in a row end')} the run"
        if exit_after is not None
        else ""
    )
    response = sources.get("response")
    if not looked and response is not None and response.text is not None:
        why = "no fact of the policy rests on what it said or did"  # naming files would change nothing
        return Warned(f"nothing from the agent could be read: {why}{ends}")
    what = "; ".join(dict.fromkeys(looked)) or "no response"
    return Warned(
        f"nothing from the agent could be read: {what}{ends}. Let the agent write its response"
        " there, or name the file: `exitgate check RESPONSE PLAN`"
    )


def digest_of(text: str) -> str:
    """Return the digest by which the ledger knows a text (`exitgate.core.ledger.line`)."""
    return hex_digest(text.encode("utf-8", "surrogatepass"))


def digest_read(source: Source | None) -> str | None:
    """Return the digest by which the ledger knows what was read for a source, or None without a text."""
    if source is None or source.text is None:
        return None
    return source.digest or digest_of(source.text)


def is_unchanged(sources: Mapping[str, Source], history: History) -> bool:
    """Return whether the response is the one that the last decision with one was made on."""
    return _same_before(sources.get("response"), history) is not None


def _same_before(response: Source | None, history: History) -> Mapping[str, object] | None:
    """Return the line of the decision on the same response, when no other response came after it."""
    known, digest = history.response_digest(), digest_read(response)
    return known[1] if known is not None and digest is not None and known[0] == digest else None


def _on_response(response: Source, text: str, history: History) -> list[str]:
    path = (response.path or "").partition(OUT_OF)[0].strip()
    where = f" at `{path}`" if path else ""
    if not text.strip():
        return [f"the response{where} is empty"]
    line = _same_before(response, history)
    if line is not None:
        return [f"the response{where} is unchanged since iteration {line['iteration']} of `{line['run']}`"]
    return []
