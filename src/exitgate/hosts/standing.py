"""
Which stop a call shows, and how often in a row the agent was held back before it. Pure.

Counting rests on what is remembered; what a host says only adds to it. The host's flag is not a base: it
was seen false on every stop, which must not hold an agent for ever, and false once in between, which
must not lose the count (`docs/decisions/0701-hooks.md`).
"""

from __future__ import annotations

from exitgate.model.digest import hex_digest
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.memory import Memory
    from exitgate.hosts.turn import Turn

#: Blocks since the agent last stopped are at most so many times the limit, no matter what the host says.
PROMPTS = 4


class Standing(Value):
    """
    Where a call is.

    Args:
        serial: Number of the stop in its session, from 1.
        key: Digest of what tells it.
        prompt: Digest of the host's id of the prompt, or the empty text.
        row: How often in a row the agent was held back before it.
        held: The same, no matter what the host says of new prompts.
    """

    __slots__ = ("held", "key", "prompt", "row", "serial")

    def __init__(self, serial: int, key: str, prompt: str, row: int, held: int) -> None:
        self.serial = serial
        self.key = key
        self.prompt = prompt
        self.row = row
        self.held = held

    def id_of(self, born: str) -> str:
        """Return the id of the turn for the ledger; `born` is the memory's."""
        return f"{born}-{self.serial}-{self.key[:16]}"

    def is_full(self, limit: int) -> bool:
        """Return whether the agent may not be held back once more."""
        return self.row >= limit or self.held >= PROMPTS * limit

    def remembered(self, before: Memory, blocked: bool, now: float, marked: bool) -> Memory:
        """Return what must be remembered of this stop, answered at `now`."""
        return before.but(
            serial=self.serial,
            key=self.key,
            time=now,
            row=self.row,
            held=self.held,
            blocked=blocked,
            prompt=self.prompt,
            marked=before.marked or marked,
        )


def standing(turn: Turn, message: str, memory: Memory, left: int | None, began: float) -> Standing:
    """
    Return where a call is.

    Args:
        turn: What the host says.
        message: What the agent said.
        memory: Of the session.
        left: Number of the stop that an earlier call was deciding on when it was ended, or None.
        began: When this call began, seconds since the epoch.
    """
    key = key_of(turn, message)
    # The same again: reported with the host's own time, or before the last was answered (two hooks of
    # one event), or the last was never answered. The same words at a later stop are another stop.
    same = key == memory.key and (bool(turn.stamp) or began <= memory.time or left == memory.serial)
    if same:
        return Standing(memory.serial, key, memory.prompt, memory.row, memory.held)
    row = memory.row + 1 if memory.blocked else 0
    held = memory.held + 1 if memory.blocked else 0
    prompt = hex_digest(turn.prompt_id.encode("utf-8", "replace")) if turn.prompt_id else ""
    if turn.active is False and prompt and memory.prompt and prompt != memory.prompt:
        row = 0
    row = max(row, turn.held, 1 if turn.active else 0)
    return Standing(memory.serial + 1, key, prompt, row, held)


def key_of(turn: Turn, message: str) -> str:
    """Return the digest of what tells a stop."""
    told = (turn.prompt_id, turn.stamp, str(turn.active), str(turn.held), message)
    return hex_digest("\0".join(told).encode("utf-8", "replace"))
