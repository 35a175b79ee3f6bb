"""
What runs in the background when a turn ends, and whether it is waited for. Pure.

A task that ends wakes the agent, so the turn is not finished. A server never ends: what settings name as
one is not waited for, nor is what was there at the two stops before (`docs/decisions/0701-hooks.md`).
"""

from __future__ import annotations

from exitgate.model.digest import hex_digest
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Stops at which one task is waited for.
STOPS = 2
#: Tasks that are looked at, and characters of a digest that stands for one.
MOST = 40
_SIGNS = 6


class Task(Value):
    """
    Something in the background.

    Args:
        id: The host's id of it, or what else distinguishes it from others.
        named: A short text for people.
        told: What the host says of it, command and description: what `hooks: {servers: ...}` is sought in.
    """

    __slots__ = ("id", "named", "told")

    def __init__(self, id: str, named: str, told: str = "") -> None:
        self.id = id
        self.named = named
        self.told = told


def waited_for(
    tasks: Sequence[Task], settings: Mapping[str, object], before: str
) -> tuple[tuple[Task, ...], str]:
    """
    Return the tasks that are waited for at this stop, and what must be remembered of all.

    Args:
        tasks: What runs in the background.
        settings: What settings say of hooks.
        before: What is remembered of the stop before, or the empty text.
    """
    servers = settings.get("servers")
    named = [one for one in servers if isinstance(one, str)] if isinstance(servers, list | tuple) else []
    seen = dict(word.partition(":")[::2] for word in before.split())
    waited, remembered = [], []
    for task in tasks[:MOST]:
        if any(name in task.told for name in named):
            continue
        sign = hex_digest(task.id.encode("utf-8", "replace"))[:_SIGNS]
        times = seen.get(sign, "")
        stops = 1 + (int(times) if times.isascii() and times.isdigit() else 0)
        remembered.append(f"{sign}:{min(stops, STOPS)}")
        if stops <= STOPS:
            waited.append(task)
    return tuple(waited), " ".join(remembered)
