"""What `doctor` finds of incidents: trouble around decisions that could not be reported at the time."""

from __future__ import annotations

from exitgate.report.findings import ABSENT, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.gate.request import Request

#: Incidents older than this many days are not reported any more.
DAYS = 7
DAY = 24 * 60 * 60
#: Kind -> what to do about it.
HELP = {
    "failed_open": "`exitgate check` in the same folder shows what is wrong",
    "killed": "`exitgate install HOST --timeout SECONDS` gives it more time",
    "capped": "`exitgate history` shows why; `exitgate install HOST --max-blocks N` allows more",
    "telemetry": "check that the collector is up and the file is writable; decisions do not wait for them",
    "notify": "try the command by hand",
    "crashed": "EXITGATE_DEBUG=1 shows where; please report it, with the agent's response",
    "fault": "please report it, with the agent's response; the loop continues without that part",
    "shim": "`exitgate check` in the same folder shows what is wrong",
    "loop": "see `exitgate history` for the iteration, and the runner's output",
}


def incident_findings(request: Request) -> tuple[Finding, ...]:
    """Return a finding for each kind of incident of the last days, the newest first."""
    import time

    from exitgate.gate.discover import state_dir
    from exitgate.gate.incidents import incidents

    now = time.time()
    return grouped(incidents(state_dir(request)), now)


def grouped(kept: Sequence[Mapping[str, object]], now: float) -> tuple[Finding, ...]:
    """
    Return the findings on incidents.

    Args:
        kept: As `exitgate.gate.incidents.incidents` has them, oldest first.
        now: Seconds since the epoch.
    """
    kinds: dict[str, list[Mapping[str, object]]] = {}
    for one in kept:
        kind = str(one.get("kind", ""))
        if _time(one) > now - DAYS * DAY:
            # Put at the end again: kinds are in the order of their newest incident.
            kinds[kind] = [*kinds.pop(kind, []), one]
    found = tuple(_finding(kind, ones) for kind, ones in reversed(kinds.items()))
    return found or (Finding("incidents", ABSENT, f"none in the last {DAYS} days"),)


def _finding(kind: str, ones: Sequence[Mapping[str, object]]) -> Finding:
    from exitgate.gate.incidents import KINDS

    last = ones[-1]
    counted = "once" if len(ones) == 1 else f"{len(ones)} times"
    what = KINDS.get(kind, f"of unknown kind: {kind}")
    origin = f"last {_written(_time(last))}: {last.get('message', '')}"
    details = ", ".join(_details(last))
    return Finding(
        "incidents",
        WARNING,
        f"{counted}: {what}",
        origin + (f" ({details})" if details else ""),
        HELP.get(kind, ""),
    )


def _details(one: Mapping[str, object]) -> Iterator[str]:
    for key, value in one.items():
        if key not in ("time", "kind", "message") and value not in (None, ""):
            yield f"{key} {value}"


def _time(one: Mapping[str, object]) -> float:
    value = one.get("time")
    return float(value) if isinstance(value, int | float) else 0.0


def _written(moment: float) -> str:
    import time

    try:
        return time.strftime("%Y-%m-%d %H:%M:%S local time", time.localtime(moment))
    except (OverflowError, OSError, ValueError):
        return "at an invalid time"
