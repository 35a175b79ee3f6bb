"""Questions in SQL are answered from the dataset, and reach nothing else."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from cli_program import Ran, run

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.fleet.dataset.schema import COLUMNS
from exitgate.fleet.dataset.store import Dataset, Row
from exitgate.fleet.questions.engine import ask

FIRST = 1_764_547_200.0  # 2025-12-01


def row(name: str, **more: object) -> Row:
    own = {"run": name, "source": f"{name}.jsonl", "policy": "bb3", "version": "1.0.0", "candidate": False}
    return own | {"started_at": FIRST, "iterations": 3} | more


@pytest.fixture
def target(tmp_path: Path) -> str:
    data = Dataset(str(tmp_path / "fleet"))
    data.append({"runs": [row("a", cost_usd=1.25), row("b", started_at=None)]}, key="1", now=1.0)
    hostile = {"run": "=cmd|calc", "source": "x", "iteration": 1, "alternatives": ["r: EXIT idle"]}
    data.append({"decisions": [hostile]}, key="2", now=1.0)
    return str(tmp_path / "fleet")


def query(sql: str, target: str, *words: str) -> Ran:
    return run("fleet", "query", sql, target, *words)


def test_forms(target: str) -> None:
    sql = "SELECT run, day, iterations, cost_usd, started_at FROM runs ORDER BY run"
    text = query(sql, target)
    assert (text.code, text.err) == (0, "")
    lines = [line.split() for line in text.out.splitlines()]
    assert lines[0] == ["run", "day", "iterations", "cost_usd", "started_at"]
    assert lines[1] == ["a", "2025-12-01", "3", "1.25", "2025-12-01T00:00:00+00:00"]
    assert lines[2] == ["b", "unknown", "3", "-", "-"]
    plain = json.loads(query(sql, target, "--format", "json").out)
    assert plain["columns"] == lines[0]
    assert plain["rows"][0] == ["a", "2025-12-01", 3, 1.25, "2025-12-01T00:00:00+00:00"]
    assert query(sql, target, "--format", "markdown").out.splitlines()[1] == "|---|---|---:|---:|---:|"
    told = query("SELECT run, alternatives FROM decisions", target, "--format", "csv").out
    assert list(csv.reader(io.StringIO(told)))[1][0] == "'=cmd|calc"


def test_the_newest_row_of_a_run_counts(target: str) -> None:
    data = Dataset(target)
    data.append({"runs": [row("a", iterations=5)]}, key="3", now=9.0)
    data.append({"runs": [row("a", iterations=4)]}, key="4", now=5.0)
    data.append({"runs": [row("a", iterations=7, policy="recommended")]}, key="5", now=2.0)
    found = ask(data, "SELECT policy, iterations FROM runs WHERE run = 'a' ORDER BY policy")
    assert found.rows == (("bb3", 5), ("recommended", 7))
    assert ask(data, "SELECT count(*) FROM all_runs").rows == ((5,),)
    data.compact(2)
    assert ask(data, "SELECT policy, iterations FROM runs WHERE run = 'a' ORDER BY policy").rows == found.rows


def test_every_table_is_there_also_without_rows(target: str) -> None:
    for table, columns in COLUMNS.items():
        found = ask(Dataset(target), f"SELECT * FROM {table}")
        assert found.columns == (*columns, "day")


def test_a_store_that_fsspec_knows() -> None:
    data = Dataset("memory://questions/fleet")
    data.append({"runs": [row("a")]}, key="1")
    assert ask(data, "SELECT run FROM runs").rows == (("a",),)


NO_SELECT = (
    "COPY runs TO '{0}/x.csv'", "ATTACH '{0}/x.db'", "INSTALL httpfs", "LOAD json", "PRAGMA version",
    "SET memory_limit = '1GB'", "SELECT 1; SELECT 2", "CREATE TABLE x AS SELECT 1", "EXPORT DATABASE '{0}/e'",
    "CALL x()", "DROP VIEW runs", "EXPLAIN ANALYZE SELECT 1", "", "RESET enable_external_access",
)  # fmt: skip
REACHING = (
    "SELECT * FROM '{0}/secret.csv'", "SELECT * FROM read_csv('{0}/secret.csv')",
    "SELECT * FROM read_text('{0}/secret.csv')", "SELECT * FROM glob('{0}/*')", "SELECT getenv('HOME')",
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x')", "SELECT * FROM target",
    "SELECT * FROM query('COPY (SELECT 1) TO ''{0}/x''')", "SELECT * FROM query_table('{0}/secret.csv')",
    "SELECT * FROM sniff_csv('{0}/secret.csv')", "SELECT * FROM read_json('{0}/secret.csv')",
)  # fmt: skip


@pytest.mark.parametrize(("sql", "code"), [(one, 64) for one in NO_SELECT] + [(one, 65) for one in REACHING])
def test_nothing_else_is_reached(target: str, tmp_path: Path, sql: str, code: int) -> None:
    (tmp_path / "secret.csv").write_text("a,b\nhidden-value,2\n")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExitgateError) as caught:
        ask(Dataset(target), sql.format(tmp_path))
    assert caught.value.exit_code == code
    assert "hidden-value" not in str(caught.value.diagnostics)
    assert sorted(tmp_path.rglob("*")) == before


def test_errors_say_where(target: str) -> None:
    ran = query("SELECT run\nFROM runs WHERE nope = 1", target)
    said = " ".join(ran.err.split())
    assert ran.code == 65
    assert "(line 2, column 17: `nope = 1`)" in said
    assert "`runs`: day, run, source" in said


def test_what_is_no_dataset(tmp_path: Path) -> None:
    assert query("SELECT 1", str(tmp_path / "nowhere")).code == 66
    (tmp_path / "exitgate-dataset.json").write_text("{}")
    assert query("SELECT 1", str(tmp_path)).code == 65
    assert query("SELECT 1", "nowhere://x").code == 74


def test_a_missing_package_names_the_extra(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.fleet.questions.engine.find_spec", lambda _: None)
    ran = query("SELECT 1", target)
    assert ran.code == 64
    assert "install `exitgate[fleet]`" in ran.err
