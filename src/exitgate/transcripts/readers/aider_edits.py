"""What a model writes for aider: thoughts, and edits, which are a path and blocks of old and new text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SEARCH, _PARTED, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_FENCES = ("```", "<source>")
#: How the tag begins that aider puts before what a model thinks; a number of its own follows.
_THOUGHTS = "<thinking-content-"
#: What a model puts around a path.
_AROUND = "*`#: "


def edits_in(text: str) -> Iterator[tuple[str, str, str]]:
    """
    Yield path, old and new text of each whole block, in order.

    The path is on the line before the block, or before the fence that the block is in; blocks that
    follow without a path are of the same file. Whether aider applied them is not reported here.
    """
    path = ""
    before: list[str] = []
    block: list[str] | None = None
    for line in text.split("\n"):
        mark = line.rstrip()
        if mark == _SEARCH:
            path = _path(before) or path
            block = []
        elif block is not None and mark == _REPLACE:
            if path and _PARTED in block:
                at = block.index(_PARTED)
                yield path, _lines(block[:at]), _lines(block[at + 1 :])
            block, before = None, []
        elif block is not None:
            block.append(line)
        else:
            before = [*before[-1:], line]


def without_thoughts(text: str) -> str:
    """Return what a model said without its thoughts, which are between tags on lines of their own."""
    kept: list[str] = []
    end = ""
    for line in text.split("\n"):
        if end:
            end = "" if line.startswith(end) else end
        elif line.startswith(_THOUGHTS):
            end = "</" + _THOUGHTS[1:]
        else:
            kept.append(line)
    return "\n".join(kept).strip()


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path(before: list[str]) -> str:
    """Return the path on the last line before a block that is not a fence; nothing where it is not one."""
    lines = [line.strip() for line in before if not line.strip().startswith(_FENCES)]
    found = lines[-1].strip(_AROUND) if lines else ""
    return found if found and " " not in found else ""
