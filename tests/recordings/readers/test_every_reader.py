"""Every reader on the same damages: what stands beside a bad place is read as if it were not there."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import cases
from cases import each
from every_sample import LINES, TEXT, WHOLE, Sample, samples
from hostile_files import with_odd

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem, Run, collect
from exitgate.recordings.probe import probe_of

with tempfile.TemporaryDirectory() as scratch:
    EVERY = samples(Path(scratch))
ANY = list(EVERY)
#: Dialects of one kind of loop, whose files are named and headed alike; the stricter one is asked first.
RELATED = {
    "ralph-frankbria": {"ralph-folder", "loop-logs"},
    "ralph-codeharness": {"ralph-folder", "loop-logs"},
    "ralph-iannuttall": {"ralph-cursor", "loop-logs"},
    "ralph-cursor": {"loop-logs"},
}
#: Readers of folders alone.
FOLDERS = {"doyaken-run"}
BY_LINES = [name for name, one in EVERY.items() if one.shape == LINES]


def read(sample: Sample, path: Path) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    registry.load(sample.reader).fits(probe_of(Location(str(path))))
    return collect(registry.load(sample.reader).read(Location(str(path)), ALL), sample.reader)


def told(runs: tuple[Run, ...], *, ends: str = "\n") -> list[tuple[Any, ...]]:
    """Return what is told of each iteration, but for its lines."""
    return [
        (
            run.begin.id, one.index, _text(one.response, ends), _text(one.output, ends),
            _text(one.tool_results, ends), _text(one.prompt, ends), one.record, one.started_at, one.ended_at,
            None if one.tool_calls is None else [(c.name, c.is_error, c.exit_status) for c in one.tool_calls],
            None if one.files_changed is None else [c.path for c in one.files_changed], one.error_kind,
        )
        for run in runs
        for one in run.iterations
    ]  # fmt: skip


def _text(text: str | None, ends: str) -> str | None:
    return None if text is None else text.replace(ends, "\n")


def sniffed(path: Path) -> str | None:
    return registry.sniff(probe_of(Location(str(path))))


def test_there_is_a_sample_for_every_reader() -> None:
    assert {one.reader for one in EVERY.values()} == set(registry.READERS) - FOLDERS


@each("name", ANY)
def test_a_sample_is_taken_by_its_reader_under_any_name(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    path = sample.at(tmp_path)
    assert sniffed(path) == sample.taker
    runs, problems = read(sample, path)
    assert (problems == () or sample.reader == "ralph-wiggum") and len(runs) >= 1
    assert told(runs) or sample.reader == "ralph-wiggum"
    for run in runs:
        assert [one.index for one in run.iterations] == list(range(1, len(run.iterations) + 1))
    named_by = ("ralph-snarktank", "swe-agent", "mini-swe-agent")
    if sample.reader not in named_by:
        other = tmp_path / "another.name"
        path.rename(other)
        assert sniffed(other) == sample.taker


@each("name", ANY)
def test_nobody_else_who_is_asked_later_or_earlier_takes_it(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    look = probe_of(Location(str(sample.at(tmp_path))))
    fit = {id for id in registry.READERS if registry.load(id).fits(look)}
    assert fit - RELATED.get(str(sample.taker), set()) == {sample.taker}


@each("name", ANY)
@each("body", [b"", b"\n", b" \n\n", b"\xef\xbb\xbf", b"\0", b"{", b"[", b"[]", b"{}", b"null"])
def test_nearly_nothing(tmp_path: Path, name: str, body: bytes) -> None:
    path = EVERY[name].at(tmp_path, body)
    runs, _ = read(EVERY[name], path)
    assert not any(
        (one.response or "").strip() and not body.strip() for run in runs for one in run.iterations
    )
    assert sniffed(path) is None


@each("name", ANY)
def test_a_byte_order_mark_changes_nothing(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    whole = told(read(sample, sample.at(tmp_path))[0])
    path = sample.at(tmp_path, b"\xef\xbb\xbf" + sample.body.encode())
    assert sniffed(path) == sample.taker
    assert told(read(sample, path)[0]) == whole


@each("name", ANY)
def test_other_line_ends_change_nothing(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    whole = told(read(sample, sample.at(tmp_path))[0], ends="\r\n")
    path = sample.at(tmp_path, sample.body.replace("\n", "\r\n"))
    assert sniffed(path) == sample.taker
    runs, problems = read(sample, path)
    assert told(runs, ends="\r\n") == whole
    assert problems == () or sample.reader == "ralph-wiggum"


@each("name", BY_LINES)
@each("bad", [b'{"broken', b"\0\0\0\0", b"\x01\x02\x1b[31m", b"\xff\xfe", b'{"type":"user","message":{"con'])
def test_a_bad_line_is_told_with_its_number_and_the_rest_is_read(
    tmp_path: Path, name: str, bad: bytes
) -> None:
    sample = EVERY[name]
    whole, good = told(read(sample, sample.at(tmp_path))[0]), sample.body.encode().splitlines(keepends=True)
    for at in range(1, len(good)):
        path = sample.at(tmp_path, b"".join([*good[:at], bad + b"\n", *good[at:]]))
        runs, problems = read(sample, path)
        assert told(runs) == whole, f"behind line {at}"
        numbers = [problem.line for problem in problems]
        assert numbers == [at + 1] or (numbers == [] and not bad.strip(b"\0"))  # what a crash leaves


@each("name", BY_LINES)
def test_a_type_that_nobody_knows_is_passed_over(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    whole, good = told(read(sample, sample.at(tmp_path))[0]), sample.body.splitlines(keepends=True)
    new = '{"type":"a_new_kind","kind":"a_new_kind","timestamp":"2026-01-01T00:00:00Z","payload":{"x":1}}\n'
    for at in range(1, len(good)):
        path = sample.at(tmp_path, "".join([*good[:at], new, *good[at:]]))
        assert told(read(sample, path)[0]) == whole, f"behind line {at}"


@each("name", BY_LINES)
def test_lines_of_a_megabyte(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    whole, good = told(read(sample, sample.at(tmp_path))[0]), sample.body.splitlines(keepends=True)
    long = '{"type":"a_new_kind","kind":"a_new_kind","x":"' + "y" * 1_000_000 + '"}\n'
    assert told(read(sample, sample.at(tmp_path, "".join([*good[:1], long, *good[1:]])))[0]) == whole


@each("name", BY_LINES)
def test_a_last_line_cut_off_voids_none_before(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    good = sample.body.encode().splitlines(keepends=True)
    before = told(read(sample, sample.at(tmp_path, b"".join(good[:-1])))[0])
    path = sample.at(tmp_path, b"".join(good[:-1]) + good[-1][: len(good[-1]) // 2])
    runs, problems = read(sample, path)
    complete = len(before) - 1  # the last one may go on in what is there of the line
    assert [one[2:5] for one in told(runs)][:complete] == [one[2:5] for one in before][:complete]
    assert len(told(runs)) >= len(before)
    assert all(problem.line in (0, len(good)) for problem in problems)


@each("name", ANY)
def test_a_transcript_twice_in_one_file(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    runs, _ = read(sample, sample.at(tmp_path, sample.body + sample.body))
    for run in runs:
        assert [one.index for one in run.iterations] == list(range(1, len(run.iterations) + 1))
    assert len({run.begin.id for run in runs}) == len(runs)


@each("name", [name for name, one in EVERY.items() if one.shape != WHOLE])
def test_lines_in_any_order_raise_nothing(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    good = sample.body.splitlines(keepends=True)
    for order in (good[::-1], good[1::2] + good[::2]):
        read(sample, sample.at(tmp_path, "".join(order)))


@each("name", [name for name, one in EVERY.items() if one.shape != WHOLE])
def test_provenance_says_where_it_stands(tmp_path: Path, name: str) -> None:
    sample = EVERY[name]
    path = sample.at(tmp_path)
    count = len(sample.body.splitlines())
    for run in read(sample, path)[0]:
        last = 0
        for one in run.iterations:
            where = one.provenance
            assert 1 <= where.first <= where.last <= count, where.first
            assert where.first > last or sample.shape == LINES or sample.reader == "ralph-iannuttall"
            last = where.last


@each("name", [name for name, one in EVERY.items() if one.shape != TEXT])
def test_odd_members_raise_in_no_reader(name: str) -> None:
    """Any member of any object may be anything: whoever looks at it, nobody raises; its reader reads on."""
    sample = EVERY[name]
    values = (
        [json.loads(sample.body)]
        if sample.shape == WHOLE
        else [json.loads(line) for line in sample.body.splitlines()]
    )
    readers = [registry.load(id) for id in registry.READERS]
    bodies = {
        json.dumps(odd) if sample.shape == WHOLE else _with(values, nth, odd)
        for nth, value in enumerate(values)
        for odd in with_odd(value)
    }
    with tempfile.TemporaryDirectory() as folder:
        for body in random.Random(name).sample(sorted(bodies), min(len(bodies), 60 if cases.EVERY else 15)):
            path = sample.at(Path(folder), body)
            look = probe_of(Location(str(path)))
            for reader in readers:
                reader.fits(look)
            read(sample, path)


def _with(values: list[Any], nth: int, odd: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in [*values[:nth], odd, *values[nth + 1 :]])


@each("name", ANY)
def test_a_number_of_files_is_told_where_the_files_are(tmp_path: Path, name: str) -> None:
    """Where commands alone were run, neither is: they may have written anything."""
    sample = EVERY[name]
    for run in read(sample, sample.at(tmp_path))[0]:
        for one in run.iterations:
            if "tool_calls" in one.record and one.files_changed is not None:
                assert one.record["files_changed"] == len(one.files_changed)
            elif one.files_changed is None:
                assert "files_changed" not in one.record
            if one.tool_calls and all(call.result is None for call in one.tool_calls):
                assert not one.tool_results
