"""
Changes to a file that keep everything else: comments, order, layout and line ends.

An `Edit` puts a text instead of some characters. What is where, the `Document` of the file
knows: `scalar`, `entry_removed`, `item_removed` and `inserted_line` make edits from its parts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from msgspec import Struct

from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.policy.yaml.scalars import resolve


class Edit(Struct, frozen=True):
    """
    A text instead of the characters from `start` to before `end`.

    Offsets count characters of the file's text from 0; `start` equal to `end` inserts.
    """

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """
    Return `text` with every edit made, all offsets meant in the text as it was given.

    Several insertions at one place are in the order in which they were given; the same edit twice
    is made once.

    Raises:
        ValueError: Two edits change the same characters, or an edit is outside the text.
    """
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    made: list[str] = []
    position = 0
    for edit in ordered:
        if not position <= edit.start <= edit.end <= len(text):
            raise ValueError(f"edits meet at character {edit.start}")
        made += (text[position : edit.start], edit.text)
        position = edit.end
    return "".join((*made, text[position:]))


def compatible(edits: Iterable[Edit], more: Iterable[Edit]) -> bool:
    """Return whether none of `more` touches what one of `edits` changes; equal edits go together."""
    before = tuple(edits)
    return all(
        one == other or one.end < other.start or other.end < one.start for one in more for other in before
    )


def offset(lines: Lines, line: int, column: int) -> int:
    """Return the offset of a line and column, both from 1; the end of the text for one behind it."""
    return bisect_left(range(len(lines.text) + 1), (line, column), key=lines.locate)


def span(lines: Lines, part: YamlNode) -> tuple[int, int]:
    """Return the offsets of a part's first character and behind its last, quotes and brackets included."""
    place = part.place
    return offset(lines, place.line, place.column), offset(lines, place.end_line, place.end_column)


def scalar(part: YamlNode, value: str) -> Edit:
    """
    Return the edit that makes a text of one line the value of a scalar, quoted as before or as needed.

    Raises `ValueError` for what is not a scalar of a file, or is in a block (`|`, `>`).
    """
    written = part.written
    if written is None or written.style in "|>":
        raise ValueError("not a scalar on one line")
    return Edit(written.start, written.end, quoted_scalar(value, written.style, written.flow))


def entry_removed(lines: Lines, part: YamlNode) -> Edit:
    """
    Return the edit that removes a value of a mapping with its key; it must not be the only one there.

    In a block the whole lines go, with comments that are on them. Raises `ValueError` for a part
    without a key, and for an entry that shares its first line with a `- ` or others' text.
    """
    if part.key is None:
        raise ValueError("not an entry of a mapping")
    return _removed(lines, offset(lines, part.key.line, part.key.column), _own_end(lines, part))


def item_removed(lines: Lines, part: YamlNode) -> Edit:
    """Return the edit that removes an item of a sequence, not the only one; raises as `entry_removed`."""
    start, end = span(lines, part)[0], _own_end(lines, part)
    text = lines.text
    dash = text.rfind("\n", 0, start) + 1
    if text[dash:start].strip() == "-":
        return _removed(lines, start - len(text[dash:start].lstrip()), end)
    return _removed(lines, start, end)


def is_remarked(lines: Lines, part: YamlNode) -> bool:
    """Return whether a comment right follows a part: it would go with the line."""
    return lines.text[span(lines, part)[1] :].partition("\n")[0].lstrip().startswith("#")


def inserted_line(lines: Lines, number: int, text: str) -> Edit:
    """Return the edit that puts a line before line `number`, with the line end of the file."""
    at = offset(lines, number, 1)
    return Edit(at, at, text + ending(lines))


def end_of(lines: Lines, part: YamlNode) -> int:
    """Return the offset behind the last line of a part; blank lines and comments below it are not its own."""
    text = lines.text
    own = max((one.written.end for one in part.walk() if one.written is not None), default=0)
    end = next_line(text, max(own, span(lines, part)[1]))
    while end > own:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end].strip()
        if start < own or (line and not line.startswith("#")):
            break
        end = start
    return end


def _own_end(lines: Lines, part: YamlNode) -> int:
    """Return the offset behind what a part itself says: comments below a block may be the next one's."""
    return min(span(lines, part)[1], len(lines.text[: end_of(lines, part)].rstrip("\r\n")))


def next_line(text: str, at: int) -> int:
    """Return the offset of the line behind the one that ends at or holds an offset."""
    end = text.find("\n", max(0, at - 1))
    return len(text) if end < 0 else end + 1


def ending(lines: Lines) -> str:
    """Return how lines of the file end."""
    return "\r\n" if "\r\n" in lines.text else "\n"


def _removed(lines: Lines, start: int, end: int) -> Edit:
    text = lines.text
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    behind = text[end:line_end].strip()
    if not text[line_start:start].strip() and (not behind or behind.startswith("#")):
        return Edit(line_start, line_end, "")
    after = end + len(text[end:]) - len(text[end:].lstrip(" \r\n"))
    if text[after : after + 1] == ",":
        after += 1
        return Edit(start, after + len(text[after:]) - len(text[after:].lstrip(" ")), "")
    before = len(text[:start].rstrip(" \r\n"))
    if text[before - 1 : before] == ",":
        return Edit(before - 1, end, "")
    raise ValueError("it shares a line with something else")


# How the text of a condition is written as a YAML scalar.

#: Characters with a meaning of their own at the start of a plain scalar.
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_FLOW = frozenset(",[]{}")


def is_plain(text: str, flow: bool) -> bool:
    """Return whether YAML reads `text`, written without quotes, as exactly this text."""
    if not text or text != text.strip() or text[0] in _INDICATORS or not text.isprintable():
        return False
    if ": " in text or " #" in text or text.endswith(":"):
        return False
    if flow and any(character in _FLOW for character in text):
        return False
    try:
        return resolve(text) == text
    except OverflowError:
        return False


def quoted_scalar(text: str, style: str, flow: bool) -> str:
    """
    Return a scalar for `text`, in the style it had before where that is possible.

    Args:
        text: One line.
        style: ``plain``, ``'`` or ``"``.
        flow: It is inside brackets or braces.
    """
    if style == "plain" and is_plain(text, flow):
        return text
    if style == '"' or (style == "plain" and "'" in text and '"' not in text and "\\" not in text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "'" + text.replace("'", "''") + "'"


def collapsed(text: str) -> str:
    """Return a condition with every run of white space outside quotes as one space, none at the ends."""
    return " ".join(_words(text))


def wrapped(text: str, width: int) -> list[str]:
    """
    Return a condition in lines of at most `width` characters, broken at spaces outside quotes.

    Where it can be, a line begins with an `and` or `or` outside parentheses; only a part that does not fit
    in a line by itself is broken elsewhere.
    """
    lines: list[str] = []
    for part in _parts(_words(text)):
        whole = " ".join(part)
        if lines and len(lines[-1]) + 1 + len(whole) <= width:
            lines[-1] += " " + whole
            continue
        begun = len(lines)
        for word in part:
            if len(lines) > begun and len(lines[-1]) + 1 + len(word) <= width:
                lines[-1] += " " + word
            else:
                lines.append(word)
    return lines


def _parts(words: list[str]) -> list[list[str]]:
    """Return the words in parts, each but the first beginning with an `and` or `or` outside parentheses."""
    parts: list[list[str]] = [[]]
    depth, between = 0, False
    for at, word in enumerate(words):
        joins = word == "and" or (word == "or" and words[at + 1 : at + 2] != ["else"])
        if joins and depth == 0 and not between and parts[-1]:
            parts.append([])
        parts[-1].append(word)
        if depth == 0 and word in ("and", "between"):
            between = word == "between"
        depth += _depth(word)
    return parts


def _depth(word: str) -> int:
    """Return by how many brackets a word outside quotes leads further in."""
    bare = "".join(word.split('"')[::2]) if word.count('"') > 1 else word
    return sum(bare.count(sign) for sign in "([") - sum(bare.count(sign) for sign in ")]")


def _words(text: str) -> list[str]:
    """Return the pieces between white space outside quotes."""
    words: list[str] = []
    word = quote = ""
    for character in text:
        if character.isspace() and not quote:
            words += [word] if word else []
            word = ""
            continue
        if not quote and character in "\"'":
            quote = character
        elif character == quote:
            quote = ""
        word += character
    return [*words, word] if word else words
