"""A `#` that takes the end of a text away, where its writer probably meant it as part of the text (EP115)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.lines import Lines


CODE = "EP115"
#: Keys whose values people write as texts, even of a single word.
_TEXTS = frozenset((
    "because", "advice", "escalation", "title", "doc", "why", "description", "phrase", "note", "marker",
    "name",
))  # fmt: skip
#: Keys below which a condition or formula is written: a `#` there is reported with it (EP113).
_CONDITIONS = frozenset((
    "when", "given", "all", "any", "not", "open", "watch", "close", "formula", "conditions", "retry_after",
))  # fmt: skip


def ask_about_comment(
    text: str, end: int, keys: Iterable[str | None], lines: Lines, findings: Findings
) -> None:
    """
    Warn of a comment right behind a text without quotes that looks like its end.

    So does one after a single space and directly before a word, as in ``score is enough #agents``. A comment
    after two spaces, and one that begins with ``# ``, is taken for a comment.

    Args:
        text: The text as YAML reads it.
        end: Offset behind its last character.
        keys: The keys it is below, outermost first; None for what has no key.
        lines: The file.
        findings: Takes the warning.
    """
    behind = lines.text[end : end + 3]
    if behind[:2] != " #" or not (behind[2:].isalnum() or behind[2:] in ("{", "_", "'", '"', "$", "@")):
        return
    above = list(keys)
    if of_condition(above):
        return
    last = _last(above)
    if last not in _TEXTS and " " not in text:
        return
    lost = lines.text[end + 1 :].splitlines()[0].rstrip()
    shown = lost if len(lost) <= 40 else lost[:37] + "..."
    message = f"`{shown}` is a comment here, not part of the text before it"
    place = lines.place(end + 1, end + 1 + len(lost))
    help = "put the whole text in quotes; or write two spaces before the `#`, or one behind it, for a comment"
    findings.warning(CODE, message, place, help)


def of_condition(keys: Sequence[str | None]) -> bool:
    """Return whether what is below these keys, outermost first, is a condition or formula."""
    return bool(_CONDITIONS.intersection(key for key in keys if key)) and _last(keys) not in _TEXTS


def _last(keys: Sequence[str | None]) -> str | None:
    return next((key for key in reversed(keys) if key is not None), None)


# A text without quotes that YAML ends at a comma although it has a parenthesis open (EP114, EP201).

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
