"""Rows of a dataset are there once, however often they are appended and wherever a process is killed."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from pathlib import Path

import duckdb
import fsspec
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import dataset as arrow_dataset

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.fleet.dataset import place as place_module
from exitgate.fleet.dataset.schema import COLUMNS, VERSION, arrow_schema
from exitgate.fleet.dataset.store import Dataset, Row, day_of

DAY = 86_400.0
FIRST = 1_764_547_200.0  # 2025-12-01


def run(name: str, day: int | None = 0, **more: object) -> Row:
    start = None if day is None else FIRST + day * DAY
    return {
        "run": name,
        "source": f"{name}.jsonl",
        "started_at": start,
        "iterations": 3,
        "cost_usd": 0.5,
        **more,
    }


def names(data: Dataset) -> list[str]:
    """Return the runs of a dataset, as its own reader finds them."""
    files = data.files("runs")
    found = duckdb.sql("SELECT run FROM read_parquet($files)", params={"files": files}) if files else None
    return sorted(row[0] for row in found.fetchall()) if found is not None else []


def test_what_other_programs_read(tmp_path: Path) -> None:
    data = Dataset(str(tmp_path / "d"))
    assert not data.is_there
    decision = {
        "run": "a",
        "started_at": FIRST,
        "iteration": 1,
        "verdict": "EXIT",
        "alternatives": ["x: EXIT idle"],
    }
    assert data.append({"runs": [run("a"), run("b", None)], "decisions": [decision]}, key="one")
    folder = tmp_path / "d" / "runs"
    assert sorted(path.name for path in folder.iterdir()) == ["day=2025-12-01", "day=unknown"]
    by_duckdb = duckdb.sql(
        f"SELECT run, day, epoch(started_at), iterations FROM read_parquet('{folder}/**/*.parquet',"
        " hive_partitioning=true) ORDER BY run"
    ).fetchall()
    assert by_duckdb == [("a", "2025-12-01", FIRST, 3), ("b", "unknown", None, 3)]
    table = arrow_dataset.dataset(str(folder), partitioning="hive").to_table()
    assert table.num_rows == 2
    frame = polars.read_parquet(f"{folder}/**/*.parquet", hive_partitioning=True)
    assert frame.sort("run")["cost_usd"].to_list() == [0.5, 0.5]
    assert set(pandas.read_parquet(folder)["run"]) == {"a", "b"}
    (path,) = data.files("decisions")
    found = arrow_dataset.dataset(path)
    assert found.schema.metadata[b"exitgate"] == f"dataset {VERSION}".encode()
    assert found.to_table().to_pylist()[0]["alternatives"] == ["x: EXIT idle"]


def test_schema_says_what_columns_are() -> None:
    for table, columns in COLUMNS.items():
        schema = arrow_schema(table)
        assert schema.names == list(columns)
        assert all(field.metadata[b"doc"] for field in schema)


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        (FIRST, "2025-12-01"),
        (FIRST - 0.001, "2025-11-30"),
        (None, "unknown"),
        (1e300, "unknown"),
        ("x", "unknown"),
    ],
)
def test_days(instant: object, day: str) -> None:
    assert day_of(instant) == day


def test_the_same_key_is_appended_once(tmp_path: Path) -> None:
    data = Dataset(str(tmp_path))
    assert data.append({"runs": [run("a")]}, key="one")
    assert not data.append({"runs": [run("a")]}, key="one")
    assert not Dataset(str(tmp_path)).append({"runs": [run("other")]}, key="one")
    assert names(data) == ["a"]
    assert Dataset(str(tmp_path)).append({"runs": []}, key="empty")
    assert not data.append({"runs": []}, key="empty")


def test_a_row_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    data = Dataset(str(tmp_path))
    with pytest.raises(ValueError, match="colour"):
        data.append({"runs": [run("a", colour="red")]}, key="one")
    with pytest.raises(ValueError, match="walks"):
        data.append({"walks": []}, key="one")
    assert not data.is_there


@pytest.mark.parametrize("mark", [b'{"format": "exitgate-dataset", "version": 99}', b"{}", b"\xff", b"[]"])
def test_another_version_is_refused(tmp_path: Path, mark: bytes) -> None:
    (tmp_path / "exitgate-dataset.json").write_bytes(mark)
    with pytest.raises(ExitgateError) as caught:
        Dataset(str(tmp_path))
    assert caught.value.diagnostics[0].code == "EP880"


class KilledError(BaseException):
    """Instead of a kill: nothing behind it runs."""


class Dying:
    """A local place that dies before one of its writes."""

    def __init__(self, place: place_module.Place, left: int) -> None:
        self._place, self._left = place, left

    def __getattr__(self, name: str) -> object:
        return getattr(self._place, name)

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise KilledError

    def put(self, name: str, raw: bytes) -> None:
        self._step()
        self._place.put(name, raw)

    def remove(self, name: str) -> None:
        self._step()
        self._place.remove(name)


def dying(folder: Path, left: int) -> Dataset:
    data = Dataset(str(folder))
    data._place = Dying(data._place, left)  # type: ignore[assignment]
    return data


STEPS = st.lists(
    st.tuples(st.sampled_from(("append", "compact")), st.integers(0, 3), st.integers(0, 6)), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_killed_anywhere_nothing_is_lost_and_nothing_doubled(
    steps: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("dataset")
    whole: set[int] = set()
    for what, key, left in steps:
        data = dying(folder, left)
        try:
            if what == "append":
                data.append({"runs": [run(f"r{key}-{n}", n) for n in range(2)]}, key=str(key))
                whole.add(key)
            else:
                data.compact(2)
        except KilledError:
            pass
        counted = Counter(names(Dataset(str(folder))))
        assert all(count == 1 for count in counted.values())
        assert {f"r{key}-{n}" for key in whole for n in range(2)} <= counted.keys()
    data = Dataset(str(folder))
    for key in range(4):
        data.append({"runs": [run(f"r{key}-{n}", n) for n in range(2)]}, key=str(key))
    data.compact(2)
    assert names(data) == sorted(f"r{key}-{n}" for key in range(4) for n in range(2))
    assert len(data.files("runs")) == 2
    assert not [*(folder / "_compacting").iterdir()] if (folder / "_compacting").exists() else True


@pytest.mark.parametrize("left", range(6))
def test_a_compaction_that_was_killed_is_completed(tmp_path: Path, left: int) -> None:
    data = Dataset(str(tmp_path))
    for key in "abc":
        data.append({"runs": [run(key)]}, key=key)
    with contextlib.suppress(KilledError):
        dying(tmp_path, left).compact(2)
    assert names(data) == ["a", "b", "c"]
    data.compact(2)
    assert names(data) == ["a", "b", "c"]
    assert len(data.files("runs")) == 1
    assert len([*(tmp_path / "runs").rglob("*.parquet")]) == 1


def test_writers_beside_each_other_and_a_compaction(tmp_path: Path) -> None:
    def append(first: int) -> None:
        data = Dataset(str(tmp_path))
        for number in range(first, first + 12):
            data.append({"runs": [run(f"r{number % 16:02}")]}, key=str(number % 16))

    def compact() -> None:
        for _ in range(6):
            Dataset(str(tmp_path)).compact(2)

    workers = [threading.Thread(target=append, args=(first,)) for first in (0, 4, 8)]
    workers += [threading.Thread(target=compact) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert names(Dataset(str(tmp_path))) == sorted(f"r{number:02}" for number in range(16))


def test_a_store_that_fsspec_knows() -> None:
    url = "memory://fleet/dataset"
    data = Dataset(url)
    for key in "abc":
        assert data.append({"runs": [run(key)]}, key=key)
    assert not Dataset(url).append({"runs": [run("a")]}, key="a")
    assert data.compact(2) == 3
    (path,) = Dataset(url).files("runs")
    assert path.startswith("memory://fleet/dataset/runs/day=2025-12-01/joined-")
    with fsspec.open(path) as file:
        assert sorted(polars.read_parquet(file)["run"]) == ["a", "b", "c"]
    assert (
        json.loads(fsspec.filesystem("memory").cat("/fleet/dataset/exitgate-dataset.json"))["version"]
        == VERSION
    )


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    data = Dataset(str(tmp_path))
    assert data.append({"runs": [run("a")]}, key="\udcff")
    assert not data.append({"runs": [run("a")]}, key="\udcff")
