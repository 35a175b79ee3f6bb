"""What an agent's runner wrote, taken apart."""

from __future__ import annotations

from exitgate.model.value import Value

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
    """

    __slots__ = (
        "calls",
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
