"""A loop that writes views: each check appends to a ledger, then the views are brought up to it."""

from __future__ import annotations

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.line import line_for
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.views.update import update

NOW = 1_800_000_000.0

POLICY = CompiledPolicy(
    name="sample", format=1, version="1.2.3", title="", digest="ab12", path="shipped:sample",
    parameters={}, extractions=(), derived=(), facts={}, conditions={}, rules=(), otherwise_message=(),
    exit_after_blind=None, unreadable={}, invariants=(), lookback=3,
)  # fmt: skip

VIEWS = {
    "exit_state": {
        "path": ".ralph/exit-state.json",
        "confidence": "confidence",
        "completion": "tasks.percent",
        "errors": "errors.count",
        "stagnation": "tasks.done",
    },
    "decision_log": {},
    "session": {"tasks": "tasks.done", "files": "git.files_changed", "commits": "git.commits"},
    "confidence_log": {"confidence": "confidence"},
}


class Loop:
    """A loop in `root`; its state is below it, as the default has it."""

    def __init__(self, root, views=VIEWS, run="loop#1"):
        self.root = str(root)
        self.state = str(root / ".ralph" / "exitgate")
        self.views = views
        self.run = run
        self.now = NOW
        self.iteration = 0
        self.warnings = ()

    def decide(self, verdict="CONTINUE", exit_class=None, message="", **facts):
        """Append one decision on these facts and update the views; `a__b` is the fact `a.b`."""
        self.iteration += 1
        self.now += 15
        piece = Evidence("response", 1, 1, 0, 5, "maybe", "word maybe, -10\x1b[31m\n")
        given = [
            Fact(name.replace("__", "."), value, (piece,) if name == "confidence" else ())
            for name, value in facts.items()
        ]
        decision = Decision(verdict, exit_class, "some_rule", "some_rule", message)
        return self.add(line_for(self.run, self.iteration, self.now, POLICY, given, decision))

    def add(self, line):
        """Append a line and update the views."""
        with Ledger(self.state) as ledger:
            written = ledger.append(line)
            self.warnings = update(self.root, self.state, self.views, {"limit": 7}, written)
        return written
