from __future__ import annotations

from exitgate.core.ledger.line import line_for
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Evidence, Fact, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy

NOW = 1_800_000_000.0

POLICY = CompiledPolicy(
    name="sample", format=1, version="1.2.3", title="", digest="ab12", path="shipped:sample",
    parameters={}, extractions=(), derived=(), facts={}, conditions={}, rules=(), otherwise_message=(),
    exit_after_blind=None, unreadable={}, invariants=(), lookback=3,
)  # fmt: skip

GO_ON = Decision("CONTINUE", None, "otherwise", None, "")
STOP = Decision("EXIT", "complete", "all_done", "all_done", "all is done")


def plain(run="loop#1", iteration=1, **fields):
    """A line of the least size, for tests of the file rather than of its content."""
    return JsonObject(run=run, kind="decision", time=NOW + iteration, iteration=iteration, **fields)


def full(run="loop#1", iteration=1, decision=GO_ON, time=NOW):
    piece = Evidence("plan", 3, 3, 20, 40, "[ ] write \ud800 it", "open")
    facts = (
        Fact("tasks.done", 2, tuple([piece] * 9), note="2 of 3"),
        Fact("tasks.percent", Unknown("no task items in the plan", "tasks.percent")),
        Fact("status.tags", ("a", ("b", "c")), rejected=(piece,)),
        Fact("confidence", 72.5),
        Fact("git.changed", True),
    )
    sources = (Source("plan", text="- [ ] x \ud800", path="p.md"), Source("task", reason="no task was given"))
    return line_for(
        run, iteration, time, POLICY, facts, decision, totals=JsonObject({"cost": 1.5}), sources=sources
    )
