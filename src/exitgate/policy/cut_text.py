"""A text without quotes that YAML ends at a comma although it has a parenthesis open (EP114, EP201)."""

from __future__ import annotations

from exitgate.policy.lost_text import of_condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.lines import Lines

#: Characters behind a text in which its end is looked for.
_REACH = 4000
_BLANK = " \t\r\n"
_ENDS = ",]}"


def ask_about_comma(
    start: int, end: int, keys: Sequence[str | None], mapping: bool, lines: Lines, findings: Findings
) -> int:
    """
    Return where a text in braces or brackets ends as its writer meant it; report one that YAML ends before.

    Of ``{when: percentile(a, 95, last 5) > 3}`` YAML makes the keys ``when``, ``95`` and ``last 5) > 3``, and
    two items of ``[max(a, 3) > 2]``: an open parenthesis tells that they are one text.

    Args:
        start: Offset of the first character of a scalar without quotes.
        end: Offset behind the last one, for YAML.
        keys: The keys it is below, outermost first; None for what has no key.
        mapping: Whether it is the value of a key; else it is an item of a list.
        lines: The file.
        findings: Takes the error.
    """
    text = lines.text
    opened = text.count("(", start, end) - text.count(")", start, end)
    comma = _behind(text, end)
    if opened <= 0 or text[comma : comma + 1] != ",":
        return end
    stop = _closed(text, comma, opened)
    while mapping and stop is not None and text[stop : stop + 1] == ",":
        further = _closed(text, stop + 1, 0)
        if further is None or ":" in text[stop:further]:
            break
        stop = further
    if stop is None:
        return end
    whole = " ".join(text[start:stop].split())
    first = _behind(text, comma + 1)
    rest = text[first:stop].partition(",")[0].strip()
    condition = of_condition(keys)
    kind = "condition" if condition else "text"
    of = f" of `{keys[-1]}`" if mapping and keys and keys[-1] else ""
    key = f"{keys[-1]}: " if of else ""
    quoted = whole.replace("'", "''")
    findings.error(
        "EP114" if condition else "EP201",
        f"YAML ends the {kind}{of} at the comma before `{rest}`",
        lines.place(first, first + len(rest)),
        f"put the {kind} in quotes: `{key}'{quoted}'`",
    )
    return start + len(text[start:stop].rstrip())


def _behind(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


def _closed(text: str, at: int, depth: int) -> int | None:
    """Return where the entry ends in which so many parentheses are open; None where none closes them."""
    stop = min(len(text), at + _REACH)
    while at < stop:
        character = text[at]
        if depth == 0 and character in _ENDS:
            return at
        if character in "\"'" and not text[at - 1].isalnum():
            closing = text.find(character, at + 1, stop)
            at = closing if closing > 0 else at
        elif character in "{[" or (depth and character in "}]:#"):
            return None
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return None
        at += 1
    return None
