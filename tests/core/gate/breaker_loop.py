"""A small loop for tests: a policy with a breaker, a plan, responses, a clock of its own."""

from __future__ import annotations

from pathlib import Path

from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger import read
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.state.request import Request

POLICY = """
policy: guarded
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
  progress: {extract: progress, signals: [tasks.done]}
circuit:
  open:
    - {id: no_progress, when: (not progress.made) for 4 consecutive iterations}
    - {id: same_error, when: errors.signature repeats 3 times}
  watch: (not progress.made) for 2 consecutive iterations
  close: progress.made
  cooldown: 30m
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "open: {circuit.reason}"}
  - {id: open_before, when: circuit.state is OPEN, exit: halted, stage: before_iteration, outcome: open}
  - {id: all_done, when: tasks.open == 0, exit: complete}
  - {id: watched, when: circuit.state is HALF_OPEN, warn: true, because: "half open: {circuit.reason}"}
"""

PLAIN = """
policy: plain
format: 1
version: 1.0.0
facts: {tasks: {extract: checklist, from: plan}}
rules: [{id: all_done, when: tasks.open == 0, exit: complete}]
"""

START = 1_800_000_000.0
MINUTE = 60.0


class Loop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = START
        self.number = 0
        self.policy = "guarded.yaml"
        (folder / ".ralph").mkdir()
        (folder / "guarded.yaml").write_text(POLICY)
        (folder / "plain.yaml").write_text(PLAIN)
        self.plan(0)

    def plan(self, done: int, total: int = 9) -> None:
        lines = [f"- [{'x' if n < done else ' '}] task {n}" for n in range(total)]
        (self.folder / ".ralph" / "@fix_plan.md").write_text("\n".join(lines))

    def respond(self, text: str) -> None:
        (self.folder / ".ralph" / "last-response.md").write_text(text)

    def ask(self, minutes: float = 1, **more: object) -> CheckResult:
        self.now += minutes * MINUTE
        more.setdefault("policy", self.policy)
        return check(Request(time=self.now, **more))  # type: ignore[arg-type]

    def iterate(self, done: int, minutes: float = 1, said: str = "", **more: object) -> CheckResult:
        """One iteration of the agent with so many tasks ticked at its end, and the check after it."""
        self.number += 1
        self.plan(done)
        self.respond(said or f"I worked on it, round {self.number}.")
        return self.ask(minutes, **more)

    def open_it(self) -> CheckResult:
        """Begin a run and let it stand still until the breaker opens."""
        self.ask()
        found = [self.iterate(0) for _ in range(4)]
        return found[-1]


def state(checked: CheckResult) -> str:
    return str(checked.facts["circuit.state"].value)


def lines(kind: str = "decision") -> list[dict[str, object]]:
    return [line for line in read.lines(STATE_DIR) if line["kind"] == kind]


def messages(checked: CheckResult) -> list[str]:
    return [warned.message for warned in checked.decision.warnings]
