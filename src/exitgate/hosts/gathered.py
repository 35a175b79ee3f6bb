"""
Messages of a host that gives all that was said since the user's prompt, at every stop anew. Pure.

What was said before the agent was held back was decided on then: taken again, an error that was fixed
since would count at every later stop.
"""

from __future__ import annotations

from exitgate.model.digest import hex_digest

#: What is between what was said before and after the agent was held back.
_BETWEEN = "\n"


def sign_of(message: str) -> str:
    """Return what tells a message again: its length in characters and a digest."""
    return f"{len(message)}:{hex_digest(message.encode('utf-8', 'replace'))}"


def new_part(message: str, before: str) -> str:
    """
    Return what is in `message` behind the one that `before` is the sign of.

    All of it where it does not begin so, or is the same: that may be a version of the host that gives
    the last turn alone, and an agent that repeats itself is what policies look for.
    """
    length, _, _ = before.partition(":")
    if not (length.isascii() and length.isdigit()) or sign_of(message[: int(length)]) != before:
        return message
    return message[int(length) :].removeprefix(_BETWEEN) or message
