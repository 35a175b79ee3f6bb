"""
The text that an agent's program printed in an iteration, taken apart.

Claude Code's and Codex's are unwrapped as everywhere. opencode's coloured lines name each tool; what a
command printed is below, up to a blank line, and what comes then is taken as the agent's own words, so
that the rest of an output with blank lines in it is among them.
"""

from __future__ import annotations

from exitgate.transcripts.readers.ralph_orchestrator_names import plain
from exitgate.transcripts.recorded import ToolCall
from exitgate.transcripts.unwrap import unwrap
from exitgate.transcripts.unwrapped import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: With what a tool's line begins: colour, a bar in bold, the tool's name in grey.
_BAR = "\x1b[1m| \x1b[0m\x1b[90m "
_COLOUR = "\x1b["
#: The tool below whose line is what it printed.
_SHELL = "Bash"
_LATEST_BAR = 12


def parts_of(text: str) -> dict[str, object]:
    """Return parts of a `RecordedIteration`: response, output, tool results, tool calls, record."""
    if not is_tui(text):
        found = unwrap(text)
        return {
            "response": found.response,
            "output": found.output,
            "tool_results": found.tool_results,
            "record": found.record,
        }
    blocks = _blocks(text)
    said = [words for _, words, _ in blocks if words]
    printed = [shown for _, _, shown in blocks if shown]
    calls = tuple(call for call, _, _ in blocks if call is not None)
    return {
        "response": blocks[-1][1],
        "output": "\n\n".join(said),
        "tool_results": "\n".join(printed),
        "tool_calls": calls,
        "record": _record(calls),
    }


def is_tui(text: str) -> bool:
    """Return whether a text has lines of opencode's that name a tool."""
    return _BAR in text


def _record(calls: tuple[ToolCall, ...]) -> Mapping[str, object]:
    return {"format": TEXT, "tool_calls": len(calls)}


def _blocks(text: str) -> list[tuple[ToolCall | None, str, str]]:
    """Return tool, own words behind it, what it printed; the first block has no tool."""
    blocks: list[tuple[ToolCall | None, list[str]]] = [(None, [])]
    for line in text.splitlines():
        at = line.find(_BAR)
        if 0 <= at <= _LATEST_BAR and line.startswith(_COLOUR):
            name, _, about = plain(line[at + len(_BAR) :]).strip().partition(" ")
            blocks.append((ToolCall(name, about.strip()), []))
        else:
            blocks[-1][1].append(plain(line))
    return [(call, *_parted(call, lines)) for call, lines in blocks]


def _parted(call: ToolCall | None, lines: list[str]) -> tuple[str, str]:
    """Return the agent's words in the lines behind a tool's, and what the tool printed."""
    if call is None or call.name != _SHELL:
        return "\n".join(lines).strip(), ""
    body = "\n".join(lines).lstrip("\n")
    printed, _, words = body.partition("\n\n") if lines and not lines[0].strip() else ("", "", body)
    return words.strip(), printed.strip()
