"""
Of recorded runs that claim completion, how many show a passing run of their own tests.

    python benchmarks/claims.py --corpus FOLDER [--verbose]

Reads every transcript below the folder. A run claims completion where `recommended` finds a phrase of
completion, a claim or a signal in the last iteration that has a response. A run of tests is a call of the
agent whose command has the words of a test runner (`RUNNERS`). What it came to is what the runner printed,
as the extractor `tests` reads it, else its exit status, else its error mark; behind a pipe the status is
another program's, and does not count. The last such call of the run counts. Prints a row for each format:
runs, those that claim, and of these: single calls are not recorded, no run of tests is among them, the last
one failed or does not say, it passed but a file was written behind it, it passed and nothing was. What a
shell command writes is not seen.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import unread_facts
from exitgate.core.envelopes.edits import commands_of, written_by
from exitgate.core.facts.registry import load
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import object_of
from exitgate.core.policy.cache import recall_policy
from exitgate.recordings.discovery import parts_of, readable
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.recordings.unread import Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.discovery import Found
    from exitgate.recordings.model import RecordedIteration, ToolCall

POLICY = "recommended"
CLAIMS = ("claimed", "signalled")
#: Fact: the agent says that its task, or all, is done.
PHRASE = "completion.found"
RUNNERS = re.compile(
    r"\b(pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|bats|playwright test"
    r"|go test|cargo (nextest|test)|(mvn|mvnw|gradle|gradlew|dotnet|swift|mix|deno|bun|sbt|flutter|dart) test"
    r"|run test|(npm|pnpm|yarn) (test|t)|(make|just|task|rake) (test|check)\w*"
    r"|runtests\.py|manage\.py test)(?!\w)"
)
_PIPED = re.compile(r"(?<!\|)\|(?!\|)")
COLUMNS = ("runs", "claim", "no calls", "no tests", "failed", "not said", "passed, then edits", "passed last")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="claims of completion beside runs of tests")
    parser.add_argument("--corpus", required=True, type=Path)
    parser.add_argument("--verbose", action="store_true", help="name each run that claims")
    arguments = parser.parse_args()
    policy = recall_policy(POLICY).policy
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    unread = Unread()
    for found in readable([str(arguments.corpus)], None, unread):
        for run, kind in _runs(found, policy, unread):
            row = counts[str(found.reader)]
            row["runs"] += 1
            if kind:
                row["claim"] += 1
                row[kind] += 1
                if arguments.verbose:
                    print(f"{found.reader}: {run}: {kind}")
    print("| format | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---:|" * len(COLUMNS))
    for name, row in sorted(counts.items()):
        print(f"| {name} | " + " | ".join(str(row[key]) for key in COLUMNS) + " |")
    total = sum(counts.values(), Counter())
    print("| all | " + " | ".join(str(total[key]) for key in COLUMNS) + " |")
    return 0


def _runs(found: Found, policy: CompiledPolicy, unread: Unread) -> Iterator[tuple[str, str]]:
    """Yield each run of a transcript with the column that it belongs to, the empty text for no claim."""
    begin: Begin | None = None
    iterations: list[RecordedIteration] = []
    for part in parts_of(found, unread):
        if isinstance(part, Begin):
            begin, iterations = part, []
        elif isinstance(part, End):
            assert begin is not None
            if begin.parent is None:
                yield f"{found.place.path} {begin.id}", _kind(begin, iterations, policy)
        elif not isinstance(part, Problem):
            iterations.append(part)


def _kind(begin: Begin, iterations: Sequence[RecordedIteration], policy: CompiledPolicy) -> str:
    if not _claims(begin, iterations, policy):
        return ""
    calls = [call for one in iterations for call in one.tool_calls or () if call.own]
    if not calls:
        return "no calls"
    last = ""
    for call in calls:
        command = commands_of(object_of(call.input))
        if command is not None and RUNNERS.search(command):
            passed = _passed(call, command)
            last = "not said" if passed is None else "passed last" if passed else "failed"
        elif last == "passed last" and written_by(call.input):
            last = "passed, then edits"
    return last or "no tests"


def _passed(call: ToolCall, command: str) -> bool | None:
    """Return whether a run of tests passed; None where that is not said."""
    seen = Iteration(1, "", 0.0, {"response": Source("response", text=call.result or "")})
    facts = {
        fact.name: fact.value for fact in load("tests").extract("tests", "response", object_of({}), seen)
    }
    passing, failed = facts.get("tests.passing"), facts.get("tests.failed")
    if isinstance(failed, int) and failed > 0:
        return False
    if isinstance(passing, bool):
        return passing
    if _PIPED.search(command):
        return None
    if call.exit_status is not None:
        return call.exit_status == 0
    return None if call.is_error is None else not call.is_error


def _claims(begin: Begin, iterations: Sequence[RecordedIteration], policy: CompiledPolicy) -> bool:
    """Return whether the last iteration that has a response claims completion or signals it."""
    answered = [number for number, one in enumerate(iterations) if one.response]
    if not answered:
        return False
    extraction, replay = Extraction(policy, begin), Replay(policy, begin, Program(policy))
    unread = unread_facts(policy)
    conditions = [
        compile_node(policy.conditions[name], policy.values(), policy.conditions, unread) for name in CLAIMS
    ]
    claims = False
    for one in iterations[: answered[-1] + 1]:
        decided = replay.step(extraction.step(one))
        said = decided.record.get(PHRASE) is True
        claims = said or any(condition((decided.record,)) is True for condition in conditions)
    return claims


if __name__ == "__main__":
    sys.exit(main())
