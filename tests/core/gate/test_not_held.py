"""The lock is never held while a text is read or facts are extracted, and nothing is lost by that."""

from __future__ import annotations

import builtins
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import COMPILED
from patience import PATIENCE

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.gate import check, decision, observation
from exitgate.core.gate import new_run as new_run_module
from exitgate.core.gate.check import check as decide
from exitgate.core.gate.new_run import new_run
from exitgate.core.ledger import append
from exitgate.core.ledger.read import lines
from exitgate.core.ledger.verify import verify
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.observe import files
from exitgate.core.state import earlier
from exitgate.core.state.request import Request

POLICY = """policy: p
format: 1
version: 1.0.0
facts:
  same: {extract: similarity, from: response}
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
circuit:
  open: [{id: no_progress, when: errors.count > 100}]
  watch: errors.count > 50
  close: errors.count is 0
views: {exit_state: {}, decision_log: {}}
rules: []
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (folder / "policy.yaml").write_text(POLICY.replace("errors.count is 0", "errors.count == 0"))
    (folder / "fix_plan.md").write_text("- [ ] one\n")
    (folder / "r.md").write_text("Read the module.\n")
    return folder


def asking(**more: object) -> Request:
    return Request(**{"response": "r.md", "policy": "./policy.yaml", **more})  # type: ignore[arg-type]


def is_free(folder: Path) -> bool:
    """Return whether another could take the lock now."""
    lock = folder / ".ralph/exitgate/ledger.lock"
    if not lock.exists():
        return True
    file = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True


def test_no_file_outside_the_state_directory_is_read_under_the_lock(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[str] = set()
    opened, plain = os.open, builtins.open

    def look(path: object) -> None:
        if not isinstance(path, str | os.PathLike):
            return
        name = os.path.abspath(os.fspath(path))
        ours = (".ralph/", "policy.yaml")
        if name.startswith(f"{project}/") and not name.removeprefix(f"{project}/").startswith(ours):
            seen.add(os.path.basename(name))
            assert is_free(project), f"{name} is read under the lock"

    def looking(path: object, *rest: object, **more: object) -> int:
        if more.get("dir_fd") is None:
            look(path)
        return opened(path, *rest, **more)  # type: ignore[arg-type]

    def looking_too(path: object, *rest: object, **more: object) -> object:
        look(path)
        return plain(path, *rest, **more)  # type: ignore[call-overload]

    decide(asking())
    monkeypatch.setattr(os, "open", looking)
    monkeypatch.setattr(builtins, "open", looking_too)
    decide(asking())
    new_run(asking())
    decide(asking())
    assert {"r.md", "fix_plan.md"} <= seen


def test_nothing_is_extracted_decided_or_masked_under_the_lock(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = []

    def looking(inner: Callable[..., object]) -> Callable[..., object]:
        def looked(*arguments: object, **more: object) -> object:
            count.append(inner.__name__)
            assert is_free(project), inner.__name__
            return inner(*arguments, **more)

        return looked

    for module, names in (
        (check, ("masked",)),
        (check.Steps, ("extract",)),
        (observation, ("read_texts", "read_made", "reported", "without_stale")),
        (decision, ("masked",)),
        (new_run_module, ("read_texts", "read_made", "extract")),
        (earlier, ("recall", "comparable", "texts")),
        (Evaluation, ("observe", "decide")),
    ):
        for name in names:
            looked = looking(getattr(module, name))
            monkeypatch.setattr(module, name, staticmethod(looked) if module is check.Steps else looked)
    decide(asking())
    decide(asking())
    new_run(asking())
    assert set(count) >= {
        "read_texts",
        "read_made",
        "extract",
        "masked",
        "observe",
        "decide",
        "recall",
        "texts",
    }


def interrupting(monkeypatch: pytest.MonkeyPatch, between: Callable[[], object], times: int = 1) -> list[int]:
    """Have `between` happen while facts are extracted, so many times; return what counts extractions."""
    extract, seen = check.Steps.extract, []

    def interrupted(*arguments: object, **more: object) -> object:
        seen.append(len(seen))
        if len(seen) <= times:
            monkeypatch.setattr(check.Steps, "extract", staticmethod(extract))
            between()
            monkeypatch.setattr(check.Steps, "extract", staticmethod(interrupted))
        return extract(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(check.Steps, "extract", staticmethod(interrupted))
    return seen


def test_a_check_of_the_same_run_that_comes_between_makes_it_look_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(asking())
    inner = []
    seen = interrupting(monkeypatch, lambda: inner.append(decide(asking())))
    outer = decide(asking())
    assert (inner[0].iteration.number, outer.iteration.number, len(seen)) == (2, 3, 2)
    found = [line["iteration"] for line in lines(".ralph/exitgate") if line["kind"] == "decision"]
    assert found == [1, 2, 3]
    assert verify(".ralph/exitgate").whole


def test_a_check_of_another_run_that_comes_between_costs_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(asking())
    seen = interrupting(monkeypatch, lambda: decide(asking(run="neighbour")))
    assert decide(asking()).iteration.number == 2
    assert len(seen) == 1
    assert verify(".ralph/exitgate").whole


def test_what_was_torn_or_moved_meanwhile_is_seen(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = project / ".ralph/exitgate/ledger.jsonl"

    def tear() -> None:
        with ledger.open("ab") as file:
            file.write(b'{"torn')

    def replace() -> None:
        copy = ledger.read_bytes()
        ledger.unlink()
        ledger.write_bytes(copy)

    for number, between in enumerate((tear, replace), 2):
        decide(asking()) if number == 2 else None
        with monkeypatch.context() as patch:
            interrupting(patch, between)
            assert decide(asking()).iteration.number == number
    assert verify(".ralph/exitgate").whole


def test_standard_input_is_read_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decide(asking())
    all_of, reads = files.safe_files.all_of, [b"error: from a pipe\n"]
    monkeypatch.setattr(
        files.safe_files, "all_of", lambda file, limit: reads.pop() if file == 0 else all_of(file, limit)
    )
    interrupting(monkeypatch, lambda: decide(asking()))
    checked = decide(asking(response="-"))
    assert checked.iteration.number == 3
    assert checked.iteration.sources["response"].text == "error: from a pipe\n"


def test_one_that_is_overtaken_for_ever_gives_up(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(append, "WAIT", 0.0)
    monkeypatch.setattr(append.Ledger.__init__, "__defaults__", (0.0, None))
    decide(asking())
    seen = interrupting(monkeypatch, lambda: decide(asking()), times=1000)
    with pytest.raises(ExitgateError) as caught:
        decide(asking())
    assert caught.value.exit_code == 75
    assert "interfered 10 times" in caught.value.diagnostics[0].message
    assert len(seen) == 10


def test_checks_at_once_never_give_the_same_iteration(project: Path) -> None:
    script = (
        "from exitgate.core.gate.check import check\nfrom exitgate.core.state.request import Request\n"
        "for _ in range(5):\n"
        "    print(check(Request(response='r.md', policy='./policy.yaml')).iteration.number)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    decide(asking())
    running = [
        subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    told = [int(word) for one in running for word in one.communicate(timeout=PATIENCE)[0].split()]
    assert [one.returncode for one in running] == [0] * 4
    assert sorted(told) == list(range(2, 22))
    assert verify(".ralph/exitgate").whole
