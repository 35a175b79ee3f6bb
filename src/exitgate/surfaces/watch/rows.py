"""Rows of the view, gathered in sections, before anybody knows how wide or high the window is."""

from __future__ import annotations

from exitgate.model.value import Value


class Row(Value):
    """One message. `text` may hold anything; it is made safe when it is drawn."""

    __slots__ = ("role", "text")

    def __init__(self, text: str, role: str = "") -> None:
        self.text = text
        self.role = role


class Section(Value):
    """
    Rows below one label.

    Args:
        label: The word in front of the first row.
        rows: The most important first.
        least: Rows that stay when the window is low; below that the section goes as a whole.
        whole: Rows are wrapped; else each takes one line, cut where it is longer.
    """

    __slots__ = ("label", "least", "rows", "whole")

    def __init__(self, label: str, rows: tuple[Row, ...], least: int = 1, whole: bool = False) -> None:
        self.label = label
        self.rows = rows
        self.least = least
        self.whole = whole


class Strip(Value):
    """The verdict strip: a sign and a mark for each iteration, the role it is painted in, and the legend."""

    __slots__ = ("cells", "legend")

    def __init__(
        self, cells: tuple[tuple[str, str, str], ...] = (), legend: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.cells = cells
        self.legend = legend


class View(Value):
    """
    Everything on the screen.

    Args:
        title: Run, policy, iteration.
        verdict: The newest decision in a word, with its role.
        pulse: What the loop does now, with its role.
        strip: The decisions so far.
        sections: The most important first.
    """

    __slots__ = ("pulse", "sections", "strip", "title", "verdict")

    def __init__(
        self, title: str, verdict: Row, pulse: Row, strip: Strip, sections: tuple[Section, ...]
    ) -> None:
        self.title = title
        self.verdict = verdict
        self.pulse = pulse
        self.strip = strip
        self.sections = sections
