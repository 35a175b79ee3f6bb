"""Loops to watch: real checks at made-up times, and what a watcher makes of them."""

from __future__ import annotations

from pathlib import Path

from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.state.request import Request
from exitgate.report.terminal import Style
from exitgate.surfaces.watch.render import plain, screen
from exitgate.surfaces.watch.watcher import Watcher

START = 1_770_000_000.0
MINUTE = 60.0


class Loop:
    """A loop in a folder: each `step` is one iteration, a minute after the one before."""

    def __init__(self, folder: Path, policy: str = "recommended", run: str | None = None) -> None:
        self.folder = folder
        self.policy = policy
        self.run = run
        self.time = START

    @property
    def state(self) -> str:
        return str(self.folder / ".ralph" / "exitgate")

    def step(self, response: str, done: int = 0, of: int = 6, **more: object) -> CheckResult:
        """Decide on an iteration in which the agent said `response` and `done` of `of` tasks are ticked."""
        self.time += MINUTE
        plan = "".join(f"- [{'x' if n < done else ' '}] task {n}\n" for n in range(of))
        given: dict[str, object] = {
            "root": str(self.folder), "policy": self.policy, "run": self.run, "time": self.time,
            "texts": {"response": response, "plan": plan}, **more,
        }  # fmt: skip
        return check(Request(**given))  # type: ignore[arg-type]


def shown(state: str, now: float, width: int = 80, height: int | None = None, run: str | None = None) -> str:
    """Return the view of a first look at a state directory."""
    watcher = Watcher(state, run)
    watcher.look()
    return plain(screen(watcher.view(now), Style(False, width), height))
