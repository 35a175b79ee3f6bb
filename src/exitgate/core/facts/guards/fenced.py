"""`fenced`: the match is in a code block, a patch or an HTML comment."""

from __future__ import annotations

from exitgate.core.facts.text.blocks import CODE, PATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext


def holds(seen: MatchContext, _words: GuardWords) -> bool:
    """Return whether the match begins in code: what is there is shown, not said."""
    return seen.text.blocks.kind(seen.match.start) in (CODE, PATCH)
