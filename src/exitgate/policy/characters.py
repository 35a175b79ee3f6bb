"""Characters a policy file may not hold: what editors hide or YAML readers disagree about."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings
    from exitgate.policy.lines import Lines

REPORTED = 10

_NAMED = {
    0x00: "a NUL",
    0x85: "a next-line character",
    0x2028: "a line separator",
    0x2029: "a paragraph separator",
    0xFEFF: "a byte order mark",
}
_BIDI = frozenset((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def complaint(character: str) -> str:
    """Return what `character` is, if it may not be in a policy, else the empty text."""
    code = ord(character)
    if code in _NAMED:
        return _NAMED[code]
    if code in _BIDI:
        return f"a bidirectional control character (U+{code:04X})"
    if 0xD800 <= code <= 0xDFFF:
        return f"a lone surrogate (U+{code:04X})"
    if (code < 0x20 and character not in "\t\n\r") or 0x7F <= code < 0xA0 or code & 0xFFFE == 0xFFFE:
        return f"a control character (U+{code:04X})"
    return ""


def check_characters(lines: Lines, findings: Findings) -> bool:
    """
    Report forbidden characters and tabs, the first `REPORTED` of them; return whether there are none.
    """
    text = lines.text
    if text.isascii() and text.isprintable():
        return True
    suspects = {c for c in set(text) if c == "\t" or complaint(c)}
    if not suspects:
        return True
    places = sorted(_places(text, suspects))[:REPORTED]
    for offset in places:
        character = text[offset]
        if character == "\t":
            help = "indent with spaces; inside a text write `\\t` in double quotes"
            findings.error("EP103", "a tab", lines.place(offset), help)
        else:
            help = "remove it; in a text in double quotes it can be written as an escape"
            if character == "\ufeff" and offset == 0:
                help = "save the file as UTF-8 without a byte order mark"
            findings.error("EP102", f"{complaint(character)} in the file", lines.place(offset), help)
    return False


def _places(text: str, suspects: set[str]) -> list[int]:
    found: list[int] = []
    for character in suspects:
        position = text.find(character)
        while position >= 0 and len(found) < REPORTED * len(suspects):
            found.append(position)
            position = text.find(character, position + 1)
    return found
