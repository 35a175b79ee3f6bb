"""One check as every surface makes it: decided, and told to telemetry where the user asks for it."""

from __future__ import annotations

import os

from exitgate.core.gate.check import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.state.request import Request


def decide(request: Request, check: Callable[[Request], CheckResult] = check) -> CheckResult:
    """
    Decide on one iteration with `check`; raises as `exitgate.core.gate.check.check` does.

    Telemetry never raises, and changes nothing of a decision but its warnings: one says what to
    install, where OpenTelemetry is asked for and not there.
    """
    if "EXITGATE_OTEL" in os.environ or "EXITGATE_PROMETHEUS" in os.environ:
        from exitgate.surfaces.telemetry.instrumentation import instrumented

        return instrumented(request, check)
    return check(request)
