"""Lines of the ledger as people read them: a table of decisions, and where a run is."""

from __future__ import annotations

from exitgate.report.brief import brief, here
from exitgate.report.safe import safe
from exitgate.report.style import Style, verdict_role
from exitgate.report.summary import is_unchecked, verdict_text
from exitgate.report.width import columns, pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]

HEADINGS = ("#", "run", "it", "time", "decision", "outcome")


def history_text(lines: Sequence[Line], style: Style) -> str:
    """
    Return a table of decisions, oldest first; the message takes what is left of the width.

    Args:
        lines: Lines of kind `decision`.
        style: Colour and width.
    """
    if not lines:
        return ""
    rows = [_cells(line) for line in lines]
    widths = [max(columns(row[i]) for row in (HEADINGS, *rows)) for i in range(len(HEADINGS))]
    head = "  ".join(pad(text, width) for text, width in zip(HEADINGS, widths, strict=True))
    shown = [style.paint("quiet", head.rstrip())]
    room = style.width - sum(widths) - 2 * len(widths)
    for line, row in zip(lines, rows, strict=True):
        cells = [pad(text, width) for text, width in zip(row, widths, strict=True)]
        decision = decision_of(line)
        role = verdict_role(str(decision.get("verdict")), _class(decision))
        cells[4] = style.paint(role, cells[4])
        said = safe(brief(str(decision.get("message", "")), here()))
        message = style.fit(said, room) if room >= 12 or style.whole else ""
        shown.append(("  ".join(cells) + "  " + style.paint("quiet", message)).rstrip())
    return "\n".join(shown) + "\n"


def state_text(standing: Mapping[str, object], style: Style) -> str:
    """Return where the ledger is, a line each: see `exitgate.cli.state.standing` for the keys."""
    rows = [(key.replace("_", " "), _shown(value)) for key, value in standing.items() if value != ""]
    widest = max(columns(key) for key, _ in rows)
    return "".join(
        f"{style.paint('quiet', pad(key, widest))}  {style.fit(safe(value), style.width - widest - 2)}\n"
        for key, value in rows
    )


def decision_of(line: Line) -> Mapping[str, object]:
    """Return the decision in a line, an empty one where it has none."""
    found = line.get("decision")
    return found if isinstance(found, dict) else {}


def _cells(line: Line) -> tuple[str, ...]:
    decision = decision_of(line)
    verdict = verdict_text(str(decision.get("verdict", "?")), _class(decision))
    mark = " ?" if is_unchecked(decision) else ""
    moment = str(line.get("at", ""))[:19].replace("T", " ")
    return tuple(
        safe(text)
        for text in (
            str(line.get("sequence", "")),
            str(line.get("run", "")),
            str(line.get("iteration", "")),
            moment,
            verdict + mark,
            str(decision.get("outcome", "")),
        )
    )


def _class(decision: Mapping[str, object]) -> str | None:
    found = decision.get("class")
    return found if isinstance(found, str) else None


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
