"""One check as every surface makes it: decided, and told to telemetry where the user asks for it."""

from __future__ import annotations

import os

from exitgate.gate.check import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request


def decide(request: Request, check: Callable[[Request], Checked] = check) -> Checked:
    """
    Decide on one iteration with `check`; raises as `exitgate.gate.check.check` does.

    Telemetry never raises, and changes nothing of a decision but its warnings: one says what to
    install, where OpenTelemetry is asked for and not there.
    """
    if "EXITGATE_OTEL" in os.environ or "EXITGATE_PROMETHEUS" in os.environ:
        from exitgate.surfaces.telemetry.told import told

        return told(request, check)
    return check(request)
