"""Every form of output says the same, whatever the transcripts say."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from judged_loops import loop, policy
from pyarrow import parquet

import exitgate
from exitgate.core.policy import shipped
from exitgate.recordings.replay.result import DryRun
from exitgate.recordings.replay.tables import COLUMNS, to_pandas
from exitgate.recordings.reports.dry_run import dry_run_github, dry_run_markdown, dry_run_text
from exitgate.recordings.reports.dry_run_exports import (
    dry_run_csv,
    dry_run_json,
    dry_run_jsonl,
    dry_run_junit,
    dry_run_parquet,
)
from exitgate.recordings.scoring.expectations import CheckedRuns, check, expectations
from exitgate.report.terminal import Style

EVIL = "</testcase>]]>&<script>\x1b[31m\u202e=cmd|'%0a::error::x\n::set-output|`*#\ufffe\ud800 certain"


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DryRun:
    monkeypatch.chdir(tmp_path)
    loop(tmp_path / "runs", "one", ["unsure", "likely", "certain", "unsure"])
    loop(tmp_path / "runs", "two", ["unsure", "unsure"], cost=None)
    (tmp_path / "odd.bin").write_bytes(b"\0")
    policy(tmp_path)
    return exitgate.dry_run(["runs", "odd.bin"], ["./sure.yaml", "./sure.yaml:enough=50"], keep=True)


@pytest.fixture
def checked(found: DryRun) -> CheckedRuns:
    return check(found, expectations(["one=complete@3"]))


@pytest.mark.parametrize("detail", [False, True])
def test_json_is_what_the_schema_says(found: DryRun, checked: CheckedRuns, detail: bool) -> None:
    for one in (checked, None):
        plain = json.loads(dry_run_json(found, one, detail=detail))
        jsonschema.Draft202012Validator(shipped.schema("dry-run")).validate(plain)
        assert [(row["run"], row["stop"], row["class"]) for row in plain["stops"]] == [
            ("one", 3, "complete"), ("one", 2, "complete"), ("two", None, None), ("two", None, None),
        ]  # fmt: skip
        assert ("decisions" in plain) is detail
    assert plain["unread"][0]["why"] == "no reader fits it"


def test_json_lines_hold_the_same_rows(found: DryRun, checked: CheckedRuns) -> None:
    plain = json.loads(dry_run_json(found, checked, detail=True))
    lines = [json.loads(line) for line in dry_run_jsonl(found, checked, detail=True).splitlines()]
    assert [{**row, "kind": "stop"} for row in plain["stops"]] == [r for r in lines if r["kind"] == "stop"]
    assert len([row for row in lines if row["kind"] == "decision"]) == len(plain["decisions"])
    assert [row["run"] for row in lines if row["kind"] == "difference"] == ["one"]
    assert lines[-1] == {
        "kind": "end", "notes": plain["notes"], "sub_agents": 0, "interrupted": False, "expected": 2,
    }  # fmt: skip


@pytest.mark.parametrize(("detail", "table"), [(False, "stops"), (True, "decisions")])
def test_csv_and_parquet_have_the_columns_of_the_tables(found: DryRun, detail: bool, table: str) -> None:
    expected_rows = found.tables()[table]
    rows = list(csv.DictReader(io.StringIO(dry_run_csv(found, detail=detail))))
    assert tuple(rows[0]) == COLUMNS[table]
    assert [row["run"] for row in rows] == [row["run"] for row in expected_rows]
    read = parquet.read_table(io.BytesIO(dry_run_parquet(found, detail=detail)))
    assert tuple(read.column_names) == COLUMNS[table]
    assert read.to_pylist() == expected_rows


def test_tables_and_frames(found: DryRun) -> None:
    tables = found.tables()
    assert {name: tuple(rows[0]) for name, rows in tables.items()} == COLUMNS
    counts = {"runs": 2, "stops": 4, "iterations": 6, "decisions": 9, "facts": 81}
    assert {name: len(rows) for name, rows in tables.items()} == counts
    facts = {(r["iteration"], r["fact"]): r for r in tables["facts"] if r["run"] == "one"}
    assert (facts[2, "confidence"]["value"], facts[2, "confidence"]["excerpt"]) == (60, "likely")
    polars, pandas = found.to_polars(), found.to_pandas()
    for name, rows in tables.items():
        assert polars[name].height == len(pandas[name]) == len(rows)
        assert tuple(polars[name].columns) == tuple(pandas[name].columns) == COLUMNS[name]
    assert polars["stops"]["stop"].to_list() == [3, 2, None, None]
    assert polars["facts"]["value"].to_list()[:1] == ["20"]
    empty = DryRun(())
    assert {name: frame.height for name, frame in empty.to_polars().items()} == dict.fromkeys(COLUMNS, 0)
    assert all(len(frame) == 0 for frame in empty.to_pandas().values())


def test_a_package_that_is_missing_is_named(found: DryRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'exitgate\[pandas\]'"):
        to_pandas(found.tables())


def test_junit(found: DryRun, checked: CheckedRuns) -> None:
    root = ElementTree.fromstring(dry_run_junit(found, checked))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "1", "1")
    assert [suite.get("tests") for suite in root] == ["2", "2", "1"]
    (failure,) = root.findall(".//failure")
    assert failure.get("message") == "expected complete at 3, found complete at 2 (sure)"
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == 5
    assert ElementTree.fromstring(dry_run_junit(found, None)).get("failures") == "0"


def test_github(found: DryRun, checked: CheckedRuns) -> None:
    lines = dry_run_github(found, checked).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds == ["::error", "::error", *["::notice"] * 3, *["::notice"] * len(found.notes)]
    assert "expected complete at 3, found complete at 2 (sure)%0AEXIT complete at 2" in lines[1]


def test_markdown(found: DryRun, checked: CheckedRuns) -> None:
    text = dry_run_markdown(found, checked, detail=True)
    assert text.startswith("2 runs, 2 policies.\n")
    assert "1 of 2 expectations not met." in text
    tables = [block for block in text.split("\n\n") if block.startswith("| ")]
    assert [len(table.splitlines()) - 2 for table in tables] == [2, 4, 1, 9]


def test_text(found: DryRun, checked: CheckedRuns) -> None:
    text = dry_run_text(found, checked, Style(width=100))
    assert "one  4 iterations, 2.00 USD, ralph-frankbria\n" in text
    assert "  EXIT complete at 3 · sure · then 1 iteration, 0.50 USD\n" in text
    assert "never stops\n" in text
    assert " 1.0.0 stops 1 of 2 runs (1 complete); 1 iteration and 0.50 USD after its stops\n" in text
    assert "1 of 2 expectations is not met:\n" in text
    detail = dry_run_text(found, None, Style(width=100), detail=True)
    assert "       1  CONTINUE           otherwise" in detail
    assert "       3  EXIT complete      sure: Sure: 90%\n" in detail


def test_an_interrupted_dry_run_says_so(found: DryRun) -> None:
    part = DryRun(found.results[:1], interrupted=True)
    assert "interrupted: results so far" in dry_run_text(part, None, Style())
    assert json.loads(dry_run_json(part, None))["interrupted"] is True
    assert "**Interrupted**" in dry_run_markdown(part, None)
    assert "::warning::interrupted" in dry_run_github(part, None)
    assert ElementTree.fromstring(dry_run_junit(part, None)).get("errors") == "1"


def test_hostile_texts_get_nowhere(tmp_path: Path) -> None:
    loop(tmp_path / "runs", "one", [EVIL])
    found = exitgate.dry_run([str(tmp_path / "runs")], [policy(tmp_path)], keep=True)
    (result,) = found.results
    stop = result.stop
    assert stop is not None
    evil = type(stop)(**{**{n: getattr(stop, n) for n in stop.__slots__}, "message": EVIL, "outcome": EVIL})
    run = type(result.run)(**{**{n: getattr(result.run, n) for n in result.run.__slots__}, "id": EVIL})
    changed = {"rows": (evil,), "stop": evil, "run": run, "policy": EVIL}
    found = DryRun((type(result)(**{**{n: getattr(result, n) for n in result.__slots__}, **changed}),))
    assert ElementTree.fromstring(dry_run_junit(found, None).encode()).get("tests") == "1"
    assert len(dry_run_github(found, None).splitlines()) == 1
    for written in (
        dry_run_text(found, None, Style(), detail=True), dry_run_markdown(found, None, detail=True),
        dry_run_csv(found), dry_run_csv(found, detail=True), dry_run_json(found, None, detail=True),
        dry_run_jsonl(found, None, detail=True), dry_run_junit(found, None), dry_run_github(found, None),
    ):  # fmt: skip
        assert "\x1b" not in written
        assert "\u202e" not in written
        assert written.encode("utf-8", "replace").decode() == written
    assert "<script>" not in dry_run_markdown(found, None)
    assert parquet.read_table(io.BytesIO(dry_run_parquet(found))).num_rows == 1
    assert found.to_polars()["stops"].height == 1
