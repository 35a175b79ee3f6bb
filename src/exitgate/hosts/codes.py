"""What can be wrong around a hook."""

from __future__ import annotations

from exitgate.model.diagnostic import Diagnostic, ExitgateError

PAYLOAD, NO_MESSAGE, SETTING, UNKNOWN_HOST, MEMORY = "EP560", "EP561", "EP562", "EP563", "EP564"

#: Code -> what it means.
CODES = {
    PAYLOAD: "a host's payload for a hook cannot be read",
    NO_MESSAGE: "a host does not provide the agent's response",
    SETTING: "an environment variable for hooks is wrong",
    UNKNOWN_HOST: "no such host",
    MEMORY: "a hook cannot save its state",
}


def problem(code: str, message: str, help: str, exit_code: int) -> ExitgateError:
    """Return the error with one diagnostic."""
    return ExitgateError([Diagnostic(code, message, help=help)], exit_code)
