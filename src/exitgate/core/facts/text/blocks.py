"""
Which stretches of a text are code, quotations or patches.

Follows CommonMark for fences (also unclosed, also in lists and quotations), indented code and block
quotations, with two deliberate differences that suit what agents write: a fence in a list ends at
its closing fence even when that is indented less, and a line without ``>`` behind a quotation is
the writer's own again.
"""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.text import structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.text.text import Lines


CODE = "code"
QUOTATION = "quotation"
PATCH = "patch"
PATCH_STARTS = ("diff --git ", "@@ -", "--- a/", "+++ b/")


class Blocks:
    """
    The kinds of blocks by line.

    Args:
        text: The text.
        lines: Its lines.
        shown: The same lines as they are shown, when the text has escape sequences.
    """

    __slots__ = ("_comments", "_kinds", "_lines")

    def __init__(self, text: str, lines: Lines, shown: Lines | None = None) -> None:
        self._lines = lines
        shown = shown or lines
        self._kinds = _Walk().kinds(shown)
        self._comments = _comments(text)
        if any(start in text for start in PATCH_STARTS):
            _mark_patches(shown, self._kinds)

    def kind(self, offset: int) -> str:
        """Return `CODE`, `QUOTATION` or `PATCH` for the block at `offset`, or ``""`` for prose."""
        kind = self._kinds[self._lines.number(offset)]
        return kind or (CODE if self._commented(offset) else "")

    def of_line(self, number: int) -> str:
        """Return the kind of line `number` (0-based)."""
        return self._kinds[number]

    def _commented(self, offset: int) -> bool:
        at = bisect_right(self._comments, (offset, len(self._lines.text) + 1)) - 1
        return at >= 0 and offset < self._comments[at][1]


class _Walk:
    """The state of a walk over lines from top to bottom."""

    __slots__ = ("depth", "fence", "indents", "paragraph")

    def __init__(self) -> None:
        self.fence = ""
        self.depth = 0
        self.indents: list[int] = []
        self.paragraph = False

    def kinds(self, lines: Lines) -> list[str]:
        """Return the kind of every line."""
        found = []
        for line in lines.text.split("\n"):
            line = line.removesuffix("\r")  # noqa: PLW2901 - as `Lines` has it
            if not self.depth and not self.fence and (not line or line[0].isalpha()):
                # running text that continues nothing but a paragraph, or an empty line
                self.paragraph = bool(line)
                if line:
                    self.indents = []
                found.append("")
            elif self.fence and not self.depth and line[:1].isalnum():
                found.append(CODE)
            else:
                found.append(self.kind(line.expandtabs(4)))
        return found

    def kind(self, line: str) -> str:
        if self.fence:
            body, depth = _unquoted(line, self.depth)
            if depth == self.depth:
                stripped = body.strip()
                if stripped.startswith(self.fence) and not stripped.strip(self.fence[0]):
                    self.fence = ""
                return CODE
            self.fence = ""
        if not self.depth and not line.lstrip(" ").startswith(">"):
            return self._open(line)
        body, depth = _unquoted(line, len(line))
        if depth != self.depth:
            self.indents, self.paragraph, self.depth = [], False, depth
        return self._open(body) or (QUOTATION if depth else "")

    def _open(self, body: str) -> str:
        """Return `CODE` when the line without quotation marks opens or is code."""
        stripped = body.strip()
        if not stripped:
            self.paragraph = False
            return ""
        indent = len(body) - len(body.lstrip(" "))
        if not (self.paragraph and indent >= 4 and not structure.list_mark(stripped)):
            while self.indents and indent < self.indents[-1]:
                self.indents.pop()
        within = indent - (self.indents[-1] if self.indents else 0)
        if within >= 4 and not self.paragraph:
            return CODE
        mark = structure.list_mark(stripped) if within < 4 else 0
        while mark and not structure.is_rule(stripped):
            width = mark if mark < len(stripped) else mark + 1
            indent += width
            self.indents.append(indent)
            stripped = stripped[mark:]
            mark = structure.list_mark(stripped) if len(self.indents) < 50 else 0
        self.fence = structure.fence_mark(stripped)
        if self.fence:
            self.paragraph = False
            return CODE
        self.paragraph = bool(stripped) and not structure.is_heading(stripped)
        return ""


def _unquoted(line: str, most: int) -> tuple[str, int]:
    """Return `line` without its leading ``>`` marks, at most `most`, and how many there were."""
    depth = 0
    while depth < most:
        rest = line.lstrip(" ")
        if not rest.startswith(">") or len(line) - len(rest) > 3:
            break
        line = rest[2:] if rest.startswith("> ") else rest[1:]
        depth += 1
    return line, depth


def _comments(text: str) -> list[tuple[int, int]]:
    """Return the spans of HTML comments; one that is never closed is none."""
    spans = []
    start = text.find(structure.COMMENT_START)
    while start >= 0:
        end = text.find(structure.COMMENT_END, start)
        if end < 0:
            break
        spans.append((start, end + len(structure.COMMENT_END)))
        start = text.find(structure.COMMENT_START, end)
    return spans


def _mark_patches(lines: Lines, kinds: list[str]) -> None:
    """Mark the lines of unified diffs: from a header to the first line that cannot belong to one."""
    inside = header = False
    for number in range(len(kinds)):
        line = lines.line(number)
        if line.startswith(PATCH_STARTS):
            inside, header = True, not line.startswith("@@")
        elif inside and line[:1] in ("+", "-", "@", "\\"):
            header = False
        elif inside and not header and line[:1] == " ":
            pass
        elif not (inside and header and line.strip()):
            inside = False
        if inside:
            kinds[number] = PATCH
