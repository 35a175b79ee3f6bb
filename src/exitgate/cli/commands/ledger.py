"""`exitgate ledger`: whether the record is whole, its newest lines, all of it for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator

from exitgate.cli.command import NUMBER, Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import RUN, STATE_DIR, request_of
from exitgate.cli.parsing.usage import failure, usage_error
from exitgate.cli.terminal import Terminal, stream
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.read import Damage
    from exitgate.core.ledger.typed import LedgerLine


SHOWN = 20


def run_verify(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Compare every line with the ones before; 69 when something does not match."""
    from exitgate.core.ledger.verify import verify
    from exitgate.report.ledger import verified_json, verified_text

    directory = directory_of(given)
    found = verify(directory)
    code = OK if found.whole else FINDINGS
    if given.word("format") == "json":
        return Answer(verified_json(directory, found.lines, found.damages, found.anchor.state), code=code)
    return Answer(verified_text(found.lines, found.damages, terminal.out, found.anchor.state), code=code)


def run_tail(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the newest lines of every kind, oldest first."""
    count = given.number("number")
    if count is not None and count < 1:
        raise usage_error(f"`-n {count}` is less than 1", "write a number of at least 1")
    lines, note = newest(directory_of(given), given.text("run"), count or SHOWN)
    if given.word("format") == "json":
        from exitgate.report.formats.json import json_text

        return Answer(json_text([line.plain for line in lines]), note)
    from exitgate.report.ledger import lines_text

    return Answer(lines_text(lines, terminal.out), note)


def newest(directory: str, run: str | None, count: int) -> tuple[list[LedgerLine], str]:
    """
    Return the newest `count` lines, of one run where its name or id is given, and a remark.

    Only the end of the ledger is read; the remark says when damaged lines were passed over.
    """
    from exitgate.core.ledger.read import last, tail
    from exitgate.core.ledger.typed import typed

    run_id = run
    if run is not None and not tail(directory, run, 1):
        line = last(directory, run)
        if line is None:
            return [], "no such run\n"
        run_id = str(line["run"])
    lines = [typed(line) for line in tail(directory, run_id, count)]
    if _whole(lines, count, run_id):
        return lines, ""
    return lines, "warning: damaged lines were skipped; see `exitgate ledger verify`\n"


def _whole(lines: list[LedgerLine], count: int, run: str | None) -> bool:
    """Return whether nothing is missing: between lines of all runs, or before the oldest of one run."""
    if run is not None:
        return len(lines) >= count or (bool(lines) and lines[0].found("run_prev") is None)
    numbers = [line.sequence for line in lines]
    unbroken = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
    return unbroken and (len(lines) >= count or numbers[0] == 1)


def run_export(given: ParsedArguments, _: Terminal) -> Answer:
    """Write every good line to stdout as it is read; 69 when a damaged one was passed over."""
    directory, run = directory_of(given), given.text("run")
    damages: list[Damage] = []
    stream(_pieces(directory, run, given.word("format"), damages))
    remarks = [f"warning: line {d.number} of the ledger is omitted: {safe(d.reason)}\n" for d in damages]
    return Answer(err="".join(remarks), code=FINDINGS if damages else OK)


def _pieces(directory: str, run: str | None, form: str, damages: list[Damage]) -> Iterator[str]:
    from exitgate.core.ledger.read import lines
    from exitgate.core.ledger.runs import name_of
    from exitgate.core.ledger.typed import typed

    wanted = (
        line
        for line in map(typed, lines(directory, damages))
        if run is None or run in (line.run, name_of(line.run))
    )
    if form == "csv":
        from exitgate.report.ledger import csv_rows

        yield from csv_rows(wanted)
        return
    import json

    for line in wanted:
        yield json.dumps(line.plain, ensure_ascii=True, separators=(",", ":")) + "\n"


def directory_of(given: ParsedArguments) -> str:
    """Return the state directory. Raises `ExitgateError` (66) where it holds no ledger."""
    from exitgate.core.ledger.file import path_in
    from exitgate.core.state.discover import state_dir

    directory = state_dir(request_of(given, record=False))
    if not os.path.lexists(path_in(directory)) and (
        os.path.isdir(directory) or not os.path.lexists(directory)
    ):
        message = f"there is no ledger in `{directory}`"
        help = "the first `exitgate check` creates it; or name another folder with `--state-dir`"
        raise failure("EP806", message, help, NOTHING_TO_DECIDE)
    return directory


FORMAT = formats("text", "json")
CODES = {"66": "there is no ledger"}
FOUND = {"65": "", **CODES, "69": "a line is damaged or out of place"}
COMMAND = Command(
    "ledger",
    "verify, show and export the record of decisions",
    examples=(
        ("exitgate ledger verify", "is anything lost or changed?"),
        ("exitgate ledger export --format csv > decisions.csv", "for a spreadsheet"),
    ),
    codes=FOUND,
    children=(
        Command(
            "verify",
            "check every line against those before it",
            about="Each line has the hash of the line before, the offset of its run's previous line and a "
            "sequence number. Mismatches are listed with their line and byte: a line that is damaged, "
            "unfinished, changed, missing or inserted. Nothing is repaired.",
            options=(STATE_DIR, FORMAT),
            examples=(("exitgate ledger verify", "0 when sound, 69 when not"),),
            codes={"0": "the ledger is sound", **FOUND},
            run=run_verify,
        ),
        Command(
            "tail",
            "show the newest lines of every kind",
            about="Starts of runs, decisions, resets, moves of the breaker and expiries; the newest come "
            "last. Only the end of the file is read, however long it is.",
            options=(
                RUN,
                Option("--number, -n N", f"the last N; {SHOWN} by default", kind=NUMBER),
                STATE_DIR,
                FORMAT,
            ),
            examples=(
                ("exitgate ledger tail -n 5", "the last five lines"),
                ("exitgate ledger tail -n 1 --format json", "the last line, whole"),
            ),
            codes=CODES,
            run=run_tail,
        ),
        Command(
            "export",
            "write every line to stdout, as JSON lines or CSV",
            about="JSON lines are the ledger's own. CSV has a row for each line without its facts; cells "
            "that a spreadsheet would take for a formula begin with '. A damaged line is omitted and "
            "reported on stderr, and the exit code is 69.",
            options=(RUN, STATE_DIR, formats("jsonl", "csv")),
            examples=(
                ("exitgate ledger export | jq .decision.outcome", "for a program"),
                ("exitgate ledger export --format csv > decisions.csv", "for a spreadsheet"),
            ),
            codes=FOUND,
            run=run_export,
        ),
    ),
)
