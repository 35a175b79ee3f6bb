"""What can be wrong around the drop-in for ralph's loop."""

from __future__ import annotations

from exitgate.model.diagnostic import Diagnostic, ExitgateError

NOT_WRITTEN, NO_STEP, NO_SETTING = "EP577", "EP578", "EP579"

#: Code -> what it means.
CODES = {
    NOT_WRITTEN: "a state file of the loop cannot be written",
    NO_STEP: "a step of the loop is called with wrong arguments",
    NO_SETTING: "a variable of the loop has a value that the policy does not accept",
}


def problem(code: str, message: str, help: str, exit_code: int) -> ExitgateError:
    """Return the error with one diagnostic."""
    return ExitgateError([Diagnostic(code, message, help=help)], exit_code)
