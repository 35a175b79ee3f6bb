"""A `#` that takes the end of a text away, where its writer probably meant it as part of the text (EP115)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.lines import Lines

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
