"""What is known of the streams a command writes to."""

from __future__ import annotations

import os
import sys

from exitgate.model.value import Value
from exitgate.report.style import Style, choose_color

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PIPED_WIDTH = 80
NARROWEST = 40
WIDEST = 120


class Terminal(Value):
    """The styles for `out` and `err`."""

    __slots__ = ("err", "out")

    def __init__(self, out: Style, err: Style) -> None:
        self.out = out
        self.err = err


def look(wish: str = "auto") -> Terminal:
    """Return what stdout and stderr are now. `wish` is as `--color` says."""
    return Terminal(_style(sys.stdout, wish), _style(sys.stderr, wish))


def _style(stream: TextIO | None, wish: str) -> Style:
    """Return the style for a stream; None is one that was closed before the program began."""
    is_terminal = stream is not None and stream.isatty()
    width = _width(stream) if stream is not None and is_terminal else PIPED_WIDTH
    return Style(choose_color(wish, os.environ, is_terminal), width, whole=not is_terminal)


def _width(stream: TextIO) -> int:
    """Return the columns of the terminal, ``COLUMNS`` first, within what reads well."""
    try:
        wish = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        wish = PIPED_WIDTH
    return max(NARROWEST, min(wish or PIPED_WIDTH, WIDEST))
