"""What is raised where the studio cannot do what a page asks for."""

from __future__ import annotations

from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError


def refusal(message: str, help: str = "", code: int = BAD_POLICY) -> ExitgateError:
    """Return what to raise where the studio cannot do what is asked for, with the code that it exits with."""
    return ExitgateError([Diagnostic("EP557", message, help=help)], code)
