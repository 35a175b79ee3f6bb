"""The lines of one iteration in a log: what the agent said, and what the loop says of that."""

from __future__ import annotations

from exitgate.transcripts.loops import notes
from exitgate.transcripts.loops.console import agent_text
from exitgate.transcripts.loops.marks import LONGEST, Line, ends_loop, is_heading, is_ruler, line_of
from exitgate.transcripts.loops.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Seconds by which a clock may go back before a line with a time counts as quoted.
_BACK = 2.0
#: Characters of a text that may be missing where it was cut at a length: line ends count differently.
_SLACK = 4


class Note:
    """A line of the loop: its number, when it was written, what it says."""

    def __init__(self, number: int, line: Line) -> None:
        self.number = number
        self.at = line.stamp.at if line.stamp is not None else None
        self.line = line
        self.status = notes.status_in(line)
        self.timed_out = notes.timed_out(line)
        self.plan = notes.plan_in(line)
        self.file = notes.file_in(line)
        self.key = notes.marks_key(line)
        self.closed = self.key is not None and notes.is_closed(line)
        self.ends = ends_loop(line)


class Body:
    """
    What the lines between two headers hold.

    `text` is the agent's, None if there is none; `results` what its tools printed, where that can be
    reported; `notes` are the loop's own lines; `truncated` says that the loop cut the text off, `others`
    that text of something else was left out.
    """

    def __init__(self) -> None:
        self.text: str | None = None
        self.results: str | None = None
        self.notes: list[Note] = []
        self.truncated = False
        self.others = False


def body_of(
    lines: Sequence[str],
    first: int,
    kind: str,
    since: float | None,
    headings: frozenset[str] = frozenset(),
) -> Body:
    """
    Return what the lines of an iteration hold.

    Args:
        lines: With their escapes.
        first: Number of the first of them.
        kind: Of the times at the heads of the loop's own lines, or the empty text where they have none.
        since: When the iteration began, or None.
        headings: Words of the headings that a loop without times draws in each iteration.
    """
    body = Body()
    apart = _Apart(body, kind, since, headings)
    for number, raw in enumerate(lines, first):
        for piece in _pieces(raw, kind):
            apart.take(number, piece)
    texts = apart.texts()
    if not kind:
        texts = [_untrailed(texts[0], body, first)] if texts else []
    said, results = agent_text([line for text in texts for line in text])
    if body.truncated:
        said = said.rstrip("\n")
    body.text = said if said.strip() else None
    body.results = results
    return body


def _pieces(raw: str, kind: str) -> tuple[str, ...]:
    """Return a line; two where a line of the loop begins behind text that had no line end."""
    if kind != "iso[" or "[20" not in raw[1:]:
        return (raw,)
    at = raw.find("[20", 1)
    own = line_of(plain(raw[at:]))
    if own.stamp is None or raw[at - 1].isspace() or not plain(raw[:at]).strip():
        return (raw,)
    return raw[:at], raw[at:]


class _Apart:
    """Takes the lines of an iteration one by one."""

    def __init__(self, body: Body, kind: str, since: float | None, headings: frozenset[str]) -> None:
        self._body = body
        self._headings = headings
        self._draws = any(map(notes.names_agent, headings))
        self._kind = kind
        self._since = since
        self._whose = notes.AGENT
        self._named = False
        self._texts: list[list[str]] = [[]]
        self._framed: list[list[str]] = []
        self._frame = False
        self._cut: int | None = None

    def take(self, number: int, raw: str) -> None:
        text = plain(raw)
        opens = notes.frame_in(text)
        if opens is not None:
            self._frame = opens
            if opens:
                self._framed.append([])
            return
        if self._frame:
            self._framed[-1].append(raw)
            return
        if self._kind:
            line = line_of(text)
            if self._is_own(line):
                self._own(number, line)
                return
        elif self._headings and is_heading(line := line_of(text[:LONGEST])) and line.core in self._headings:
            whose = notes.whose_below(line, files=self._draws)
            if whose is not None:
                self._whose = whose
                return
        if self._whose == notes.AGENT:
            self._texts[-1].append(raw)
        elif text.strip():
            self._body.others = True

    def _is_own(self, line: Line) -> bool:
        if line.stamp is None or line.stamp.kind != self._kind:
            return False
        at = line.stamp.at
        if at is not None and self._since is not None:
            if at < self._since - _BACK:
                return False
            self._since = max(at, self._since)
        return True

    def _own(self, number: int, line: Line) -> None:
        self._shut()
        if is_ruler(line.body):
            return
        output = notes.output_in(line)
        if output is not None and output[0].strip():
            self._whose, self._named = notes.AGENT, True
            self._texts.append([output[0]])
            self._cut = output[1]
            return
        self._body.notes.append(Note(number, line))
        whose = notes.whose(line) if output is None else notes.AGENT
        if whose == notes.AGENT and not self._named:
            self._texts.clear()  # what was before was printed by the loop
            self._named = True
        self._whose = whose or self._whose
        self._texts.append([])

    def _shut(self) -> None:
        """End a text that the loop cut at a length."""
        if self._cut is not None and self._texts:
            said = "\n".join(self._texts[-1])
            self._body.truncated = self._body.truncated or len(said) >= self._cut - _SLACK
        self._cut = None

    def texts(self) -> list[list[str]]:
        """Return the texts of the agent: in frames where there are some, else all that is not the loop's."""
        self._shut()
        if self._framed:
            return [self._framed[-1]]
        return self._texts if self._kind else [[line for text in self._texts for line in text]]


def _untrailed(lines: list[str], body: Body, first: int) -> list[str]:
    """Return a text without what a loop that writes no times says at its end."""
    apart = [line_of(plain(raw)[:LONGEST]) for raw in lines]
    end, own = notes.without_trailer(apart)
    body.notes += [Note(first + end, line) for line in own]
    return lines[:end]
