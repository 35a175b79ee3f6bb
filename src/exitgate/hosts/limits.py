"""How often in a row an agent may be held back."""

from __future__ import annotations

from exitgate.hosts.codes import SETTING, problem
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.registry import Host

VARIABLE = "EXITGATE_MAX_BLOCKS"
#: Limit of hosts that publish none.
UNPUBLISHED_CAP = 8
MOST = 1000


def limit_of(
    host: Host, asked: int | None, environment: Mapping[str, str], settings: Mapping[str, object]
) -> int:
    """
    Return the largest number of blocks in a row, at least 1.

    The command line counts before the environment, that before the settings. Without any it is one
    less than the host's own limit, so that the user reads why from here and not from the host.

    Raises `ExitgateError` (64) for a variable that is no such number.
    """
    wanted = asked if asked is not None else _from_environment(environment)
    if wanted is None:
        setting = settings.get("max_blocks")
        wanted = setting if isinstance(setting, int) else max(1, host.cap(environment) - 1)
    return wanted


def _from_environment(environment: Mapping[str, str]) -> int | None:
    text = environment.get(VARIABLE, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST):
        message = f"`{VARIABLE}` is not a number from 1 to {MOST}: `{text}`"
        raise problem(SETTING, message, f"write `{VARIABLE}=5`", USAGE)
    return int(text)
