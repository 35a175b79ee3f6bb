"""What an agent's runner wrote, taken apart."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


TEXT, JSON, JSON_LINES = "TEXT", "JSON", "JSON_LINES"
#: What `result.format` may be.
FORMATS = (TEXT, JSON, JSON_LINES)
#: Format -> its name for people.
NAMES = {TEXT: "text", JSON: "JSON", JSON_LINES: "JSON lines"}


class Unwrapped(Value):
    """
    A response without its envelope.

    Args:
        format: One of `FORMATS`.
        response: What the agent said at the end; of a stream without a result, all it said itself.
        output: Everything the agent itself said, in order. For plain text the same as `response`.
        tool_results: Texts of tool results, in order; None where the format has none.
        record: The source `result`: `format`, and what else the envelope said. A missing key was not
            said. `cost` (USD), `tokens`, `turns`, `tool_calls`, `files_changed` are numbers >= 0,
            `denials` a list of ``{tool, input}``, `limits` a list of ``{status, resets_at}``,
            `fields` a mapping of upper-case keys to scalars.
        warnings: What was left out, fixed or cut off.
        taken_out: Whether `response` is another text than the one that was read.
        calls: The agent's own calls of tools in order, each with `tool`, `input`, and where it came back
            `result` and `error`; None where the format shows no single calls.
        lost: Why others may be missing from `calls`, as a sentence part, or the empty text.
        ended: Whether the program itself reports that the turn is over, and nothing of another one behind it.
    """

    __slots__ = (
        "calls",
        "ended",
        "format",
        "lost",
        "output",
        "record",
        "response",
        "taken_out",
        "tool_results",
        "warnings",
    )

    def __init__(
        self,
        format: str,
        response: str,
        output: str,
        tool_results: str | None,
        record: Mapping[str, object],
        warnings: tuple[str, ...] = (),
        taken_out: bool = False,
        calls: tuple[Mapping[str, object], ...] | None = None,
        lost: str = "",
        ended: bool = False,
    ) -> None:
        self.format = format
        self.response = response
        self.output = output
        self.tool_results = tool_results
        self.record = record
        self.warnings = warnings
        self.taken_out = taken_out
        self.calls = calls
        self.lost = lost
        self.ended = ended


# Plain text, told apart without parsing: the way nearly every check goes, and the only one it imports.

BLANK = " \t\r\n\ufeff"
ESCAPE = "\x1b"
#: Lines that a runner printed last, as far as they are kept, and their characters.
TAIL_LINES, TAIL_LENGTH = 30, 8000
_OPENINGS = '{["'
_ESCAPED_END = "\\n"
#: Characters from the end within which the last line is looked at, and what may be around its mark.
_LINE_LENGTH = 2000
_AROUND = " \t\r*_"
#: The end mark of a status block, and the promise.
_BLOCK_END, _BLOCK_CLOSE = "---END_", "---"
_PROMISE, _PROMISE_END = "<promise>", "</promise>"


def looks_wrapped(text: str) -> bool:
    """
    Return whether `text` may be anything but plain text; linear, a few searches.

    It may when its first mark is one of JSON's, when some line begins an object, or when it has
    escaped line ends and no real ones.
    """
    start = _first(text)
    if start < 0:
        return False
    if text[start] in _OPENINGS or text[start] == ESCAPE:
        return True
    if '\n{"' in text:
        return True
    return _ESCAPED_END in text and "\n" not in text.strip()


def plain(text: str, *, failed: bool = False, warnings: tuple[str, ...] = ()) -> Unwrapped:
    """
    Return a response that has no envelope.

    Args:
        text: All that was read.
        failed: Whether the agent's exit status is known and not 0; then the record has the `tail`.
        warnings: As in `Unwrapped`.
    """
    record: dict[str, object] = {"format": TEXT}
    if ends_by_itself(text):
        record["truncated"] = False
    if failed:
        record["tail"] = tail_of(text)
    return Unwrapped(TEXT, text, text, None, record, warnings)


def ends_by_itself(text: str) -> bool:
    """Return whether the last line is one with which an agent ends: its promise, or a status block's end."""
    last = text[-_LINE_LENGTH:].rstrip(BLANK).rpartition("\n")[2].strip(_AROUND)
    if last.startswith(_BLOCK_END) and last.endswith(_BLOCK_CLOSE):
        return last[len(_BLOCK_END) : -len(_BLOCK_CLOSE)].replace("_", "").isalnum()
    return last.endswith(_PROMISE_END) and last.startswith((_PROMISE, _PROMISE_END))


def tail_of(text: str) -> str:
    """Return the last `TAIL_LINES` lines, at most `TAIL_LENGTH` characters of them."""
    end = text[-TAIL_LENGTH:].rstrip()
    return "\n".join(line.rstrip("\r") for line in end.split("\n")[-TAIL_LINES:])


def _first(text: str) -> int:
    """Return the offset of the first character that is not a blank, -1 without one."""
    if text[:1] not in BLANK:
        return 0
    start = len(text) - len(text.lstrip(BLANK))
    return start if start < len(text) else -1
