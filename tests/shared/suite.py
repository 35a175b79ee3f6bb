"""What the suite runs of what there is, and what each test costs: see docs/contributing/tests.md."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from cases import ASKED, EVERY
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).parents[2]
#: Folders, files and functions that `--fast` leaves out, a line each.
LIST = ROOT / "tests" / "slow.txt"
#: Begins the line of what is slow and not left out.
KEPT = "!"
#: Written by each run of the whole suite: function -> seconds of the processor, all its cases together.
TIMES = ROOT / "build" / "test-times.json"
#: New objects before the garbage collector looks for circles among them, as in a process of the program.
OBJECTS = 100_000
#: Seconds of the processor from which on a function belongs in the list.
SLOW = 0.5
#: Examples of a property in the suite, and in `--fast`; `make soak` takes as many as there is time for.
EXAMPLES, FEW = 20, 15


def listed() -> set[str]:
    """Return the lines of the list without its comments."""
    lines = (line.partition("#")[0].strip() for line in LIST.read_text(encoding="utf-8").splitlines())
    return {line for line in lines if line and not line.startswith(KEPT)}


def function_of(test: str) -> str:
    """Return what a test's id says without its case: `tests/a/test_b.py::test_c`."""
    return test.partition("[")[0].partition("@")[0]


def covers(lines: set[str], function: str) -> bool:
    """Return whether a function is listed: itself, its file or a folder above."""
    file = function.partition("::")[0]
    return not lines.isdisjoint({function, file, *(f"{folder}/" for folder in map(str, Path(file).parents))})


def spent() -> float:
    """Return the seconds of the processor that this process and those it waited for have used."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


class Files(LoadFileScheduling):  # type: ignore[misc]
    """A file for a worker; files that are done are forgotten, since what is left is counted at every test."""

    def mark_test_complete(self, node: object, item_index: int, duration: float = 0) -> None:
        test = self.registered_collections[node][item_index]
        super().mark_test_complete(node, item_index, duration)
        work, file = self.assigned_work[node], self._split_scope(test)
        if all(work[file].values()):
            del work[file]


class Suite:
    """Chooses tests and bounds their examples, as the options say; counts what each function costs."""

    def __init__(self, config: pytest.Config) -> None:
        self._fast = bool(config.getoption("--fast"))
        self._list = listed()
        asked = config.getoption("--examples")
        self._examples = asked or (FEW if self._fast else EXAMPLES)
        self._more = asked is not None
        self._cost: Counter[str] = Counter()
        part = self._fast or config.option.keyword or config.option.collectonly or config.getoption("--case")
        self._whole = not part and config.args == config.getini("testpaths")

    def pytest_collection_finish(self) -> None:
        """Have the garbage collector look at what was collected no more: it stays until the end."""
        gc.set_threshold(OBJECTS, 10, 50)
        gc.enable()
        gc.collect()
        gc.freeze()

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if not self._fast:
            return None
        place = collection_path.relative_to(ROOT).as_posix() if collection_path.is_relative_to(ROOT) else ""
        return True if place in self._list or f"{place}/" in self._list else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        left_out = [one for one in items if self._fast and function_of(one.nodeid) in self._list]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [one for one in items if function_of(one.nodeid) not in self._list]
        # the dear files first: at the end no worker is left alone with one
        files = dict.fromkeys(one.nodeid.partition("::")[0] for one in items)
        cheap = {file: not self._dear(file) for file in files}
        items.sort(key=lambda one: cheap[one.nodeid.partition("::")[0]])
        for function in {getattr(one, "function", None) for one in items}:
            if getattr(function, "is_hypothesis_test", False):
                self._bound(function)

    def _dear(self, file: str) -> bool:
        return covers(self._list, file) or any(line.startswith(f"{file}::") for line in self._list)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: object) -> Files | None:
        return Files(config, log) if config.getoption("dist") == "loadfile" else None

    def _bound(self, function: object) -> None:
        """Give a property as many examples as asked for: of its own number at most, where nobody asked."""
        own = getattr(function, "_hypothesis_internal_use_settings", None) or settings()
        count = max(self._examples, own.max_examples) if self._more else min(self._examples, own.max_examples)
        function._hypothesis_internal_use_settings = settings(own, max_examples=count)  # type: ignore[attr-defined]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        before = spent()
        result = yield
        if nextitem is None or nextitem.path != item.path:
            # What a file leaves in caches stays, too: tests that collect look at what is theirs.
            gc.collect()
            gc.freeze()
        self._cost[function_of(item.nodeid)] += spent() - before  # type: ignore[assignment]
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["cost"] = dict(self._cost)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        self._cost.update(getattr(node, "workeroutput", {}).get("cost", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        whole = sum(self._cost.values())
        slow = [name for name, cost in self._cost.items() if cost > SLOW and not covers(self._list, name)]
        terminalreporter.write_line(
            f"{whole:.0f} s of the processor; {len(slow)} functions take more than {SLOW:g} s and are not"
            f" in tests/slow.txt: `make slow`"
        )
        if self._whole and self._cost:
            TIMES.parent.mkdir(exist_ok=True)
            found = {name: round(cost, 3) for name, cost in sorted(self._cost.items())}
            TIMES.write_text(json.dumps(found, indent=0), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("suite")
    group.addoption("--fast", action="store_true", help="leave out what tests/slow.txt lists; few examples")
    group.addoption("--every-case", action="store_true", help="also those that `some` leaves to the soak")
    group.addoption(
        "--case", action="append", default=[], help="of the cases of a test, those with this in their id"
    )
    group.addoption("--examples", type=int, help="of each property, where it has not more of its own")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected
    new = config.getoption("--examples") is not None or config.getoption("--hypothesis-seed") is not None
    # How long an example takes says how busy the machine is. The same ones in each run: a change is not
    # blamed for what new ones find; those draws the soak.
    settings.register_profile("suite", deadline=None, derandomize=not new)
    settings.load_profile("suite")
    if config.getoption("--examples") is None:
        # Constants of all modules that happen to be loaded: worth their time where there are many examples.
        providers._get_local_constants = lambda: providers._local_constants
    ASKED[:] = config.getoption("--case")
    EVERY[:] = [True] if config.getoption("--every-case") else []
    config.pluginmanager.register(Suite(config), "suite")
