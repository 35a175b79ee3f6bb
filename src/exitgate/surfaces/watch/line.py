"""One decision as one line, for people and for programs that read lines."""

from __future__ import annotations

from exitgate.ledger.runs import iteration_of
from exitgate.report.json_line import json_line
from exitgate.report.safe import safe
from exitgate.surfaces.watch.parts import flag, items, part, word
from exitgate.surfaces.watch.sight import exit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Line = Mapping[str, object]

#: What is between tabs, in order.
FIELDS = ("at", "run", "iteration", "verdict", "class", "outcome", "firm", "warnings", "message")


def text_line(line: Line) -> str:
    """
    Return a decision as the texts of `FIELDS` with a tab between them and a line end behind the last.

    Nothing within a text is a tab or a line end. The class of CONTINUE is ``-``; `firm` is ``firm`` or
    ``tentative``, `warnings` their number.
    """
    decision = part(line, "decision")
    firm = "firm" if flag(decision, "firm", otherwise=True) else "tentative"
    fields = (
        word(line, "at"), word(line, "run"), str(iteration_of(line)), word(decision, "verdict"),
        exit_of(line) or "-", word(decision, "outcome"), firm, str(len(items(decision, "warnings"))),
        word(decision, "message"),
    )  # fmt: skip
    return "\t".join(safe(field) for field in fields) + "\n"


def plain_line(line: Line) -> str:
    """Return a decision as one line of JSON: the ledger's own line, as `exitgate ledger export` has it."""
    return json_line(dict(line))
