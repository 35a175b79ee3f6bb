"""What is answered when something is wrong: the agent may stop, the user is informed, an incident is kept."""

from __future__ import annotations

from exitgate.gate.incidents import note, note_aside
from exitgate.model.diagnostic import ExitgateError
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.registry import Host
    from exitgate.hosts.turn import Reply


def fail_open(
    error: BaseException, host: Host | None, directory: str, name: str, session: str = "", aside: bool = False
) -> Reply:
    """
    Return the reply that lets the agent stop and shows what is wrong; an incident is kept beside it.

    Args:
        error: What is wrong.
        host: Whose form the reply has; None where it is not known: then both a message and stderr.
        directory: The state directory.
        name: The host as it was named.
        session: The session, where it is known.
        aside: Nothing may be written to the state directory.
    """
    what = told(error)
    keep = note_aside if aside else note
    kept = keep(directory, "failed_open", what, host=name, session=session)
    shown = f"exitgate: the agent may stop; no decision was made: {what}"
    if not kept:
        shown += " (and this could not be recorded)"
    if host is not None:
        return host.let_stop(shown)
    from exitgate.hosts.turn import Reply

    return Reply({"systemMessage": shown}, f"{shown}\n")


def told(error: BaseException) -> str:
    """Return what is wrong in one line."""
    if not isinstance(error, ExitgateError):
        return f"internal error: {type(error).__name__}: {safe(str(error))[:200]}"
    first = error.diagnostics[0]
    place = f"{safe(str(first.place))}: " if first.place is not None else ""
    more = len(error.diagnostics) - 1
    rest = f" (and {more} more)" if more else ""
    help = f"; {safe(first.help)}" if first.help else ""
    return f"[{first.code}] {place}{safe(first.message)}{rest}{help}"
