"""How the text of a condition is written as a YAML scalar."""

from __future__ import annotations

from exitgate.policy.scalars import resolve

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
