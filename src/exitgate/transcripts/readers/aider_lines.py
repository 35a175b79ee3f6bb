"""
Lines of aider's chat history: who wrote each.

Aider ends what it writes for the user and for itself with two blanks, and puts a blank line before a prompt
and before what the model says (`aider/io.py`, `append_chat_history`). By that a heading or a quote that the
model wrote is known from a prompt or a notice.
"""

from __future__ import annotations

STARTED = "# aider chat started at "
BLANK, PROMPT, TOOL, MODEL = "blank", "prompt", "tool", "model"
_PROMPT, _TOOL, _END = "#### ", "> ", "  "
#: What a question to the user has in it, which is written like a prompt when an answer before it counts.
_ASKED, _ANSWERED = " (Y)es/(N)o", "]: "
#: How a notice begins that is written over two lines.
REPORT = "Tokens: "


def is_marked(head: str) -> bool:
    """Return whether the two blanks are there: an editor may have taken them all away."""
    lines = [line.rstrip("\r") for line in head.split("\n")]
    written = [line for line in lines if line.startswith((_PROMPT, _TOOL))]
    return not written or any(line.endswith(_END) for line in written)


class Lines:
    """
    Tells of each line, in order, who wrote it.

    Args:
        marked: Whether the two blanks at the end of aider's lines are there.
    """

    def __init__(self, marked: bool) -> None:
        self._marked = marked
        self._before = BLANK
        self._open = False  # a notice of several lines, whose last ends with two blanks

    def again(self) -> Lines:
        """Return the same for the next chat of the file."""
        return Lines(self._marked)

    def kind(self, line: str) -> tuple[str, str]:
        """Return who wrote a line, and its text without the mark."""
        kind, text = self._kind(line)
        self._before = kind
        return kind, text

    def _kind(self, line: str) -> tuple[str, str]:
        ended = line.endswith(_END) or not self._marked
        if self._is_prompt(line, ended):
            self._open = False
            text = line[len(_PROMPT) :].strip()
            return (TOOL if _ASKED in text and _ANSWERED in text else PROMPT), text
        ended = ended and not line[-3:-2].isspace()  # the last line of a notice has no blanks of its own
        if self._open:
            self._open = not (ended if self._marked else not line.strip())
            return TOOL, line.removeprefix(_TOOL).rstrip()
        if not line.strip():
            return BLANK, ""
        if line.startswith(_TOOL) and self._before != MODEL:
            notice = line[len(_TOOL) :]
            if ended or self._before in (TOOL, PROMPT) or notice.startswith(REPORT):
                self._open = self._marked and not ended
                return TOOL, notice.rstrip()
        elif self._before == TOOL:
            return TOOL, line.rstrip()  # what the model says begins behind a blank line
        return MODEL, line

    def _is_prompt(self, line: str, ended: bool) -> bool:
        if self._before == PROMPT and line.rstrip() == _PROMPT.rstrip():
            return True  # a blank line of a prompt
        return line.startswith(_PROMPT) and ended and (self._before in (BLANK, PROMPT) or self._open)
