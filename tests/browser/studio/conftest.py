"""Studios that the browser opens: a server of our own, in a thread, with made-up runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import PATIENCE

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

from studio_pages import EXAMPLES, Studio, whole_runs  # noqa: E402  # the tests share it
from synthetic_runs import synthetic  # noqa: E402


@pytest.fixture(scope="session")
def fragments() -> dict[int, str]:
    """The pages of the example runs, by their numbers."""
    return whole_runs()


@pytest.fixture
def studio(fragments: dict[int, str]) -> Iterator[Callable[..., Studio]]:
    """Give a function that starts a studio with so many runs."""
    started: list[Studio] = []

    def start(count: int = 50, **given: object) -> Studio:
        started.append(Studio(synthetic(count), fragments, **given))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Give the address that the program prints: a studio on the example runs."""
    words = ["-p", "bb3", "-p", "recommended", "-l", str(EXAMPLES / "labels.yaml"), "--no-open"]
    command = [sys.executable, "-m", "exitgate", "studio", str(EXAMPLES), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield process.stdout.readline().strip()
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
            assert "error" not in process.stderr.read()
        finally:
            process.kill()
