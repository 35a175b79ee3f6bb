"""Processes take turns; what is reported are medians of ratios of processor time within each round."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from statistics import median

QUIET = tuple((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2))


class Run:
    """
    A command that is started anew each time.

    Args:
        name: For the table.
        words: The command line; the first one is a path.
        before: Called before each start, outside the time.
        codes: Exit codes that mean it did its work.
        environment: In the place of this process's own.
    """

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        before: Callable[[], object] = lambda: None,
        codes: Sequence[int] = (0,),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.name = name
        self.words = list(words)
        self.before = before
        self.codes = codes
        self.environment = dict(os.environ) if environment is None else environment

    def cpu(self) -> float:
        """
        Start it, wait for its end, and return its user and system seconds, children included.

        Where orphans come to this process (`take_orphans`), they are waited for and counted, too.
        """
        self.before()
        process = os.posix_spawn(self.words[0], self.words, self.environment, file_actions=QUIET)
        _, status, usage = os.wait4(process, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in self.codes:
            raise RuntimeError(f"{self.name}: {' '.join(self.words)} ended with {code}")
        return usage.ru_utime + usage.ru_stime + _orphans()


def take_orphans() -> None:
    """Have processes that outlive their parents become children of this one. Raises OSError."""
    import ctypes

    child_subreaper = 36  # PR_SET_CHILD_SUBREAPER of Linux
    if ctypes.CDLL(None, use_errno=True).prctl(child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "orphans cannot be counted")


def _orphans() -> float:
    """Return the seconds of all other children, which are waited for."""
    spent = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return spent
        spent += usage.ru_utime + usage.ru_stime


def race(runs: Sequence[Run], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each run, by name, a list of rounds; each round starts at another one."""
    spent: dict[str, list[float]] = {run.name: [] for run in runs}
    for run in runs:
        run.cpu()  # byte code, file cache, the cache of policies
    for turn in range(rounds):
        for step in range(len(runs)):
            run = runs[(turn + step) % len(runs)]
            spent[run.name].append(run.cpu())
    return spent


def ratio(spent: dict[str, list[float]], name: str, over: str) -> float:
    """Return the median over the rounds of one run's time over another's."""
    return median(a / b for a, b in zip(spent[name], spent[over], strict=True))


def middle(spent: dict[str, list[float]], name: str) -> float:
    """Return the median of a run's seconds."""
    return median(spent[name])
