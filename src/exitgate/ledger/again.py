"""Whether a check was made before. Pure: the run's lines and what is asked go in."""

from __future__ import annotations

from exitgate.ledger.line import EXPIRED, RESET
from exitgate.ledger.runs import decisions_of, has_ended, iteration_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]

#: Lines of a run among which an earlier check is looked for.
LOOKED_AT = 64


def asked_again(
    lines: Sequence[Line], iteration: int | None, turn: str | None, response: str | None
) -> Line | None:
    """
    Return the line of the decision that was already made on this iteration, or None.

    Args:
        lines: The newest lines of the run that the last line of the name belongs to, newest last,
            even when that run has ended: a check repeated after its EXIT gets the same EXIT.
        iteration: Number the caller gave, or None.
        turn: The host's id of the turn, or None. It alone decides where it is given.
        response: Digest of the response as it is now, or None without one.

    A number with the response of then is the same check. With another response it still is when the
    run continues and has nothing later (`answers_another` tells it). Else the caller counts from the
    start again: that is another run, whose iterations the old decisions know nothing of.
    """
    if not lines or lines[-1].get("kind") in (RESET, EXPIRED):
        return None
    decisions = decisions_of(lines)
    if turn is not None:
        return next((line for line in reversed(decisions) if line.get("turn") == turn), None)
    if iteration is None:
        return None
    found = next((line for line in decisions if iteration_of(line) == iteration), None)
    if found is None or response_of(found) == response:
        return found
    newest = iteration == iteration_of(lines[-1]) and not has_ended(lines[-1])
    return found if newest else None


def answers_another(line: Line, response: str | None) -> str:
    """Return a remark when the decision in `line` was made on another response, else the empty text."""
    if response_of(line) == response:
        return ""
    number = iteration_of(line)
    return (
        f"iteration {number} was decided on another response; that decision is kept (line {line['sequence']})"
    )


def response_of(line: Line) -> str | None:
    """Return the digest of the response a line was made from, None without one."""
    sources = line.get("sources")
    response = sources.get("response") if isinstance(sources, dict) else None
    digest = response.get("digest") if isinstance(response, dict) else None
    return digest if isinstance(digest, str) else None
