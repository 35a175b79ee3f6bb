"""An iteration in which the agent itself failed, which the script neither analyses nor records."""

from __future__ import annotations

import os

from exitgate import opening
from exitgate.hosts.ralph.signals import signals_in
from exitgate.model.verdict import EXIT
from exitgate.surfaces.decide import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.hosts.ralph.places import Places
    from exitgate.hosts.ralph.session import Session

#: The script keeps the status of its agent to itself; that it was not 0 is all that is known.
FAILED = 1
#: Seconds after which the script has waited for a limit by itself: it waits an hour, and after any other
#: failure half a minute.
WAITED = 1800
LOGS, LOG, LOG_END = "logs", "claude_output_", ".log"


def failed(session: Session, loop: int) -> None:
    """
    Decide after an agent that failed, on what it printed.

    A limit that the script waited for by itself does not halt it; what bounds a run still does.

    Raises:
        ExitgateError: As `exitgate.gate.check.check`; 73 when a state file cannot be written.
    """
    from exitgate.hosts.ralph.step import begin_where_foreign

    begin_where_foreign(session)
    begun = _time(session.places.begun)
    printed = _printed(session.places, begun)
    ended_at = max(begun, 0 if printed is None else _time(printed))
    asked = session.request(
        response=printed,
        texts={} if printed is not None else {"response": None},
        agent_exit=FAILED,
        ended=True,
        turn=f"loop {loop} failed {begun}",
    )
    checked = decide(asked)
    if _is_waited_for(checked, session.now - ended_at / 1e9):
        checked = decide(session.request(stage="before_iteration"))
    session.leave(
        checked,
        session.breaker,
        loop,
        signals=session.there.signals or signals_in(None).text(),
        analysis=None,
        more={},
    )


def _is_waited_for(checked: Checked, seconds: float) -> bool:
    decision = checked.decision
    return decision.verdict == EXIT and decision.exit_class == "wait" and seconds >= WAITED


def _printed(places: Places, begun: int) -> str | None:
    """Return the newest log of an agent, None where none was written since the iteration began."""
    folder = places.beside(LOGS)
    try:
        names = [
            name
            for name in opening.names(folder, links=True)
            if name.startswith(LOG) and name.endswith(LOG_END)
        ]
    except OSError:
        return None
    paths = [os.path.join(folder, name) for name in names]
    newest = max(paths, key=_time, default=None)
    return newest if newest is not None and os.path.isfile(newest) and _time(newest) >= begun else None


def _time(path: str) -> int:
    """Return when a file was written, nanoseconds since the epoch, 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
