"""
A YAML text as far as its lines tell: what a reader sees while a policy is being typed.

The strict reader of policies stops at the first fault of syntax; an editor asks about texts that are at
fault most of the time. So each line counts for itself: its indentation says what it belongs to. Of a
text that is right the tree is that of the strict reader; a test holds the two together.
"""

from __future__ import annotations

from functools import lru_cache

from exitgate.surfaces.lsp.tree import MAPPING, NOTHING, SCALAR, SEQUENCE, Entry, Node

#: Trees are kept of so many texts; none is ever changed.
KEPT = 64
#: Signs that begin a block scalar.
_BLOCK = "|>"


@lru_cache(maxsize=KEPT)
def parse(text: str) -> Node:
    """Return the tree of any text; the root is a mapping, or a sequence where the text begins as one."""
    return _Sketch(text).root


class _Sketch:
    """Takes the lines of a text one by one; the stack holds the block collections that are open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = Node(MAPPING, 0, 0, column=0)
        self.stack = [self.root]
        self.block: tuple[Node, int] | None = None
        at = 0
        while at < len(text):
            end = _line_end(text, at)
            at = self._line(at, end)
        for twig in reversed([entry.value for _, entry in self.root.walk()]):
            twig.end = max([twig.end, *(entry.value.end for entry in twig.entries)])

    def _line(self, start: int, end: int) -> int:
        """Take the line from `start` to `end`; return where the next one begins."""
        text = self.text
        at = start
        while at < end and text[at] == " ":
            at += 1
        column = at - start
        behind = _behind(text, end)
        if self.block is not None:
            twig, parent = self.block
            if at == end or column > parent:
                twig.end = end if at < end else twig.end
                return behind
            self.block = None
        if at == end or text[at] == "#" or (text[at] == "\t" and not text[at:end].strip()):
            return behind
        if column == 0 and text[at:end].rstrip() in ("---", "..."):
            return behind
        return self._content(at, end, column, behind)

    def _content(self, at: int, end: int, column: int, behind: int) -> int:
        text, start = self.text, at
        dashed = False
        while text[at] == "-" and (at + 1 == end or text[at + 1] in " \t"):
            sequence = self._sequence(column, at)
            item = Entry(len(sequence.entries), at, at, at, Node(NOTHING, at + 1, end))
            sequence.entries.append(item)
            dashed = True
            at += 1
            while at < end and text[at] in " \t":
                at += 1
            column += at - start
            start = at
            if at == end or text[at] == "#":
                return behind
        found = _key(text, at, end)
        if found is None:
            return self._bare(at, end, column, behind, dashed)
        key_end, colon = found
        mapping = self._mapping(column, at)
        entry = Entry(key_text(text, at, key_end), at, at, key_end, Node(NOTHING, colon + 1, end))
        mapping.entries.append(entry)
        value = colon + 1
        while value < end and text[value] in " \t":
            value += 1
        if value == end or text[value] == "#":
            return behind
        entry.value, next_line = self._value(value, end, column, behind)
        return next_line

    def _bare(self, at: int, end: int, column: int, behind: int, dashed: bool) -> int:
        """Take a line without a key: more of the scalar before, a value, or a key that is being typed."""
        owner = None if dashed else self._continued(column)
        if owner is not None:
            owner.end = _plain_end(self.text, at, end)
            return behind
        if dashed:
            target = self.stack[-1].entries[-1]
        else:
            while len(self.stack) > 1 and self.stack[-1].column > column:
                self.stack.pop()
            top = self.stack[-1]
            last = top.entries[-1] if top.entries else None
            if last is None or top.column == column or last.value.kind != NOTHING:
                word = Entry(None, at, at, _plain_end(self.text, at, end), Node(NOTHING, end, end))
                top.entries.append(word)
                return behind
            target = last
        target.value, next_line = self._value(at, end, column - 1, behind)
        target.value.alone = True
        return next_line

    def _continued(self, column: int) -> Node | None:
        """Return the plain scalar that a line at `column` continues with, None where there is none."""
        top = self.stack[-1]
        last = top.entries[-1] if top.entries else None
        if last is None or column <= top.column:
            return None
        value = last.value
        return value if value.kind == SCALAR and value.style == "plain" else None

    def _value(self, at: int, end: int, column: int, behind: int) -> tuple[Node, int]:
        """Return the value that begins at `at` in a line of an entry at `column`, and the next line."""
        text = self.text
        first = text[at]
        if first in _BLOCK:
            twig = Node(SCALAR, at, end, style=first)
            self.block = (twig, column)
            return twig, behind
        if first in "'\"":
            stop = self._reach(end, column)
            close = quoted_end(text, at, stop)
            close = close if close is not None else _plain_end(text, at, end)
            return Node(SCALAR, at, close, style=first), self._after(close, end, behind)
        if first in "[{":
            twig, closed = flow(text, at, self._reach(end, column))
            if not closed:
                twig, _ = flow(text, at, end)
            return twig, self._after(twig.end, end, behind)
        return Node(SCALAR, at, _plain_end(text, at, end), style="plain"), behind

    def _reach(self, end: int, column: int) -> int:
        """Return how far a value may go that begins in a line of `column`: while lines are deeper."""
        text, stop = self.text, end
        while stop < len(text):
            start = _behind(text, stop)
            line_end = _line_end(text, start)
            line = text[start:line_end]
            inked = line.lstrip(" ")
            # Closing brackets may be where the key is.
            if inked.strip() and len(line) - len(inked) <= column and inked[0] not in "]}":
                break
            if stop == line_end:
                break
            stop = line_end
        return stop

    def _after(self, close: int, end: int, behind: int) -> int:
        return behind if close <= end else _behind(self.text, _line_end(self.text, close))

    def _mapping(self, column: int, at: int) -> Node:
        while len(self.stack) > 1 and (
            self.stack[-1].column > column
            or (self.stack[-1].column == column and self.stack[-1].kind == SEQUENCE)
        ):
            self.stack.pop()
        top = self.stack[-1]
        if top.kind == MAPPING and (top.column == column or not top.entries):
            top.column = column
            return top
        return self._open(MAPPING, column, at)

    def _sequence(self, column: int, at: int) -> Node:
        while len(self.stack) > 1 and self.stack[-1].column > column:
            self.stack.pop()
        top = self.stack[-1]
        if top.kind == SEQUENCE and top.column == column:
            return top
        return self._open(SEQUENCE, column, at)

    def _open(self, kind: str, column: int, at: int) -> Node:
        """Open a collection as the value of the last entry; of none, as one that belongs to nothing."""
        twig = Node(kind, at, at, column=column)
        top = self.stack[-1]
        if top.entries:
            top.entries[-1].value = twig
        else:
            top.entries.append(Entry(None, at, at, at, twig))
        self.stack.append(twig)
        return twig


def _key(text: str, at: int, end: int) -> tuple[int, int] | None:
    """Return where the key at `at` ends and where its colon is, None where the line has no key."""
    if text[at] in "'\"":
        close = quoted_end(text, at, end)
        if close is None:
            return None
        colon = close
        while colon < end and text[colon] in " \t":
            colon += 1
        is_key = text[colon : colon + 1] == ":" and (colon + 1 == end or text[colon + 1] in " \t")
        return (close, colon) if colon < end and is_key else None
    if text[at] in "[{#|>&*!%@`":
        return None
    colon = at
    while colon < end:
        if text[colon] == ":" and (colon + 1 == end or text[colon + 1] in " \t"):
            return at + len(text[at:colon].rstrip()), colon
        if text[colon] == "#" and colon > at and text[colon - 1] in " \t":
            return None
        colon += 1
    return None


def _plain_end(text: str, at: int, end: int) -> int:
    """Return where a plain scalar ends in its line: before a comment, without blanks at its end."""
    for comment in (" #", "\t#"):
        found = text.find(comment, at, end)
        end = found if found >= 0 else end
    return max(at + 1, at + len(text[at:end].rstrip(" \t")))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    carriage = text.find("\r", at, end)
    return carriage if carriage >= 0 else end


def _behind(text: str, end: int) -> int:
    """Return where the line behind a line end begins."""
    return end + 2 if text[end : end + 2] == "\r\n" else min(end + 1, len(text) + 1)


# Brackets, braces and quotes of a YAML text that may be broken.

_BLANKS = " \t\r\n"
_SIGNS = ",[]{}"
#: Deeper brackets are read as text: they are broken anyway (`core/policy/yaml/builder.py` has the limit).
_DEPTH = 40


def quoted_end(text: str, start: int, stop: int) -> int | None:
    """Return the offset behind the quote that closes the one at `start`, None for none before `stop`."""
    quote = text[start]
    at = start + 1
    while at < stop:
        here = text[at]
        if quote == '"' and here == "\\":
            at += 2
        elif here != quote:
            at += 1
        elif quote == "'" and text[at + 1 : at + 2] == "'" and at + 1 < stop:
            at += 2
        else:
            return at + 1
    return None


def flow(text: str, start: int, stop: int, depth: int = 0) -> tuple[Node, bool]:
    """
    Return the collection that begins at `start`, and whether it is closed before `stop`.

    What follows the closing bracket is not looked at.
    """
    mapping = text[start] == "{"
    twig = Node(MAPPING if mapping else SEQUENCE, start, start + 1, flow=True)
    at = start + 1
    while True:
        at = _skip(text, at, stop)
        if at >= stop:
            twig.end = stop
            return twig, False
        if text[at] in "]}":
            twig.end = at + 1
            return twig, True
        if text[at] == ",":
            at += 1
            continue
        at = _entry(text, at, stop, twig, depth)


def _entry(text: str, at: int, stop: int, twig: Node, depth: int) -> int:
    """Add the key with its value, or the item, that begins at `at`; return the offset behind it."""
    value, end = _value(text, at, stop, depth)
    behind = _skip(text, end, stop)
    is_key = text[behind : behind + 1] == ":" and behind < stop and value.kind == SCALAR
    if twig.kind == SEQUENCE and not is_key:
        twig.entries.append(Entry(len(twig.entries), at, at, at, value))
        return end
    if not is_key:
        twig.entries.append(Entry(None, at, at, end, Node(NOTHING, end, end, flow=True)))
        return end
    key = key_text(text, at, value.end)
    after = _skip(text, behind + 1, stop)
    if after >= stop or text[after] in ",]}":
        inner = Node(NOTHING, behind + 1, after, flow=True)
        end = after
    else:
        inner, end = _value(text, after, stop, depth)
    if twig.kind == SEQUENCE:
        pair = Node(MAPPING, at, end, flow=True)
        pair.entries.append(Entry(key, at, at, value.end, inner))
        twig.entries.append(Entry(len(twig.entries), at, at, at, pair))
    else:
        twig.entries.append(Entry(key, at, at, value.end, inner))
    return end


def _value(text: str, at: int, stop: int, depth: int) -> tuple[Node, int]:
    if text[at] in "[{" and depth < _DEPTH:
        twig, _ = flow(text, at, stop, depth + 1)
        return twig, twig.end
    if text[at] in "'\"":
        end = quoted_end(text, at, stop)
        if end is None:
            end = _flow_plain_end(text, at + 1, stop)
        return Node(SCALAR, at, end, style=text[at], flow=True), end
    end = max(_flow_plain_end(text, at, stop), at + 1)
    return Node(SCALAR, at, at + len(text[at:end].rstrip(_BLANKS)), style="plain", flow=True), end


def _flow_plain_end(text: str, at: int, stop: int) -> int:
    """Return where a plain scalar inside brackets ends: at a sign, at `: ` or at a comment."""
    while at < stop and text[at] not in _SIGNS:
        behind = text[at + 1 : at + 2]
        if text[at] == ":" and (not behind or at + 1 >= stop or behind in _BLANKS + _SIGNS):
            break
        if text[at] == "#" and text[at - 1] in _BLANKS:
            break
        at += 1
    return at


def _skip(text: str, at: int, stop: int) -> int:
    """Return the offset of the next character that is neither blank nor in a comment."""
    while at < stop:
        if text[at] in _BLANKS:
            at += 1
        elif text[at] == "#" and text[at - 1] in _BLANKS:
            while at < stop and text[at] not in "\r\n":
                at += 1
        else:
            break
    return at


def key_text(text: str, start: int, end: int) -> str:
    """Return a key without its quotes."""
    written = text[start:end]
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        return written[1:-1]
    return written
