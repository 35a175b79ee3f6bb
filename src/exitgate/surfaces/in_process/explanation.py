"""Why a gate decided as it did: the text that `exitgate explain` prints, without colour."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.analysis.counterfactuals.outlook import outlook
from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.core.engine.program import Program
from exitgate.core.gate.result import CheckResult
from exitgate.core.observe.masking import covered
from exitgate.recordings.ledger.recall import Recalled, recall
from exitgate.report.decision.explanation import Explanation, rungs
from exitgate.report.decision.ladder import ladder_text
from exitgate.report.terminal import Style

WIDTH = 100


def explain(last: CheckResult | None, directory: str, name: str) -> str:
    """
    Return the explanation of a check that was made just now, else of the newest decision in the ledger.

    Args:
        last: The check. Its texts are quoted; of a decision in the ledger there is the evidence kept.
        directory: The state directory.
        name: Name of the run, for the ledger.

    Raises:
        ExitgateError: 66 when there is no decision, 74 when the ledger cannot be read.
    """
    if last is not None and not _is_repeated(last):
        texts = covered(last.iteration.sources, last.policy)
        return _text(last, last.iteration.run, last.iteration.number, texts)
    sequence = None if last is None or last.line is None else int(str(last.line["sequence"]))
    recalled = recall(directory, sequence, name)
    return _text(recalled, recalled.line.run, recalled.line.number, None)


def _is_repeated(last: CheckResult) -> bool:
    """Return whether the answer was in the ledger already: its line is of an earlier instant."""
    return last.line is not None and last.line["time"] != last.iteration.time


def _text(made: CheckResult | Recalled, run: str, number: int, texts: Mapping[str, str] | None) -> str:
    policy, decision, records = made.policy, made.decision, made.records
    program = Program(policy)
    ask_second_opinion(program, records, decision.stage)
    ladder = rungs(policy, decision, records)
    seen = outlook(program, records, decision, False)
    explained = Explanation(policy, decision, ladder, made.facts, run, number, texts, seen, False)
    return ladder_text(explained, Style(False, WIDTH))
