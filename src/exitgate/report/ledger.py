"""Lines of the ledger of every kind as people and spreadsheets read them, and what `verify` found."""

from __future__ import annotations

from typing import Any

from exitgate.core.ledger.line import BREAKER
from exitgate.report.decision.summary import verdict_text
from exitgate.report.formats.output import Count, Output, output_text
from exitgate.report.terminal import Style, columns, pad, safe, verdict_role, wrap
from exitgate.report.wording import brief, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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

#: First characters at which a spreadsheet takes a text for a formula.
_FORMULA = "=+-@"


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
    """Yield the heading and a row for each line, line ends included, as RFC 4180 has them."""
    yield ",".join((*FIELDS, "breaker")) + "\r\n"
    for line in lines:
        cells = [_csv(line.found(*path)) for path in FIELDS.values()]
        yield ",".join((*cells, _csv(state_of(line)))) + "\r\n"


def _csv(value: object) -> str:
    """Return one cell; nothing in it acts on a terminal, ends the row or becomes a formula."""
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    text = safe(str(value))
    if isinstance(value, str) and text[:1] in _FORMULA and text:
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",') else text


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


def state_text(standing: Mapping[str, object], style: Style) -> str:
    """Return where the ledger is, a line each: see `exitgate.cli.commands.state.status_of` for the keys."""
    rows = [(key.replace("_", " "), _shown(value)) for key, value in standing.items() if value != ""]
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


# Decisions made again beside those on record, as people and programs read them.

#: What an answer consists of for a program that acts on it.
ANSWER = ("verdict", "class", "outcome")


class AnswerOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    A decision, for a program that acts on it.

    Args:
        verdict: CONTINUE or EXIT.
        exit_class: The class of an exit.
        outcome: The reason code.
    """

    verdict: Any
    exit_class: Any
    outcome: Any

    def text(self) -> str:
        """Return ``EXIT stuck · stagnation``."""
        exit_class = self.exit_class if isinstance(self.exit_class, str) else None
        return f"{verdict_text(str(self.verdict), exit_class)} · {self.outcome}"


class DifferenceOutput(Output, frozen=True):
    """
    A decision that does not come out as it is recorded.

    Args:
        sequence: Number of its line.
        run: Id of its run.
        iteration: Its iteration.
        recorded: The decision on record.
        now: The decision made again; null where it cannot be made.
        difference: The first place at which they differ, or why it cannot be made.
    """

    sequence: int
    run: str
    iteration: Any
    recorded: AnswerOutput
    now: AnswerOutput | None
    difference: str


class ReplayOutput(Output, frozen=True):
    """
    What `exitgate replay --format json` prints.

    Args:
        reproduced: Decisions that come out as recorded.
        differ: How many of them do not.
        differences: Those that do not.
        warnings: Remarks on damaged lines.
    """

    reproduced: Count
    differ: Count
    differences: tuple[DifferenceOutput, ...]
    warnings: tuple[str, ...]


def replayed(same: int, different: Sequence[DifferenceOutput], told: Sequence[str]) -> ReplayOutput:
    """Return how a replay came out: how many decisions are the same, the others, remarks on damaged lines."""
    return ReplayOutput(same, len(different), tuple(different), tuple(told))


def answer_text(decision: Plain) -> str:
    """Return ``EXIT stuck · stagnation``."""
    return _answer(decision).text()


def difference_of(line: LedgerLine, decision: Plain | None, why: str) -> DifferenceOutput:
    """
    Return one difference.

    Args:
        line: The ledger's line.
        decision: As it came out now, or None where it could not be made.
        why: The first place at which they differ, or why it could not be made.
    """
    recorded = AnswerOutput(*(line.found("decision", key) for key in ANSWER))
    now = None if decision is None else _answer(decision)
    return DifferenceOutput(line.sequence, line.run, line.found("iteration"), recorded, now, why)


def replay_text(counted: ReplayOutput, style: Style) -> str:
    """Return the differences, a paragraph each, and the counts as the last line."""
    lines: list[str] = []
    for one in counted.differences:
        lines += _difference(one, style)
    glyph = style.paint("error", "✗") if counted.differ else style.paint("true", "●")
    return "\n".join([*lines, f"{glyph} {counted.reproduced} reproduced, {counted.differ} differ"]) + "\n"


def _answer(decision: Plain) -> AnswerOutput:
    return AnswerOutput(*(decision.get(key) for key in ANSWER))


def _difference(one: DifferenceOutput, style: Style) -> list[str]:
    recorded, now = one.recorded, one.now
    head = f"✗ {one.sequence} {one.run} iteration {one.iteration}: "
    if now is None:
        said = f"was {recorded.text()}, cannot be reproduced: {one.difference}"
    elif now != recorded:
        said = f"was {recorded.text()}, now {now.text()}"
    else:
        said = f"{recorded.text()}, but {one.difference}"
    first, *rest = wrap(safe(said), style.width, safe(head), "    ")
    return [style.paint("error", "✗") + first[1:], *rest]
