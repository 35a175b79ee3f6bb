"""
How long a hook may take where it asks the world: a host ends one that takes longer: the agent stops.

Probes are ended before that, so that there is an answer, and a decision, in any case.
"""

from __future__ import annotations

import os
import time

from exitgate.core.model.value import Value
from exitgate.core.probes.definition import longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy


#: Seconds before the host's limit at which probes have to be done with: their trees are ended then, the
#: working tree is looked at, the decision is recorded. Of a shorter limit it is half.
MARGIN = 15.0


class TimeLimit(Value):
    """
    The time of one call of a hook.

    Args:
        host: The host's id.
        waits: Seconds that the host waits.
        need: Seconds that all probes may take, one after the other.
        until: The instant of `time.monotonic` at which probes have to be done with.
    """

    __slots__ = ("host", "need", "until", "waits")

    def __init__(self, host: str, waits: float, need: float, until: float) -> None:
        self.host = host
        self.waits = waits
        self.need = need
        self.until = until

    def remark(self) -> str:
        """Return what a user should know where time was up for a probe; empty where that is its own limit."""
        short = self.waits - margin_of(self.waits)
        if self.need <= short:
            return ""
        return (
            f"exitgate: probes may take {self.need:g} s and had {short:g} s, as the host waits "
            f"{self.waits:g} s for this hook; `exitgate install {self.host}` raises that"
        )


def time_limit(
    host: str,
    policy: CompiledPolicy,
    root: str,
    environment: Mapping[str, str],
    began: float,
    given: float | None,
) -> TimeLimit | None:
    """
    Return the time of a call; None where the settings define no probe.

    Args:
        host: The host's id.
        policy: That decides.
        root: Root of the project.
        environment: Of this process.
        began: When the call began, seconds since the epoch.
        given: Seconds that the command line names; None for what the host's settings say.
    """
    need = longest(policy)
    if not need:
        return None
    waits = given or _waits(host, root, environment)
    spent = max(0.0, time.time() - began)
    return TimeLimit(host, waits, need, time.monotonic() - spent + waits - margin_of(waits))


def margin_of(waits: float) -> float:
    """Return the seconds that stay for all that is not a probe."""
    return min(MARGIN, waits / 2)


def _waits(host: str, root: str, environment: Mapping[str, str]) -> float:
    """Return what the host's settings say: the least, where the hook is in several of them."""
    from exitgate.core.system.folders import folders_up
    from exitgate.hosts.install.inspect import HOSTS, inspect_hosts

    top = folders_up(os.path.abspath(root), environment)[-1]
    return inspect_hosts(HOSTS[host], top, environment).waits
