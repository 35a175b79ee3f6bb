"""`dry-run --dataset`: what is in it is what the dry run found, once, and nothing that is secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from cli_program import Ran, run
from judged_loops import loop, policy

from exitgate.core.policy.compile import load_policy
from exitgate.fleet.dataset import writer as writer_module
from exitgate.fleet.dataset.schema import COLUMNS, KEYS
from exitgate.fleet.dataset.store import Dataset
from exitgate.recordings.replay.dry_run import dry_run

EXAMPLES = Path(__file__).parents[3] / "examples" / "transcripts"
LABELS = str(EXAMPLES / "labels.yaml")


def rows(target: Path, table: str, columns: str = "*", order: str = "ALL") -> list[tuple[Any, ...]]:
    files = Dataset(str(target)).files(table)
    if not files:
        return []
    asked = f"SELECT {columns} FROM read_parquet($files) ORDER BY {order}"
    return duckdb.sql(asked, params={"files": files}).fetchall()


def written(target: Path, *words: str, cwd: Path = EXAMPLES) -> Ran:
    return run("dry-run", ".", *words, "--dataset", str(target), cwd=cwd)


def test_it_holds_what_the_dry_run_found(tmp_path: Path) -> None:
    ran = written(tmp_path, "-p", "recommended", "-p", "bb3", "--facts", "--expect", LABELS)
    assert ran.code == 69
    assert f"note: added 10 runs to {tmp_path}\n" in ran.err
    found = dry_run([str(EXAMPLES)], ("recommended", "bb3"), keep=True)
    tables = found.tables()
    stops = [
        (one["run"], one["policy"], one["version"], one["stop"], one["class"], one["outcome"], one["rule"])
        for one in tables["stops"]
    ]
    mine = rows(tmp_path, "runs", "run, policy, version, stop, class, outcome, rule")
    assert mine == sorted(stops, key=str)
    decided = [(one["run"], one["policy"], one["iteration"], one["verdict"]) for one in tables["decisions"]]
    assert rows(tmp_path, "decisions", "run, policy, iteration, verdict") == sorted(decided, key=str)
    costs = {(r.id, n): cost for x in found.results for r in [x.run] for n, cost in enumerate(x.costs, 1)}
    assert rows(tmp_path, "iterations", "run, iteration, cost_usd") == sorted(
        (*k, v) for k, v in costs.items()
    )
    facts = {(one["run"], one["policy"], one["iteration"], one["fact"]) for one in tables["facts"]}
    assert set(rows(tmp_path, "facts", "run, policy, iteration, fact")) == facts
    grades = {(run, name): grade for run, name, grade in rows(tmp_path, "runs", "run, policy, grade")}
    assert set(grades.values()) == {"right", "late", "premature"}
    for table, keys in KEYS.items():
        names = ", ".join(keys)
        assert rows(tmp_path, table, f"count(*) - count(DISTINCT ({names}))", "1") == [(0,)]


def test_values_of_facts_have_their_types(tmp_path: Path) -> None:
    written(tmp_path, "-p", "bb3", "--facts")
    policy = load_policy("bb3")
    kinds: dict[str, set[str]] = {}
    for fact, *values in rows(tmp_path, "facts", "fact, truth, number, text, unknown"):
        for kind, value in zip(("truth", "number", "text", "unknown"), values, strict=True):
            if value is not None:
                kinds.setdefault(fact, set()).add(kind)
    assert kinds["tasks.done"] <= {"number", "unknown"}
    assert "number" in kinds["tasks.done"]
    for fact, found in kinds.items():
        assert "text" not in found or policy.facts[fact].type.kind == "enum", "words of agents"


def test_the_same_runs_are_added_once_and_grown_ones_again(tmp_path: Path) -> None:
    target, runs = tmp_path / "fleet", tmp_path / "runs"
    loop(runs, "one", ["unsure", "likely"])
    name = policy(tmp_path)
    first = written(target, "-p", name, cwd=runs)
    again = written(target, "-p", name, cwd=runs)
    assert "note: added 1 run to" in first.err
    assert ", 1 of them were there already" in again.err
    assert rows(target, "runs", "iterations") == [(2,)]
    loop(tmp_path / "more", "one", ["unsure", "likely", "certain"])
    for path in (tmp_path / "more" / "one").rglob("*"):
        if path.is_file():
            (runs / "one" / path.name).write_bytes(path.read_bytes())
    written(target, "-p", name, cwd=runs)
    newest = rows(target, "runs", "iterations, written_at", "written_at")
    assert [count for count, _ in newest] == [2, 3]


def test_many_transcripts_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    written(whole, "-p", "recommended")
    monkeypatch.setattr(writer_module, "MANY", 1)
    written(parts, "-p", "recommended")
    assert len([*parts.glob("_appended/*")]) == 5
    assert len([*whole.glob("_appended/*")]) == 1
    for table in COLUMNS:
        names = ", ".join(name for name in COLUMNS[table] if name != "written_at")
        assert rows(whole, table, names) == rows(parts, table, names)


def test_words_of_agents_and_secrets(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    runs = tmp_path / "runs"
    runs.mkdir()
    said = f"All tasks are complete. I am sure: {secret}"
    lines = [json.dumps({"iteration": n, "response": said}) for n in (1, 2, 3)]
    (runs / "one.jsonl").write_text("\n".join(lines) + "\n")
    for texts in ((), ("--texts",)):
        target = tmp_path / f"fleet{len(texts)}"
        written(target, "-p", "recommended", "--facts", *texts, cwd=runs)
        raw = str([rows(target, table) for table in COLUMNS])
        assert secret not in raw
        assert ("tasks are complete" in raw.lower()) <= bool(texts)
        messages = {one for (one,) in rows(target, "decisions", "message")}
        assert (messages == {None}) is not bool(texts)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--facts",), 64, "`--facts` is for a dataset"),
        (("--texts",), 64, "`--texts` is for a dataset"),
        (("--dataset", "inside"), 64, "is inside `.`, which is read"),
        (("--dataset", "nowhere://x"), 73, "cannot write the dataset `nowhere://x`"),
    ],
)
def test_what_cannot_be(tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    loop(tmp_path, "one", ["unsure"])
    ran = run("dry-run", ".", "-p", policy(tmp_path), *words, cwd=tmp_path)
    assert ran.code == code
    assert said in " ".join(ran.err.split())


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = written(tmp_path / "file" / "fleet", "-p", "recommended")
    assert ran.code == 73
    assert "EP880" in ran.err
