"""The runs as they were read once, when the studio began: rows, pages and policies to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from exitgate import __version__
from exitgate.core.model.decision import EXIT
from exitgate.core.policy import shipped
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.system import safe_files
from exitgate.recordings.page.assemble import mask_of, text_limit
from exitgate.recordings.page.cells import SIGNS
from exitgate.recordings.page.render import fragment
from exitgate.recordings.page.run import run_view
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.result import IterationRow, RunResult
from exitgate.recordings.scoring.labels import Label, Labels, matched
from exitgate.report.policy.description import effect_text
from exitgate.report.wording import value_text
from exitgate.surfaces.studio.http.app import Api
from exitgate.surfaces.studio.http.events import Events

#: Class of an exit -> its letter in a strip.
LETTERS = {
    "complete": "c", "idle": "i", "blocked": "b", "review": "r", "stuck": "s", "halted": "h",
    "exhausted": "l", "wait": "w", "failed": "f", "undetermined": "u", "interrupted": "n",
}  # fmt: skip
#: Bytes of a policy's text that are shown.
LARGEST = 1 << 20


class OneReading:
    """
    What the studio shows of some recorded runs.

    Args:
        paths: Files, folders, globs.
        policies: By the names they go by.
        labels: Where the runs should have stopped, or None.
        reader: Id of the reader, or None to tell it by the content.

    Raises:
        ExitgateError: 64 for a reader that does not exist, 65 for labels that fit no run.
    """

    def __init__(
        self,
        paths: Sequence[str],
        policies: Mapping[str, CompiledPolicy],
        labels: Labels | None,
        reader: str | None,
    ) -> None:
        found = dry_run(paths, dict(policies), reader=reader, to_the_end=True, keep=True)
        groups: dict[str, list[RunResult]] = {}
        for result in found.results:
            if result.rows:
                groups.setdefault(result.run.id, []).append(result)
        self._runs = list(groups.values())
        lengths = {one[0].run.id: one[0].run.iterations for one in self._runs}
        self._marks = {} if labels is None else matched(labels, lengths)
        self._policies = dict(policies)
        self._labels = labels
        self._mask = mask_of(policies.values())
        self._notes = [*found.notes, *map(str, (*found.unread, *found.problems))]
        self._page = lru_cache(64)(self._render)

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self._runs)

    def api(self, events: Events, *, read_only: bool) -> Api:
        """Return what a page can ask of it."""
        reads = {
            "state": lambda *_: self._state(read_only),
            "runs": lambda *_: self._rows(),
            "policy": lambda name, _: self._policy(name),
        }
        return Api(reads, self._fragment, {}, events)

    def _state(self, read_only: bool) -> object:
        return {
            "version": __version__, "read_only": read_only, "static": False, "project": "", "revision": 1,
            "policies": [
                {"name": name, "title": one.title, "version": one.version, "draft": False}
                for name, one in self._policies.items()
            ],
            "labels": None if self._labels is None else {"path": self._labels.file, "people": []},
            "runs": len(self._runs), "loading": None, "notes": [self._mask.mask(one) for one in self._notes],
        }  # fmt: skip

    def _rows(self) -> object:
        rows = [self._row(n, one) for n, one in enumerate(self._runs, 1)]
        return {"revision": 1, "policies": list(self._policies), "rows": rows}

    def _row(self, n: int, results: Sequence[RunResult]) -> dict[str, object]:
        run = results[0].run
        label = self._marks.get(run.id)
        took = None if run.ended_at is None or run.started_at is None else run.ended_at - run.started_at
        stops = [None if one.stop is None else one.stop.iteration for one in results]
        graded = [_graded(one, label) for one in results]
        return {
            "n": n, "id": run.id, "title": self._mask.mask(run.title), "file": run.file, "reader": run.reader,
            "iterations": run.iterations, "cost": run.cost, "tokens": run.tokens, "began": run.started_at,
            "took": took, "how": run.how, "parent": run.parent, "live": False, "read": False,
            "label": _label(label), "strips": [_strip(one) for one in results],
            "stops": [self._stop(one.stop) for one in results], "grades": [grade for grade, _ in graded],
            "waste": [waste for _, waste in graded], "parted": len(set(stops)) > 1,
        }  # fmt: skip

    def _stop(self, row: IterationRow | None) -> object:
        if row is None:
            return None
        return {
            "at": row.iteration, "class": row.exit_class, "rule": row.rule, "outcome": row.outcome,
            "message": self._mask.mask(row.message),
        }  # fmt: skip

    def _fragment(self, n: int) -> str | None:
        return self._page(n) if 0 < n <= len(self._runs) else None

    def _render(self, n: int) -> str:
        results = self._runs[n - 1]
        label = self._marks.get(results[0].run.id)
        run = run_view(n, results, self._policies, label, self._mask, text_limit(1))
        return fragment(run, tuple(SIGNS.items()))

    def _policy(self, name: str) -> object:
        policy = self._policies.get(name)
        if policy is None:
            return None
        return {
            "name": name, "path": policy.path, "text": _text(policy.path),
            "parameters": [
                {"name": one.name, "value": value_text(one.value, one.type), "doc": one.doc}
                for one in policy.parameters.values()
            ],
            "rules": [
                {"id": rule.id, "effect": effect_text(rule), "when": rule.text} for rule in policy.rules
            ],
        }  # fmt: skip


def _strip(result: RunResult) -> str:
    letters = {
        row.iteration: LETTERS.get(row.exit_class or "", "x") if row.verdict == EXIT else "."
        for row in result.rows
    }
    return "".join(letters.get(at, "-") for at in range(1, result.run.iterations + 1))


def _label(label: Label | None) -> object:
    if label is None:
        return None
    return {
        "text": label.stop, "first": label.first, "last": label.last, "never": label.never,
        "classes": list(label.classes), "note": label.note, "by": None,
    }  # fmt: skip


def _graded(result: RunResult, label: Label | None) -> tuple[str | None, tuple[int, float | None] | None]:
    """Return how a stop is to the label, and the iterations and USD behind the last right one."""
    if label is None:
        return None, None
    stop = None if result.stop is None else result.stop.iteration
    if label.never:
        return ("right", (0, None)) if stop is None else ("premature", (0, None))
    first, last = label.first or 0, label.last or 0
    end = result.run.iterations if stop is None else stop
    known = [cost for cost in result.costs[last:end] if cost is not None]
    waste = (max(0, end - last), sum(known) if known else None)
    grade = "missed" if stop is None else "premature" if stop < first else "right" if stop <= last else "late"
    return grade, waste


def _text(path: str) -> str:
    """Return the text of a policy's file; why it cannot be read, as a comment."""
    kind, _, name = path.partition(":")
    if kind == "shipped":
        path = str(shipped.path(name))
    try:
        return safe_files.content(path, LARGEST, links=True).decode("utf-8", "replace")
    except OSError as error:
        return f"# {path}: {error.strerror}\n"
