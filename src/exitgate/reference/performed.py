"""Examples performed: their files written into an empty folder, their commands run there."""

from __future__ import annotations

import os
import tempfile

from exitgate.model.value import Value
from exitgate.reference.source import VALIDATE, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    #: Runs a command line in a folder; returns what it prints and its exit code.
    Run = Callable[[str, str], tuple[str, int]]


class Shown(Value):
    """What one block of an example became: the block, what its commands printed, the last exit code."""

    __slots__ = ("block", "code", "printed")

    def __init__(self, block: Block, printed: str = "", code: int | None = None) -> None:
        self.block = block
        self.printed = printed
        self.code = code


def perform(halves: Iterable[tuple[Block, ...]], run: Run) -> tuple[tuple[Shown, ...], ...]:
    """
    Return the blocks of each half with what is printed, in order.

    A half begins with the files that the one before it was given, in a folder of its own. Raises ValueError
    for output that names that folder, and for lines that are not a command lines.
    """
    files: dict[str, str] = {}
    done = []
    for blocks in halves:
        with tempfile.TemporaryDirectory() as place:
            folder = os.path.realpath(place)
            for name, text in files.items():
                _write(folder, name, text)
            done.append(tuple(_half(blocks, files, folder, run)))
    return tuple(done)


def _half(blocks: tuple[Block, ...], files: dict[str, str], folder: str, run: Run) -> Iterable[Shown]:
    asked = False
    fresh = False
    for block in blocks:
        if block.kind == "prose":
            yield Shown(block)
        elif block.kind == "console":
            yield _console(block, folder, run)
            asked = True
        else:
            files[block.name] = block.text
            _write(folder, block.name, block.text)
            fresh = True
            yield Shown(block)
    if fresh and not asked:
        yield _console(Block("console", "", VALIDATE + "\n"), folder, run)


def _console(block: Block, folder: str, run: Run) -> Shown:
    lines = []
    code = 0
    for line in block.text.splitlines():
        if not line.startswith("$ "):
            raise ValueError(f"`{line}` is not a command line")
        printed, code = run(line[2:], folder)
        if folder in printed:  # wrapped otherwise on every machine
            raise ValueError(f"`{line}` prints where it ran:\n{printed}")
        lines += [line, *printed.splitlines()]
    return Shown(block, "\n".join(lines) + "\n", code)


def _write(folder: str, name: str, text: str) -> None:
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def told(shown: Iterable[Shown]) -> list[str]:
    """Return blocks as the lines of a page: files with their names, commands with what they printed."""
    lines: list[str] = []
    for one in shown:
        block = one.block
        if block.kind == "prose":
            lines += [block.text, ""]
        elif block.kind == "console":
            lines += ["```console", one.printed.rstrip("\n"), "```", ""]
            lines += [f"Exit code [{one.code}](../exit-codes.md).", ""] if one.code else []
        else:
            lines += [f"`{block.name}`:", "", f"```{block.kind}", block.text.rstrip("\n"), "```", ""]
    return lines
