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
    """Return a condition in lines of at most `width` characters, broken at spaces outside quotes."""
    lines: list[str] = []
    for word in _words(text):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


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
