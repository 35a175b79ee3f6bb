"""Processes of a pool: what they do, raise and survive, and that none is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pool_work as work
import pytest
from patience import wait_for

from exitgate.core.system.pool import DiedError, Pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(2, work.begin, "ready")
    yield made
    made.close(at_once=True)


def test_each_process_begins_once_and_what_it_prints_is_no_answer(pool: Pool) -> None:
    futures = [pool.submit(work.begun, number) for number in range(8)]
    found = [one.result() for one in futures]
    assert [(begun, number) for begun, number, _ in found] == [(["ready"], number) for number in range(8)]
    assert len({process for _, _, process in found}) <= 2
    assert os.getpid() not in {process for _, _, process in found}


def test_what_a_function_raises_is_raised_here(pool: Pool) -> None:
    with pytest.raises(LookupError, match="of no use"):
        pool.submit(work.fail, "of no use").result()
    with pytest.raises(Exception, match="pickle"):
        pool.submit(work.not_pickled).result()
    assert pool.submit(work.begun, 1).result()[1] == 1


def test_a_process_that_dies_takes_nothing_with_it(pool: Pool) -> None:
    futures = [
        pool.submit(work.die if number == 3 else work.begun, *[number][: number != 3]) for number in range(7)
    ]
    died = [number for number, one in enumerate(futures) if isinstance(one.exception(), DiedError)]
    assert died == [3]


def test_a_process_goes_on_after_ctrl_c(pool: Pool) -> None:
    assert pool.submit(work.interrupted).result() == "went on"


def test_a_beginning_that_fails_is_told() -> None:
    pool = Pool(1, work.fail_to_begin)
    with pytest.raises(ValueError, match="cannot begin"):
        pool.submit(work.begun, 1).result()
    pool.close()


@pytest.mark.parametrize("at_once", [True, False])
def test_no_process_is_left(at_once: bool) -> None:
    pool = Pool(2, work.begin, "x")
    processes = {pool.submit(work.begun, number).result()[2] for number in range(3)}
    waiting = pool.submit(work.wait) if at_once else None
    if waiting is not None:
        wait_for(waiting.running)
    pool.close(at_once)
    assert not any(Path(f"/proc/{process}").exists() for process in processes)
    if waiting is not None:
        assert isinstance(waiting.exception(), DiedError)


def test_where_a_process_looks_for_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path, str(tmp_path)])
    monkeypatch.setenv("PYTHONPATH", "")
    pool = Pool(1, work.begin, "x")
    path, folder, variables = pool.submit(work.places).result()
    pool.close()
    assert folder == str(tmp_path)
    assert not {"", ".", str(tmp_path)} & set(path)
    assert variables["PYTHONSAFEPATH"] == "1"
    assert "PYTHONSAFEPATH" not in os.environ
