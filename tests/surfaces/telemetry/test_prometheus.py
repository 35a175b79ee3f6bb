"""The textfile: what it counts, and that Prometheus' own parser reads it whatever is in it."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import wait_for
from prometheus_client.parser import text_string_to_metric_families as parse
from telemetry_project import SECRET

from exitgate.core.ledger.typed import typed
from exitgate.surfaces.telemetry.probes import OTHER
from exitgate.surfaces.telemetry.prometheus_textfile import (
    FAMILIES,
    NAMES,
    RUNS,
    Sample,
    exposition,
    lines_of_others,
    samples_of,
    write_textfile,
)

if TYPE_CHECKING:
    from pathlib import Path

    from telemetry_project import Project

LABELS = st.text(st.characters(codec=None), max_size=12)
LEDGERS = st.sampled_from(["/a", "/a/b", '/q"', "/back\\", "/line\nend", "/\udcff", '/a",x="'])
VALUES = st.floats(allow_nan=False, allow_infinity=False, width=32)


def read(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return name and values of labels -> value, as Prometheus' parser understands a text."""
    found = {}
    for family in parse(text):
        assert family.documentation
        assert family.type in {"counter", "gauge", "histogram"}
        for one in family.samples:
            key = (one.name, tuple(one.labels.values()))
            assert key not in found
            found[key] = one.value
    return found


def a_line(run: str, number: int, verdict: str = "CONTINUE", **decision: object) -> dict[str, object]:
    made = {"verdict": verdict, "class": None, "outcome": "otherwise", "firm": True, "blind": False}
    return {
        "kind": "decision", "run": run, "iteration": number, "time": 1000.0 + number,
        "policy": {"name": "p"}, "decision": {**made, **decision},
        "totals": {"cost": 0.5 * number, "tokens": 10 * number, "elapsed": 2.5},
        "breaker": {"state": "HALF_OPEN"},
    }  # fmt: skip


def test_everything_that_the_ledger_says_is_there() -> None:
    lines = [
        {"kind": "run_start", "run": "a#1", "policy": {"name": "p"}},
        a_line("a#1", 1),
        a_line("a#1", 2, blind=True),
        a_line("b#1", 1, firm=False),
        {"kind": "breaker", "run": "(breaker)", "breaker": {"state": "OPEN"}},
        a_line("a#1", 3, "EXIT", **{"class": "stuck", "outcome": "stagnation"})
        | {"breaker": None, "probes": {"tests": {"status": "answered", "at": 1, "cost": 0.5}}},
        {"kind": "decision", "run": "a#1", "decision": "damaged"},
    ]
    found = read(exposition(samples_of(map(typed, lines), "/l"), {}))
    assert found["exitgate_decisions_total", ("/l", "p", "CONTINUE", "", "otherwise")] == 3
    assert found["exitgate_decisions_total", ("/l", "p", "EXIT", "stuck", "stagnation")] == 1
    assert found["exitgate_decisions_blind_total", ("/l", "p")] == 1
    assert found["exitgate_decisions_tentative_total", ("/l", "p")] == 1
    own = ("/l", "p", "a#1")
    assert found["exitgate_run_iterations", own] == 3
    assert found["exitgate_run_cost_dollars", own] == 1.5
    assert found["exitgate_run_tokens", own] == 30
    assert found["exitgate_run_elapsed_seconds", own] == 2.5
    assert found["exitgate_last_decision_timestamp_seconds", own] == 1003
    assert [found["exitgate_breaker_state", ("/l", one)] for one in ("CLOSED", "HALF_OPEN", "OPEN")] == [
        0,
        0,
        1,
    ]
    for family in FAMILIES:
        assert f"# TYPE {family} {FAMILIES[family][0]}\n" in exposition(
            samples_of(map(typed, lines), "/l"), {}
        )


def test_runs_with_samples_of_their_own_are_bounded_but_all_are_counted() -> None:
    lines = [a_line(f"r{n}#1", 1) for n in range(RUNS + 30)] + [a_line("r25#1", 2)]
    found = read(exposition(samples_of(map(typed, lines), "/l"), {}))
    runs = [labels[2] for name, labels in found if name == "exitgate_run_iterations"]
    assert len(runs) == RUNS
    assert {"r25#1", f"r{RUNS + 29}#1"} <= set(runs)
    assert found["exitgate_decisions_total", ("/l", "p", "CONTINUE", "", "otherwise")] == len(lines)


def answered(name: str, **answer: object) -> dict[str, object]:
    """Return the line of a decision that rests on one answer."""
    told = {"status": "answered", "passed": True, "seconds": 2.0, "at": 1000.5, "reason": SECRET, **answer}
    return a_line("a#1", 1) | {"probes": {name: told}}


def test_probes_are_counted_and_measured() -> None:
    lines = [
        answered("tests"),
        answered("tests", passed=False, seconds=40, cost=0.25),
        answered("tests", reused=2),
        answered("lint", status="late", passed=None, seconds=60),
        a_line("a#1", 2),
    ]
    text = exposition(samples_of(map(typed, lines), "/l"), {})
    found = read(text)
    assert found["exitgate_probes_total", ("/l", "tests", "answered", "true", "false")] == 1
    assert found["exitgate_probes_total", ("/l", "tests", "answered", "false", "false")] == 1
    assert found["exitgate_probes_total", ("/l", "tests", "answered", "true", "true")] == 1
    assert found["exitgate_probes_total", ("/l", "lint", "late", "", "false")] == 1
    took = "exitgate_probe_duration_seconds"
    assert (found[f"{took}_count", ("/l", "tests")], found[f"{took}_sum", ("/l", "tests")]) == (2, 42)
    buckets = [n for (name, labels), n in found.items() if name == f"{took}_bucket" and labels[1] == "tests"]
    assert buckets == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    assert found["exitgate_probe_cost_dollars_total", ("/l", "tests")] == 0.25
    assert SECRET not in text
    # Another ledger's writing keeps all of it.
    assert read(exposition((), lines_of_others(text, "/other"))) == found


def test_labels_of_probes_are_bounded_and_no_counter_falls() -> None:
    lines = [answered(f"p{n}", status=f"s{n}") for n in range(NAMES + 30)]
    before: dict[tuple[str, tuple[str, ...]], float] = {}
    for end in (5, NAMES, NAMES + 1, NAMES + 30):
        found = read(exposition(samples_of(map(typed, lines[:end]), "/l"), {}))
        assert all(found[key] >= value for key, value in before.items() if "probe" in key[0])
        before = found
    counts = {labels: n for (name, labels), n in before.items() if name == "exitgate_probes_total"}
    assert {labels[2] for labels in counts} == {OTHER}
    assert len(counts) == NAMES + 1
    assert counts["/l", OTHER, OTHER, "true", "false"] == 30


@each(
    "probes",
    [
        7,
        {"a": 7},
        {"a": {"at": "x", "seconds": 10**400, "cost": -1}},
        {'a\n"\x1b': {"at": 1e300, "passed": []}},
    ],
)
def test_answers_that_no_check_wrote_are_no_trouble(probes: object) -> None:
    found = read(exposition(samples_of([typed(a_line("a#1", 1) | {"probes": probes})], "/l"), {}))
    assert all(value < 10**15 for value in found.values())


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(LEDGERS, LABELS, VALUES), max_size=6), LEDGERS)
def test_any_label_is_read_as_one_and_kept_by_other_ledgers(
    made: list[tuple[str, str, float]], mine: str
) -> None:
    unlike = {(ledger, label): value for ledger, label, value in made if ledger != mine}
    text = ""
    for (ledger, label), value in unlike.items():
        # As processes write it one after the other, each with its own and what it found of others.
        own = [Sample("exitgate_run_tokens", (("ledger", ledger), ("run", label)), value)]
        before = {"exitgate_run_tokens": [line for line in text.split("\n") if line and line[0] != "#"]}
        text = exposition(own, before)
    before = read(text)
    assert sorted(before.values()) == sorted(unlike.values())
    after = exposition(
        [Sample("exitgate_run_tokens", (("ledger", mine), ("run", "x")), 7.0)], lines_of_others(text, mine)
    )
    assert read(after).items() >= before.items()
    assert len(read(after)) == len(before) + 1
    assert lines_of_others(after, mine) == lines_of_others(text, mine)


@each(
    "line",
    [
        "node_load1 3", 'other_total{ledger="/x"} 1', 'exitgate_run_tokens{ledger="/x} 1',
        'exitgate_run_tokens{ledger="/x"} 1 1700', 'exitgate_run_tokens{ledger="/x",9="a"} 1',
        'exitgate_run_tokens{ledger="/x"}1', 'exitgate_run_tokens{ledger="/x\\z"} 1',
        'exitgate_run_tokens{ledger="/x",} 1', 'exitgate_run_tokens{ledger="/x"} 1_0',
        'exitgate_run_tokens{ledger="/x"} nan', 'exitgate_run_tokens{ledger="/x"',
        'exitgate_run_tokens{run="/x",ledger="/y"} 1', 'exitgate_run_tokens{ledger="/x",=""} 1',
    ],
)  # fmt: skip
def test_a_line_that_exitgate_did_not_write_is_not_passed_on(line: str) -> None:
    assert lines_of_others(f"# HELP x y\n{line}\n", "/mine") == {}


def test_ledgers_and_processes_share_a_file(project: Project, tmp_path: Path) -> None:
    target = str(tmp_path / "node" / "loops.prom")
    os.mkdir(os.path.dirname(target))
    states = [str(tmp_path / name) for name in ("one", "two", "three")]
    for number, state in enumerate(states):
        for run in range(number + 1):
            project.decide(state_dir=state, run=f"run{run}")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda state: write_textfile(state, target), states * 5))
    text = (tmp_path / "node" / "loops.prom").read_text()
    found = read(text)
    counted = [found["exitgate_decisions_total", (s, "told", "CONTINUE", "", "otherwise")] for s in states]
    assert counted == [1, 2, 3]
    assert SECRET not in text
    assert os.listdir(tmp_path / "node") == ["loops.prom"]
    assert oct(os.stat(target).st_mode & 0o444) == "0o444"


def test_a_file_that_is_none_is_left_alone(project: Project, tmp_path: Path) -> None:
    project.decide()
    node = tmp_path / "node"
    node.mkdir()
    (tmp_path / "precious").write_text("mine")
    (node / "link.prom").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="it is a link"):
        write_textfile(str(project.state), str(node / "link.prom"))
    os.mkfifo(node / "pipe.prom")
    with pytest.raises(OSError, match="it is a pipe"):
        write_textfile(str(project.state), str(node / "pipe.prom"))
    assert (tmp_path / "precious").read_text() == "mine"
    # What a process left that was killed while it wrote is in nobody's way.
    (node / ".new.prom.part").write_text("half")
    write_textfile(str(project.state), str(node / "new.prom"))
    assert sorted(os.listdir(node)) == ["link.prom", "new.prom", "pipe.prom"]


def test_a_ledger_that_is_gone_goes_from_the_file(project: Project, tmp_path: Path) -> None:
    target = tmp_path / "loops.prom"
    gone, kept = tmp_path / 'a "temporary\\ one', tmp_path / "kept"
    for state in (gone, kept):
        project.decide(state_dir=str(state))
        write_textfile(str(state), str(target))
    assert len([key for key in read(target.read_text()) if key[0] == "exitgate_run_iterations"]) == 2
    shutil.rmtree(gone)
    write_textfile(str(kept), str(target))
    assert {labels[0] for _, labels in read(target.read_text())} == {str(kept)}


def test_a_check_writes_it_by_a_process_of_its_own(project: Project, tmp_path: Path) -> None:
    target = tmp_path / "loops.prom"
    assert project.check(EXITGATE_PROMETHEUS=str(target)).code == 0
    wait_for(target.exists, "the textfile")
    assert read(target.read_text())["exitgate_run_iterations", (str(project.state), "told", "default#1")] == 1
    assert not project.spool.exists()


def test_a_folder_that_is_not_there_is_an_incident(project: Project, tmp_path: Path) -> None:
    ran = project.check(EXITGATE_PROMETHEUS=str(tmp_path / "gone" / "loops.prom"))
    assert (ran.code, ran.err) == (0, "")
    assert project.incident().endswith("gone/loops.prom`: no such file or directory")
