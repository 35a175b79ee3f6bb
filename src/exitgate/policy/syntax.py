"""YAML's own syntax errors in words about policies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.error import Mark

    from exitgate.policy.findings import Findings
    from exitgate.policy.lines import Lines

#: Keys whose value is a condition or a formula.
CONDITION_KEYS = frozenset(("when", "given", "not", "formula"))

_QUOTE = "put the value in quotes"
_BACKSLASH = "use single quotes, or write the backslash twice"
_INDENT = "check its indentation"

#: Quote -> how it is written inside a text in such quotes.
_INSIDE = {
    "'": "inside single quotes write `''` for a quote",
    '"': 'inside double quotes write `\\"` for a quote',
}

#: Part of the YAML reader's message -> what is wrong, what to do.
_WORDS = (
    ("mapping values are not allowed", "a second `: ` in one value", _QUOTE),
    ("found character that cannot start any token", "a value cannot start with this character", _QUOTE),
    ("unknown escape character", "an unknown escape in double quotes", _BACKSLASH),
    ("hexdecimal number", "an escape without its hexadecimal digits", _BACKSLASH),
    ("hexadecimal numbers", "an escape without its hexadecimal digits", _BACKSLASH),
    ("invalid Unicode character", "an escape that is not a character", "write another escape"),
    ("unexpected end of stream", "a quote is opened here and never closed", "close the quote"),
    ("unexpected document", "a quote is opened here and never closed", "close the quote"),
    ("',' or ']'", "a list in brackets is not closed or lacks a comma", "write `[a, b]`"),
    ("',' or '}'", "a mapping in braces is not closed or lacks a comma", "write `{key: value, key: value}`"),
    ("block sequence entries are not allowed", "a list item cannot start here", "start `- ` on its own line"),
    ("'-' indicator", "a line that neither belongs to this list nor follows it", _INDENT),
    ("could not find expected ':'", "a line without `: `", "write `key: value`, or indent the line more"),
    ("alphabetic or numeric character", "a value cannot start with `&` or `*`", _QUOTE),
    (
        "comment or line break",
        "`>` and `|` start a text on the next line",
        "quote the value, or write it below",
    ),
    (
        "chomping or indentation",
        "`>` and `|` start a text on the next line",
        "quote the value, or write it below",
    ),
    ("mapping keys are not allowed", "a value cannot start with `? `", _QUOTE),
    ("did not find expected key", "a value ends and something follows", "check indentation and quotes"),
    ("<block end>", "a value ends and something follows", "check indentation and quotes"),
    ("<document start>", "something follows the end of the document", _INDENT),
    ("directive", "directives (`%`) are not allowed", "remove the line"),
    ("tag", "a tag (`!`)", _QUOTE),
)


def report_syntax(error: Exception, lines: Lines, findings: Findings) -> None:
    """
    Report an error of the YAML reader where it is, with the likely fix.

    When the line is a condition, quoting it is nearly always what helps, and is what is said.
    """
    problem = str(getattr(error, "problem", None) or error)
    offset = _offset(getattr(error, "problem_mark", None), lines)
    opened = _offset(getattr(error, "context_mark", None), lines)
    message, help = "YAML cannot read this", f"the YAML reader says: {problem}"
    for part, message_, help_ in _WORDS:
        if part in problem:
            message, help = message_, help_
            break
    if "directive" in problem:
        findings.error("EP108", message, lines.place(opened), help)
        return
    if "never closed" in message:
        offset = opened
    key = _condition_key(lines, offset)
    if key and "escape" not in message:
        quoted = f"put the condition in quotes: `{key}: '...'`"
        findings.error("EP114", f"YAML cannot read this condition: {message}", lines.place(offset), quoted)
        return
    if "not closed" in message:
        offset = opened
    offset, message, help = _closer(lines, offset, message, help)
    findings.error("EP100", message, lines.place(offset), help)


def _closer(lines: Lines, offset: int, message: str, help: str) -> tuple[int, str, str]:
    """Return place, message and help with what the line itself and the one above it tell."""
    number, column = lines.locate(offset)
    before = lines.line(number)[: column - 1]
    if "a second" in message and ": " not in before:
        above = number - 1
        while above and not lines.line(above).strip():
            above -= 1
        text = lines.line(above).strip()
        if text and ":" not in text and not text.startswith(("- ", "#")):
            start = offset - len("".join(lines.text[:offset].splitlines(keepends=True)[above - 1 :]))
            return start, "a line without `: `", "write `key: value`, or `key:` above indented lines"
        return offset, "a key is not allowed here", "indent it like the keys it belongs to"
    if "something follows" in message:
        closed = before.rstrip()[-1:]
        if closed in _INSIDE:
            return offset, "a quote ends the text and something follows", _INSIDE[closed]
        if lines.line(number)[column - 1 :].startswith("- "):
            return offset, "a list item is not allowed here", "indent the list like its key, or more"
    return offset, message, help


def _offset(mark: Mark | None, lines: Lines) -> int:
    return min(mark.index, len(lines.text)) if mark is not None else 0


def _condition_key(lines: Lines, offset: int) -> str:
    """Return the key of a condition when the line of `offset` has one before it, else the empty text."""
    number, column = lines.locate(offset)
    before = lines.line(number)[: column - 1]
    found = ""
    last = -1
    for key in CONDITION_KEYS:
        position = before.rfind(key + ":")
        if position > last and (position == 0 or before[position - 1] in " {,"):
            found, last = key, position
    return found
