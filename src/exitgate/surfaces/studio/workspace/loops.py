"""What the page shows of a run that is going on: the last verdicts with their reasons, budgets, probes."""

from __future__ import annotations

import os
import threading

from exitgate.core.engine.chain import compile_message
from exitgate.core.engine.record import Record
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.display import shown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.surfaces.studio.workspace.column import Column, NotReadError
from exitgate.surfaces.studio.workspace.rows import RunLine
from exitgate.surfaces.studio.workspace.workspace import Workspace
from exitgate.surfaces.watch.assessment import budgets
from exitgate.surfaces.watch.render import Section
from exitgate.surfaces.watch.view import seems_gone
from exitgate.surfaces.watch.watcher import Watcher

_STATE = "circuit.state"
#: Role of a row that says nothing in particular.
_QUIET = "quiet"
#: Sections of the view of `exitgate watch` that say more than the page has from the transcript.
_SECTIONS = frozenset(
    ("trouble", "says", "probes", "used", "breaker", "warning", "pending", "next", "advice")
)


def loop_json(workspace: Workspace, line: RunLine) -> dict[str, object]:
    """Return the last decision of each policy on a run, as JSON."""
    mask = workspace.mask
    found = [_decided(column, line, mask) for column in workspace.columns.values()]
    return {"n": line.n, "policies": found}


def _decided(column: Column, line: RunLine, mask: Mask) -> dict[str, object]:
    length = line.run.iterations
    try:
        verdicts, record = column.verdicts(line.n - 1), column.record(line.n - 1, length - 1)
    except NotReadError:  # a draft for which the run is read by now
        verdicts = record = None
    if verdicts is None or record is None:
        return {"name": column.name, "verdict": None, "budgets": [], "breaker": None}
    policy, last = column.settled.policy, verdicts.at(length)
    verdict = {
        "class": last.exit_class, "rule": last.rule, "outcome": last.outcome,
        "message": mask.mask(_reason(policy, last.rule, record)),
    }  # fmt: skip
    breaker = record.get(_STATE)
    return {
        "name": column.name, "verdict": verdict, "budgets": _budgets(policy, record),
        "breaker": breaker if isinstance(breaker, str) else None,
    }  # fmt: skip


def _reason(policy: CompiledPolicy, rule: str | None, record: Record) -> str:
    template = next((one.because for one in policy.rules if one.id == rule), policy.otherwise_message)
    return compile_message(template, policy)((record,))


def _budgets(policy: CompiledPolicy, record: Record) -> list[dict[str, object]]:
    return [
        {
            "fact": one.fact, "used": shown(one.value, one.type), "most": shown(one.limit, one.type),
            "share": one.share, "setter": one.setter,
        }
        for one in budgets(policy, (record,))
    ]  # fmt: skip


class LedgerLoops:
    """The ledgers among the transcripts, each read on as `exitgate watch` reads it."""

    def __init__(self) -> None:
        self._watchers: dict[str, Watcher] = {}
        #: A look comes from one thread, a page's question from another.
        self._lock = threading.Lock()

    def open_run(self, path: str, now: float) -> str | None:
        """Return the id of the newest run of a ledger, None where it has ended or seems to be gone."""
        with self._lock:
            sight = self._looked(path).sight
        if sight.run is None or sight.over or seems_gone(sight, now):
            return None
        return sight.run

    def sections(self, line: RunLine, now: float, mask: Mask) -> list[dict[str, object]]:
        """Return what the ledger says of a run beside its decisions, nothing for another transcript."""
        with self._lock:
            watcher = self._watchers.get(line.path)
            if watcher is None or watcher.sight.run != line.run.id:
                return []
            view = watcher.view(now)
        # The page itself counts the seconds since the last line.
        pulse = [] if view.pulse.role == _QUIET else [Section("now", (view.pulse,))]
        shown = [*pulse, *(section for section in view.sections if section.label in _SECTIONS)]
        return [
            {
                "label": section.label,
                "rows": [{"text": mask.mask(row.text), "role": row.role} for row in section.rows],
            }
            for section in shown
        ]

    def _looked(self, path: str) -> Watcher:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        watcher = self._watchers.setdefault(path, Watcher(folder, None))
        watcher.look()
        while watcher.more:
            watcher.look()
        return watcher
