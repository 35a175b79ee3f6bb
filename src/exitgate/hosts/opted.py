"""Whether a session is a loop: somebody has to say so."""

from __future__ import annotations

from exitgate.hosts import transcript
from exitgate.hosts.codes import SETTING, problem
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.hosts.registry import Host
    from exitgate.hosts.turn import Turn

VARIABLE = "EXITGATE_LOOP"
#: Set by `exitgate run` for its agent: that loop decides already.
RUNNER_VARIABLE = "EXITGATE_ITERATION"
#: A line of the first prompt that makes a session a loop, where settings name no other.
MARKER = "exitgate: loop"
#: A line of a prompt whose turn is left alone, in a loop as well.
QUESTION = "exitgate: question"
#: Signs of a fence around code, and the shortest.
_FENCES, _FENCE = ("`", "~"), "```"


def wish(environment: Mapping[str, str]) -> bool | None:
    """
    Return what the environment says of this session, None where it says nothing.

    Raises `ExitgateError` (64) for a value that is neither 1 nor 0.
    """
    text = environment.get(VARIABLE, "").strip()
    if text not in ("", "0", "1"):
        message = f"`{VARIABLE}` is neither 1 nor 0: `{text}`"
        raise problem(SETTING, message, "1 makes the session a loop, 0 leaves it alone", USAGE)
    if text:
        return text == "1"
    return False if environment.get(RUNNER_VARIABLE) else None


def is_marked(turn: Turn, host: Host, marker: str) -> bool:
    """Return whether the session's first prompt, or the one the payload has, holds the marker on a line."""
    if _holds(turn.prompt, marker):
        return True
    # Who gives the message in the transcript alone, with a time to find it by, writes that late.
    late = turn.message is None and bool(turn.stamp)
    return _holds(transcript.first_prompt(turn.transcript, host.said, late), marker)


def is_question(turn: Turn, host: Host) -> bool:
    """
    Return whether the prompt asks something beside the loop: the end of such a turn is not an iteration.
    """
    if turn.active or turn.held:
        return False  # the agent continues because it was held back
    prompt = turn.prompt
    if prompt is None:
        prompt = transcript.last_prompt(turn.transcript, host.said, QUESTION)
    return _holds(prompt, QUESTION)


def _holds(prompt: str | None, marker: str) -> bool:
    if not prompt or marker not in prompt:
        return False
    fence = ""
    for line in prompt.splitlines():
        text = line.strip()
        if not fence and text == marker:
            return True
        fence = _fence_behind(text, fence)
    return False


def _fence_behind(line: str, fence: str) -> str:
    """Return the fence that is open behind a line of Markdown: what is in one is shown, not said."""
    sign = line[:1]
    length = len(line) - len(line.lstrip(sign)) if sign in _FENCES else 0
    if not fence:
        # A line that has the sign once more is code in a sentence.
        return sign * length if length >= len(_FENCE) and sign not in line[length:] else ""
    return "" if sign == fence[0] and length >= len(fence) and length == len(line) else fence
