"""Lists of recorded runs and of readers, for people, programs and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import to_builtins

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.model.display import counted
from exitgate.core.model.value import micro
from exitgate.report.formats.csv import csv_rows
from exitgate.report.formats.json import json_line
from exitgate.report.formats.output import Count, Output, output_text
from exitgate.report.terminal import Style, columns, cut, pad, safe, wrap
from exitgate.report.wording import brief, working_folder


class RunOutput(Output, frozen=True):
    """
    A recorded run; its members are the columns of the CSV form, too.

    Args:
        run: Its id within its transcript.
        file: Where it is.
        reader: Id of the reader.
        granularity: What an iteration of it is.
        iterations: How many.
        started_at: As ISO 8601; null where nothing tells, as in all that follows.
        ended_at: As ISO 8601.
        seconds: How long it took.
        cost_usd: What it cost.
        tokens: How many it used.
        end: Class of its end by what was recorded.
        why: The recorder's words on that.
        title: A few words on it.
        parent: Id of the run whose sub-agent this is.
        resumed: Whether it continues with an earlier session.
    """

    run: str
    file: str
    reader: str
    granularity: str
    iterations: Count
    started_at: str | None
    ended_at: str | None
    seconds: float | None
    cost_usd: float | None
    tokens: int | None
    end: str | None
    why: str
    title: str
    parent: str | None
    resumed: bool | None


class ProblemOutput(Output, frozen=True):
    """
    What is wrong in a transcript.

    Args:
        file: Its path.
        line: Number of the line; 0 where none is meant.
        message: What is wrong.
    """

    file: str
    line: Count
    message: str


class UnreadOutput(Output, frozen=True):
    """
    A file that could not be read.

    Args:
        code: Of the diagnostic.
        problem: What it says.
    """

    code: str
    problem: str


class RunsOutput(Output, frozen=True):
    """
    What `exitgate transcripts --format json` prints.

    Args:
        runs: Those that were found; `--format jsonl` prints one a line.
        problems: What is wrong in their files.
        unread: Files that could not be read.
        no_reader: Files whose format no reader recognises.
    """

    runs: tuple[RunOutput, ...]
    problems: tuple[ProblemOutput, ...]
    unread: tuple[UnreadOutput, ...]
    no_reader: tuple[str, ...]


#: Headings of the text form and how wide their columns are; the first takes what is left.
_HEADINGS = (("iterations", 10), ("started (UTC)", 16), ("took", 6), ("USD", 7), ("tokens", 6), ("ended", 11))
_NUMBERS = ("took", "USD", "tokens")
_NARROWEST = 12
#: Problems of one file that are reported one by one.
_TOLD = 3


def runs_json(
    runs: Sequence[RunOutput],
    problems: Sequence[ProblemOutput],
    unread: Iterable[Diagnostic],
    no_reader: Sequence[str],
) -> str:
    """Return everything that was found, and what was not read."""
    cannot = tuple(UnreadOutput(one.code, one.message) for one in unread)
    return output_text(RunsOutput(tuple(runs), tuple(problems), cannot, tuple(no_reader)))


def runs_csv(runs: Iterable[RunOutput]) -> str:
    """Return the runs as CSV with a heading."""
    return "".join(csv_rows(RunOutput.__struct_fields__, map(to_builtins, runs)))


def runs_jsonl(runs: Iterable[RunOutput]) -> str:
    """Return the runs as JSON, one a line."""
    return "".join(json_line(to_builtins(one)) for one in runs)


def runs_text(rows: Sequence[RunOutput], problems: Sequence[ProblemOutput], style: Style) -> str:
    """
    Return the runs as a table, those of one file below its name, and what was wrong with the file.

    Args:
        rows: Those of a file beside each other.
        problems: In order.
        style: Colour and width.
    """
    room = max(_NARROWEST, style.width - sum(width + 1 for _, width in _HEADINGS) - 2)
    room = style.room(map(_name, rows), room)
    named = (f"{name:>{width}}" if name in _NUMBERS else pad(name, width) for name, width in _HEADINGS)
    head = " ".join((pad("  run", room + 2), *named))
    lines = [style.paint("quiet", head.rstrip())]
    wrong: dict[str, list[ProblemOutput]] = {}
    for problem in problems:
        wrong.setdefault(problem.file, []).append(problem)
    file = ""
    for row in rows:
        if row.file != file:
            lines += _problem_lines(wrong.pop(file, []), style)
            file = row.file
            lines.append(_file_line(row, style))
        lines.append(_line(row, room))
    lines += _problem_lines(wrong.pop(file, []), style)
    for path, left in wrong.items():
        lines.append(style.paint("strong", style.fit(safe(path), style.width)))
        lines += _problem_lines(left, style)
    return "\n".join(lines) + "\n" if rows or problems else ""


def summary_text(
    rows: Sequence[RunOutput], passed_over: Sequence[str], style: Style, *, all: bool, largest: str = ""
) -> str:
    """
    Return how much there is, and the files that no reader takes: their number, or with `all` each.

    `largest` is a clause on the largest of them, or the empty text.
    """
    files = len({row.file for row in rows})
    iterations = sum(row.iterations for row in rows)
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    parts = [counted(len(rows), "run"), f"in {counted(files, 'file')}", counted(iterations, "iteration")]
    line = f"{parts[0]} {parts[1]}, {parts[2]}"
    if costs:
        told = f" where recorded ({counted(len(costs), 'run')})" if len(costs) < len(rows) else ""
        line += f", {micro(sum(costs)):.2f} USD{told}"
    lines = wrap(line, style.width)
    if passed_over:
        n = len(passed_over)
        verb, what = ("is", "a format") if n == 1 else ("are", "formats")
        tail = ":" if all else "; `--all` names " + ("it" if n == 1 else "them")
        lines += wrap(
            f"{counted(n, 'other file')} {verb} in {what} that no reader recognises{tail}", style.width
        )
        if largest and not all:
            lines += wrap(safe(largest), style.width)
    if all:
        lines += [f"  {safe(path)}" for path in passed_over]
    return "\n".join(lines) + "\n"


class ReaderOutput(Output, frozen=True):
    """
    A reader of recorded runs.

    Args:
        reader: Its id.
        title: What writes the format.
        gives: What it can give of a run, sorted.
    """

    reader: str
    title: str
    gives: tuple[str, ...]


def readers_json(rows: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Return the readers as JSON: id, what writes the format, and what it can give."""
    return output_text(tuple(ReaderOutput(id, title, tuple(given)) for id, title, given in rows))


def readers_text(rows: Sequence[tuple[str, str, Sequence[str]]], style: Style) -> str:
    """Return the readers: id, what writes the format, and what it can give."""
    widest = max((columns(id) for id, _, _ in rows), default=0)
    lines = []
    for id, title, given in rows:
        head = f"{pad(safe(id), widest)}  "
        first, *rest = wrap(safe(title), style.width, head)
        lines += [style.paint("strong", first[:widest]) + first[widest:], *rest]
        said = wrap(" ".join(given), style.width, " " * len(head))
        lines += [style.paint("quiet", line) for line in said]
    return "\n".join(lines) + "\n" if lines else ""


def _file_line(row: RunOutput, style: Style) -> str:
    reader, path = safe(row.reader), safe(row.file)
    room = max(_NARROWEST, style.width - columns(reader) - 2)
    # The end of a path tells more than its beginning.
    shown = path if style.whole or columns(path) <= room else "…" + path[-(room - 1) :]
    return f"{style.paint('strong', shown)}  {style.paint('quiet', reader)}"


def _name(row: RunOutput) -> str:
    return f"↳ {safe(row.run)}" if row.parent else safe(row.run)


def _line(row: RunOutput, room: int) -> str:
    number = (
        f"{row.iterations} proc."
        if row.granularity == "process"
        else counted(row.iterations, row.granularity)
    )
    amounts = span(row.seconds), money(row.cost_usd), short_count(row.tokens)
    cells = (number, instant(row.started_at), *amounts, row.end or UNKNOWN)
    widths = [width for _, width in _HEADINGS]
    numbers = (pad("", max(0, w - columns(t))) + t for t, w in zip(cells[2:5], widths[2:5], strict=True))
    texts = [pad(cells[0], widths[0]), pad(cells[1], widths[1]), *numbers, cells[5]]
    return f"  {pad(_middle(_name(row), room), room)} {' '.join(texts)}".rstrip()


def _middle(text: str, room: int) -> str:
    """Return a name that fits: names of runs differ in their ends as often as in their beginnings."""
    if columns(text) <= room:
        return text
    tail = text[-(room // 2 - 1) :]
    return cut(text, room - columns(tail)) + tail


def _problem_lines(problems: Sequence[ProblemOutput], style: Style) -> list[str]:
    lines: list[str] = []
    for problem in problems[:_TOLD]:
        where = f"line {problem.line}: " if problem.line else ""
        text = safe(brief(problem.message, working_folder()))
        lines += wrap(f"{where}{text}", style.width, "  ! ", "    ")
    if len(problems) > _TOLD:
        lines.append(f"  ! and {counted(len(problems) - _TOLD, 'more problem')}")
    return [style.paint("warning", line) for line in lines]


# Numbers of recorded runs as a narrow table shows them. What is not known is a dash.

UNKNOWN = "-"


def iso(at: object) -> str | None:
    """Return seconds since the epoch as ISO 8601 in UTC, to the second; None for None."""
    if not isinstance(at, int | float):
        return None
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return None


def instant(written: object) -> str:
    """Return an instant that `iso` wrote to the minute."""
    return written[:16].replace("T", " ") if isinstance(written, str) else UNKNOWN


def span(seconds: object) -> str:
    """Return a length of time in at most six columns: ``45s``, ``12m``, ``3h05m``, ``12d``."""
    if not isinstance(seconds, int | float):
        return UNKNOWN
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes}m{whole % 60:02d}s"
    hours = minutes // 60
    return f"{hours}h{minutes % 60:02d}m" if hours < 48 else f"{hours // 24}d"


def money(usd: object) -> str:
    """Return an amount to the cent; one below half a cent that is not nothing to four places."""
    if not isinstance(usd, int | float):
        return UNKNOWN
    return f"{usd:.4f}" if 0 < usd < 0.005 else f"{usd:.2f}"


def short_count(number: object) -> str:
    """Return a number in at most five columns: ``940``, ``12k``, ``1.2M``."""
    if not isinstance(number, int):
        return UNKNOWN
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            share = number / size
            return f"{share:.1f}{unit}" if share < 10 else f"{share:.0f}{unit}"
    return str(number)
