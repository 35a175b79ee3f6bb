"""The formats of events there are: what fits one, and who reads it."""

from __future__ import annotations

from exitgate.transcripts import claude, codex, others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.transcripts.gathered import Gathered
    from exitgate.transcripts.values import Event

    Fits = Callable[[Event], bool]
    Take = Callable[[Event, Gathered], None]

#: The first that fits reads an event: the stricter shapes come first.
READERS: tuple[tuple[Fits, Take], ...] = (
    (claude.fits, claude.take),
    (codex.fits, codex.take),
    (others.fits_opencode, others.take_opencode),
    (others.fits_copilot, others.take_copilot),
    (others.fits_gemini, others.take_gemini),
    (others.fits_role, others.take_role),
)


def reader_of(value: object) -> Take | None:
    """Return who reads a value, None when it is not an event of any known format."""
    if not isinstance(value, dict):
        return None
    return next((take for fits, take in READERS if fits(value)), None)


def opens(event: Event) -> bool:
    """Return whether an event is one with which only a runner's own stream begins."""
    return claude.opens(event) or codex.opens(event)


def is_stream(event: Event) -> bool:
    """Return whether an event alone is a line of a stream, and not the one object of a format."""
    return event.get("type", "result") != "result"
