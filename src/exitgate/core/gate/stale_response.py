"""The response that an earlier loop left behind: of no iteration of a run that was begun by hand."""

from __future__ import annotations

from exitgate.core.gate.notes import digest_read
from exitgate.core.ledger.line import DECISION, RUN_START
from exitgate.core.model.fact import Source
from exitgate.core.observe.envelope import TAKEN_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.state.history import History
    from exitgate.core.state.request import Request


def without_stale(sources: Mapping[str, Source], history: History, request: Request) -> Mapping[str, Source]:
    """
    Return the sources, the response without its text if it was not written since it was decided on.

    It is the same file with the same text, written when it was written at the last check with a
    response. A look that records nothing, and a caller that names iteration, turn or stage, get it as
    it is: they ask on purpose.
    """
    asked = (request.iteration, request.turn, request.stage)
    response, known = sources["response"], history.response_digest()
    if not request.record or known is None or any(one is not None for one in asked):
        return sources
    digest, line = known
    kept = line.get("sources")
    before = kept.get("response") if isinstance(kept, dict) else None
    if not response.written or not isinstance(before, dict) or before.get("written") != response.written:
        return sources
    if line.get("kind") != DECISION or digest != digest_read(response):
        return sources
    where = f"iteration {line['iteration']} of `{line['run']}`"
    said = f"`{response.path}` has not been written since {where}"
    return _without(sources, request, said, f"{said}: its content was counted then")


def without_left_over(
    sources: Mapping[str, Source], history: History, request: Request
) -> Mapping[str, Source]:
    """
    Return the sources, the response without its text where it was there before any work of its run.

    It was when the run has only its first line, `exitgate new-run` kept the same file with the same
    text there, and the caller names no iteration, turn, stage or exit status but 0, with which a loop
    begins. Asked once more the same text counts: an agent may well say again what it said before.
    """
    asked = (request.iteration, request.turn, request.agent_exit or None, request.stage)
    first = history.lines[-1] if history.lines else {}
    response = sources["response"]
    if response.text is None or first.get("kind") != RUN_START or any(one is not None for one in asked):
        return sources
    kept = first.get("sources")
    before = kept.get("response") if isinstance(kept, dict) else None
    if not isinstance(before, dict) or before.get("path") != response.path:
        return sources
    if before.get("digest") != digest_read(response):
        return sources
    said = f"`{response.path}` was there before `{history.standing.run}` began"
    return _without(sources, request, said, f"{said} and is ignored")


def _without(
    sources: Mapping[str, Source], request: Request, said: str, warning: str
) -> Mapping[str, Source]:
    """Return the sources without the response and what was taken out of it; `said` is why."""
    response = sources["response"]
    gone = Source("response", path=response.path, reason=said, warnings=(warning,))
    apart = {name: Source(name, reason=said) for name in TAKEN_OUT if name in sources}
    return {**sources, **{n: s for n, s in apart.items() if n not in request.sources}, "response": gone}
