"""Lines of the ledger of every kind as people and spreadsheets read them, and what `verify` found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UnsetType, to_builtins

from exitgate.core.ledger.line import BREAKER
from exitgate.report.decision.summary import verdict_text
from exitgate.report.formats import csv
from exitgate.report.formats.output import Count, Output, output_text
from exitgate.report.terminal import Style, columns, pad, safe, verdict_role, wrap
from exitgate.report.wording import brief, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.read import Damage
    from exitgate.core.ledger.typed import LedgerLine

    Plain = Mapping[str, object]


HEADINGS = ("#", "kind", "run", "it", "time")

_OF_DECISION = ("verdict", "class", "outcome", "rule", "stage", "firm", "blind", "message")
#: Columns of the CSV form, in order -> where they are in a line; the state of the breaker is behind them.
FIELDS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("sequence", "at", "run", "iteration", "kind")},
    **{name: ("decision", name) for name in _OF_DECISION},
    "reason": ("reason",),
    **{column: ("policy", name) for column, name in (("policy", "name"), ("version", "version"))},
    "digest": ("policy", "digest"),
}


def lines_text(lines: Sequence[LedgerLine], style: Style) -> str:
    """Return a table of lines, oldest first; what a line says takes what is left of the width."""
    if not lines:
        return ""
    rows = [_cells(line) for line in lines]
    widths = [max(columns(row[i]) for row in (HEADINGS, *rows)) for i in range(len(HEADINGS))]
    head = "  ".join(pad(text, width) for text, width in zip(HEADINGS, widths, strict=True))
    shown = [style.paint("quiet", head.rstrip())]
    room = max(12, style.width - sum(widths) - 2 * len(widths))
    for line, row in zip(lines, rows, strict=True):
        cells = "  ".join(pad(text, width) for text, width in zip(row, widths, strict=True))
        said = style.fit(source_of(line), room)
        if _is_decided(line):
            said = style.paint(verdict_role(_verdict(line), line.decided.exit_class), said)
        shown.append(f"{cells}  {said}".rstrip())
    return "\n".join(shown) + "\n"


def source_of(line: LedgerLine) -> str:
    """Return what a line says beside run and time: the decision, the breaker's state, or a reason."""
    if _is_decided(line):
        verdict = verdict_text(_verdict(line), line.decided.exit_class)
        return safe(f"{verdict} · {line.found('decision', 'outcome', absent='')}")
    parts = [state_of(line) if line.kind == BREAKER else "", str(line.found("reason") or "")]
    return safe(": ".join(part for part in parts if part))


def state_of(line: LedgerLine) -> str:
    """Return the state of the breaker in a line, or the empty text."""
    return str(line.found("breaker", "state", absent=""))


def ended_text(line: LedgerLine, breaker: str) -> str:
    """Return what a reset did. `breaker` is the state of the breaker, which it leaves alone."""
    count = line.iteration
    reached = f"after {count} iteration{'' if count == 1 else 's'}" if count else "before its first iteration"
    text = f"reset {safe(line.run)} {reached}; the next check begins a new run\n"
    if breaker != "CLOSED":
        text += f"the breaker stays {safe(breaker)}: `exitgate circuit reset` closes it\n"
    return text


def begun_text(line: LedgerLine) -> str:
    """Return which run a `run_start` line begins, by which policy, and why."""
    why = f": {line.reason}" if line.reason else ""
    return safe(f"began {line.run} with {line.decided_by.name} {line.decided_by.version}{why}") + "\n"


def verified_text(lines: int, damages: Sequence[Damage], style: Style, anchor: str = "") -> str:
    """
    Return what `verify` found, a line for each damage.

    Args:
        lines: Number of good lines.
        damages: What is wrong, in order.
        style: Colour and width.
        anchor: What is known of its newest line, or the empty text.
    """
    counted = f"{lines} line{'' if lines == 1 else 's'}"
    if not damages:
        return (
            f"{style.paint('true', '●')} sound: {counted}, each linked to the previous one\n{_tied(anchor)}"
        )
    shown = []
    for damage in damages:
        head = f"✗ line {damage.number} (byte {damage.offset}): "
        first, *rest = wrap(safe(damage.reason), style.width, head, "    ")
        shown += [style.paint("error", "✗") + first[1:], *rest]
    n = len(damages)
    return "\n".join([*shown, f"{n} finding{'' if n == 1 else 's'}, {counted} good"]) + "\n"


def _tied(anchor: str) -> str:
    """Return a line on what is known of the newest line."""
    known = {
        "anchored": "anchored: the last line is the acknowledged one",
        "moved": "anchored: the last line is the one acknowledged at the ledger's former place",
        "forked": "not anchored: it is a copy of a ledger that has diverged",
        "not anchored": "not anchored: no record of its last line exists, so a change to it is not noticed",
    }
    return f"  {known[anchor]}\n" if anchor in known else ""


class DamageOutput(Output, frozen=True):
    """
    Something wrong with a ledger.

    Args:
        line: Number of the line, from 1.
        offset: Byte at which it begins.
        problem: What is wrong.
    """

    line: Count
    offset: Count
    problem: str


class VerifyOutput(Output, frozen=True):
    """
    What `exitgate ledger verify --format json` prints.

    Args:
        state_directory: Where the ledger is.
        sound: Whether nothing is wrong.
        anchor: What is known of its newest line.
        good_lines: How many lines are good.
        findings: What is wrong, in order.
    """

    state_directory: str
    sound: bool
    anchor: str
    good_lines: Count
    findings: tuple[DamageOutput, ...]


def verified_json(directory: str, lines: int, damages: Sequence[Damage], anchor: str = "not anchored") -> str:
    """Return what `verify` found, as JSON."""
    found = tuple(DamageOutput(one.number, one.offset, one.reason) for one in damages)
    return output_text(VerifyOutput(directory, not damages, anchor, lines, found))


def csv_rows(lines: Iterable[LedgerLine]) -> Iterator[str]:
    """Return the heading and a row for each line, line ends included, as RFC 4180 has them."""
    rows = (
        {**{name: line.found(*path) for name, path in FIELDS.items()}, "breaker": state_of(line)}
        for line in lines
    )
    return csv.csv_rows((*FIELDS, "breaker"), rows)


def _cells(line: LedgerLine) -> tuple[str, ...]:
    kind, iteration = line.found("kind", absent=""), line.found("iteration")
    number = "" if iteration is None else str(iteration)
    return tuple(safe(text) for text in (str(line.sequence), str(kind), line.run, number, _moment(line)))


def _moment(line: LedgerLine) -> str:
    return str(line.found("at", absent=""))[:19].replace("T", " ")


def _is_decided(line: LedgerLine) -> bool:
    return line.decision is not None and line.found("decision") != {}


def _verdict(line: LedgerLine) -> str:
    return str(line.found("decision", "verdict", absent="?"))


# Lines of the ledger as people read them: a table of decisions, and where a run is.

HISTORY_HEADINGS = ("#", "run", "it", "time", "decision", "outcome")


def history_text(lines: Sequence[LedgerLine], style: Style) -> str:
    """
    Return a table of decisions, oldest first; the message takes what is left of the width.

    Args:
        lines: Lines of kind `decision`.
        style: Colour and width.
    """
    if not lines:
        return ""
    rows = [_history_cells(line) for line in lines]
    widths = [max(columns(row[i]) for row in (HISTORY_HEADINGS, *rows)) for i in range(len(HISTORY_HEADINGS))]
    head = "  ".join(pad(text, width) for text, width in zip(HISTORY_HEADINGS, widths, strict=True))
    shown = [style.paint("quiet", head.rstrip())]
    room = style.width - sum(widths) - 2 * len(widths)
    for line, row in zip(lines, rows, strict=True):
        cells = [pad(text, width) for text, width in zip(row, widths, strict=True)]
        role = verdict_role(_verdict(line), line.decided.exit_class)
        cells[4] = style.paint(role, cells[4])
        said = safe(brief(str(line.found("decision", "message", absent="")), working_folder()))
        message = style.fit(said, room) if room >= 12 or style.whole else ""
        shown.append(("  ".join(cells) + "  " + style.paint("quiet", message)).rstrip())
    return "\n".join(shown) + "\n"


class HistoryOutput(Output, frozen=True):
    """
    A decision of the ledger; members that are damaged are as they were found.

    Args:
        sequence: Number of its line.
        run: Id of its run.
        iteration: Its iteration.
        at: When it was made, as ISO 8601.
        policy: What decided: name, version, digest and path.
        decision: The decision with its steps, as the ledger has it.
    """

    sequence: int
    run: str
    iteration: Any
    at: Any
    policy: Any
    decision: Any


class StateOutput(Output, frozen=True):
    """
    What `exitgate state --format json` prints.

    Args:
        state_directory: Where the ledger is.
        run: Id of the run of the last decision; null without one, and so are the next three.
        iteration: Its iteration.
        last_decision: CONTINUE or EXIT.
        decision_reason: Its message, or its reason code.
        exit_class: The class of an exit; only there with a decision, as are the next three.
        outcome: The reason code.
        decided_at: When it was made, as ISO 8601.
        policy: Name and version of what decided.
        total_decisions: How many there were since the last reset.
        continue_count: How many of them are CONTINUE.
        exit_count: How many of them are EXIT.
        breaker: State of the breaker; null where it never moved.
    """

    state_directory: str
    run: str | None
    iteration: Any
    last_decision: Any
    decision_reason: Any
    exit_class: Any
    outcome: Any
    decided_at: Any
    policy: str | UnsetType | None
    total_decisions: Count
    continue_count: Count
    exit_count: Count
    breaker: Any


def history_json(lines: Iterable[LedgerLine]) -> str:
    """Return decisions as JSON, oldest first."""
    return output_text(tuple(map(_history_output, lines)))


def _history_output(line: LedgerLine) -> HistoryOutput:
    later = (line.found(key) for key in ("iteration", "at", "policy", "decision"))
    return HistoryOutput(line.sequence, line.run, *later)


def state_text(standing: StateOutput, style: Style) -> str:
    """Return where the ledger is, a line each."""
    plain = to_builtins(standing)
    rows = [(key.replace("_", " "), _shown(value)) for key, value in plain.items() if value != ""]
    widest = max(columns(key) for key, _ in rows)
    return "".join(
        f"{style.paint('quiet', pad(key, widest))}  {style.fit(safe(value), style.width - widest - 2)}\n"
        for key, value in rows
    )


def _history_cells(line: LedgerLine) -> tuple[str, ...]:
    verdict = verdict_text(_verdict(line), line.decided.exit_class)
    mark = " ?" if line.decided.unchecked else ""
    number = str(line.found("iteration", absent=""))
    outcome = str(line.found("decision", "outcome", absent=""))
    cells = (str(line.sequence), line.run, number, _moment(line), verdict + mark, outcome)
    return tuple(safe(text) for text in cells)


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
