"""What policies made of a transcript, as rows of the dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.facts.text.words import encodable
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.replay.result import IterationRow, RecordedRun, RunResult
from exitgate.recordings.replay.transcript import ReplayedTranscript
from exitgate.recordings.scoring.labels import Label, Labels
from exitgate.recordings.scoring.scores import Stop, score

Row = dict[str, object]


class Writing(Struct, frozen=True):
    """
    How rows are written.

    Args:
        policies: By the names they go by.
        mask: Hides secrets.
        labels: Of people, or None.
        texts: Whether words of agents are written: reasons of decisions, and facts that are texts.
    """

    policies: Mapping[str, CompiledPolicy]
    mask: Mask
    labels: Labels | None = None
    texts: bool = False


def rows_of(walked: ReplayedTranscript, writing: Writing) -> dict[str, list[Row]]:
    """Return the rows of a transcript by table; runs have the ids that their reader gave them."""
    tables: dict[str, list[Row]] = {"runs": [], "iterations": [], "facts": [], "decisions": []}
    seen: set[str] = set()
    for result in walked.results:
        run = _of_run(result.run)
        if result.run.id not in seen:
            seen.add(result.run.id)
            tables["iterations"] += _iterations(result, run)
        own = _of_policy(result, writing)
        tables["runs"].append(_run(result, writing) | run | own)
        tables["decisions"] += (run | own | one for one in _decisions(result, writing))
        tables["facts"] += (run | one for one in _facts(result, writing))
    return {name: [_encodable(row) for row in rows] for name, rows in tables.items()}


def source_of(path: str) -> str:
    """Return what a transcript is known by wherever it is read from: its whole path, or its URL."""
    return path if "://" in path else os.path.abspath(path)


def _of_run(run: RecordedRun) -> Row:
    source = source_of(run.file)
    project = os.path.basename(os.path.dirname(source.rstrip("/")))
    return {"run": run.id, "source": source, "project": project or None, "started_at": run.started_at}


def _of_policy(result: RunResult, writing: Writing) -> Row:
    digest = writing.policies[result.policy].digest
    return {"policy": result.policy, "version": result.version, "digest": digest, "candidate": False}


def _run(result: RunResult, writing: Writing) -> Row:
    run, stop = result.run, result.stop
    row: Row = {
        "reader": run.reader, "ended_at": run.ended_at, "iterations": run.iterations, "cost_usd": run.cost,
        "tokens": run.tokens, "ended_as": run.how, "parent": run.parent, "iterations_after": result.after,
        "cost_usd_after": result.cost_after,
    }  # fmt: skip
    if stop is not None:
        row |= {
            "stop": stop.iteration, "class": stop.exit_class, "outcome": stop.outcome, "rule": stop.rule,
            "firm": stop.firm,
        }  # fmt: skip
    label = None if writing.labels is None else writing.labels.of(run.id)
    return row if label is None else row | _graded(result, label)


def _graded(result: RunResult, label: Label) -> Row:
    found = score(result.run.id, result.policy, label, _stop(result.stop), result.costs)
    return {
        "label_class": label.classes[0] if label.classes else None,
        "label_first": label.first,
        "label_last": label.last,
        "grade": found.kind,
        "waste": found.wasted,
        "cost_usd_waste": found.wasted_cost,
    }


def _stop(row: IterationRow | None) -> Stop | None:
    if row is None:
        return None
    assert row.exit_class is not None, "a stop without a class"
    return Stop(row.iteration, row.exit_class, row.outcome, row.rule, row.message, row.firm)


def _iterations(result: RunResult, run: Row) -> Iterator[Row]:
    rows = {row.iteration: row for row in result.rows}
    for number, cost in enumerate(result.costs, 1):
        row = rows.get(number)
        found: Row = {"iteration": number, "cost_usd": cost}
        if row is not None:
            found |= {"ended_at": row.ended_at, "tokens": row.tokens}
        yield run | found


def _decisions(result: RunResult, writing: Writing) -> Iterator[Row]:
    for row in result.rows:
        yield {
            "iteration": row.iteration, "verdict": row.verdict, "class": row.exit_class,
            "outcome": row.outcome, "rule": row.rule, "stage": row.stage, "firm": row.firm,
            "alternatives": list(row.alternatives),
            "message": writing.mask.mask(row.message) if writing.texts else None,
        }  # fmt: skip


def _facts(result: RunResult, writing: Writing) -> Iterator[Row]:
    policy = writing.policies[result.policy]
    for iteration, values in result.facts:
        for name, value in values:
            row: Row = {
                "policy": result.policy, "version": result.version, "iteration": iteration, "fact": name
            }  # fmt: skip
            if isinstance(value, Unknown):
                yield row | {"unknown": writing.mask.mask(value.reason)}
            elif isinstance(value, bool):
                yield row | {"truth": value}
            elif isinstance(value, int | float):
                yield row | {"number": float(value)}
            else:
                spec = policy.facts.get(name)
                told = writing.texts or (spec is not None and spec.type.kind == "enum")
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
                yield row | {"text": writing.mask.mask(text) if told else None}


def _encodable(row: Row) -> Row:
    return {name: encodable(value) if isinstance(value, str) else value for name, value in row.items()}
