"""Brackets, braces and quotes of a YAML text that may be broken."""

from __future__ import annotations

from exitgate.surfaces.lsp.twig import MAPPING, NOTHING, SCALAR, SEQUENCE, Entry, Twig

_BLANKS = " \t\r\n"
_SIGNS = ",[]{}"
#: Deeper brackets are read as text: they are broken anyway (`policy/builder.py` has the limit).
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


def flow(text: str, start: int, stop: int, depth: int = 0) -> tuple[Twig, bool]:
    """
    Return the collection that begins at `start`, and whether it is closed before `stop`.

    What follows the closing bracket is not looked at.
    """
    mapping = text[start] == "{"
    twig = Twig(MAPPING if mapping else SEQUENCE, start, start + 1, flow=True)
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


def _entry(text: str, at: int, stop: int, twig: Twig, depth: int) -> int:
    """Add the key with its value, or the item, that begins at `at`; return the offset behind it."""
    value, end = _value(text, at, stop, depth)
    behind = _skip(text, end, stop)
    is_key = text[behind : behind + 1] == ":" and behind < stop and value.kind == SCALAR
    if twig.kind == SEQUENCE and not is_key:
        twig.entries.append(Entry(len(twig.entries), at, at, at, value))
        return end
    if not is_key:
        twig.entries.append(Entry(None, at, at, end, Twig(NOTHING, end, end, flow=True)))
        return end
    key = key_text(text, at, value.end)
    after = _skip(text, behind + 1, stop)
    if after >= stop or text[after] in ",]}":
        inner = Twig(NOTHING, behind + 1, after, flow=True)
        end = after
    else:
        inner, end = _value(text, after, stop, depth)
    if twig.kind == SEQUENCE:
        pair = Twig(MAPPING, at, end, flow=True)
        pair.entries.append(Entry(key, at, at, value.end, inner))
        twig.entries.append(Entry(len(twig.entries), at, at, at, pair))
    else:
        twig.entries.append(Entry(key, at, at, value.end, inner))
    return end


def _value(text: str, at: int, stop: int, depth: int) -> tuple[Twig, int]:
    if text[at] in "[{" and depth < _DEPTH:
        twig, _ = flow(text, at, stop, depth + 1)
        return twig, twig.end
    if text[at] in "'\"":
        end = quoted_end(text, at, stop)
        if end is None:
            end = _plain_end(text, at + 1, stop)
        return Twig(SCALAR, at, end, style=text[at], flow=True), end
    end = max(_plain_end(text, at, stop), at + 1)
    return Twig(SCALAR, at, at + len(text[at:end].rstrip(_BLANKS)), style="plain", flow=True), end


def _plain_end(text: str, at: int, stop: int) -> int:
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
