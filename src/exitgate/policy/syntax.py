"""YAML's own syntax errors in words about policies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.error import Mark

    from exitgate.policy.findings import Findings
    from exitgate.policy.lines import Lines

#: Keys whose value is a condition or a formula.
CONDITION_KEYS = frozenset(("when", "given", "not", "formula"))

#: Part of the YAML reader's message -> what is wrong, what to do.
_QUOTE = "put the value in quotes"
_BACKSLASH = "use single quotes, or write the backslash twice"
_INDENT = "check its indentation"
_WORDS = (
    ("mapping values are not allowed", "a second `: ` in one value", _QUOTE),
    ("found character that cannot start any token", "a value cannot start with this sign", _QUOTE),
    ("unknown escape character", "an unknown escape in double quotes", _BACKSLASH),
    ("hexdecimal number", "an escape without its hexadecimal digits", _BACKSLASH),
    ("hexadecimal numbers", "an escape without its hexadecimal digits", _BACKSLASH),
    ("invalid Unicode character", "an escape of something that is no character", "write another escape"),
    ("unexpected end of stream", "a quote is opened here and never closed", "close the quote"),
    ("unexpected document", "a quote is opened here and never closed", "close the quote"),
    ("',' or ']'", "a list in brackets is not closed or lacks a comma", "write `[a, b]`"),
    ("',' or '}'", "a mapping in braces is not closed or lacks a comma", "write `{key: value, key: value}`"),
    ("block sequence entries are not allowed", "a list item cannot start here", "start `- ` on its own line"),
    ("'-' indicator", "a line that is neither an item of this list nor behind it", _INDENT),
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
    Report an error of the YAML reader where it stands, with the likely fix.

    When the line is a condition, quoting it is nearly always what helps, and is what is said.
    """
    problem = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    offset = _offset(getattr(error, "problem_mark", None), lines)
    opened = _offset(getattr(error, "context_mark", None), lines)
    message, help = "YAML cannot read this", f"the YAML reader says: {problem}"
    for part, message_, help_ in _WORDS:
        if part in problem:
            message, help = message_, help_
            break
    if "never closed" in message:
        offset = opened
    elif message == _WORDS[0][1] and not _has_colon_before(lines, offset):
        message, help = "a key cannot stand here", "indent it like the keys it belongs to"
    key = _condition_key(lines, offset)
    if key and "escape" not in message and "quoted scalar" not in context:
        quoted = f"put the condition in quotes: `{key}: '...'`"
        findings.error("EP114", f"YAML cannot read this condition: {message}", lines.place(offset), quoted)
        return
    findings.error("EP100", message, lines.place(offset), help)


def _offset(mark: Mark | None, lines: Lines) -> int:
    return min(mark.index, len(lines.text)) if mark is not None else 0


def _condition_key(lines: Lines, offset: int) -> str:
    """Return the key of a condition when the line of `offset` has one before it, else the empty text."""
    number, column = lines.locate(offset)
    before = lines.line(number)[: column - 1]
    for opening in "{,":
        before = before.rpartition(opening)[2]
    key, colon, _ = before.lstrip(" -").partition(":")
    return key if colon and key in CONDITION_KEYS else ""


def _has_colon_before(lines: Lines, offset: int) -> bool:
    number, column = lines.locate(offset)
    return ": " in lines.line(number)[: column - 1]
