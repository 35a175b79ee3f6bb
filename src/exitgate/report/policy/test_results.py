"""What ran of policies' tests, as JSON: `exitgate/tests@1`."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from exitgate.report.formats.output import (
    Count,
    DiagnosticOutput,
    Output,
    PlaceOutput,
    Position,
    Seconds,
    diagnostic_outputs,
    output_text,
    place_output,
)
from exitgate.report.policy.tests import CASE, INVARIANT, Miss, Ran, RanAll, RanFile

SCHEMA: Final = "exitgate/tests@1"


RanKind = Annotated[str, Meta(extra_json_schema={"enum": [CASE, INVARIANT]})]
Passed = Annotated[str, Meta(extra_json_schema={"enum": ["passed", "failed"]})]


class FailureOutput(Output, frozen=True):
    """
    One expectation that was not met.

    Args:
        key: What was looked at: a key of `expect`.
        subject: The fact or rule it is about.
        iteration: From 1.
        place: Where the expectation is written.
        expected: For people.
        got: For people.
        why: Lines on how it came about: conditions with values written in, the nearest cause.
    """

    key: str
    subject: str | None
    iteration: Position
    place: PlaceOutput | None
    expected: str
    got: str
    why: tuple[str, ...]


class ResultOutput(Output, frozen=True):
    """
    A case or an invariant that was run.

    Args:
        kind: Which of the two.
        name: Of the case, or id of the invariant.
        place: Where it is written.
        note: What its author says of it; may be empty.
        result: Whether it passed.
        seconds: How long it took.
        failures: Expectations that were not met.
        broken: Lines on an invariant that is broken or was never put to the test.
    """

    kind: RanKind
    name: str
    place: PlaceOutput | None
    note: str
    result: Passed
    seconds: Seconds
    failures: tuple[FailureOutput, ...]
    broken: tuple[str, ...]


class TestFileOutput(Output, frozen=True):
    """
    One file of tests.

    Args:
        path: Its path.
        policy: Name of the policy under test; null where the file cannot be used.
        version: Of the policy.
        seconds: How long it took.
        diagnostics: What is wrong with a file that cannot be used.
        results: What was run, in order.
    """

    path: str
    policy: str | None
    version: str | None
    seconds: Seconds
    diagnostics: tuple[DiagnosticOutput, ...]
    results: tuple[ResultOutput, ...]


class TestResultsOutput(Output, frozen=True):
    """
    What `exitgate test --format json` prints.

    Args:
        schema: Name and version of this format.
        passed: Cases and invariants that passed.
        failed: Cases and invariants that failed.
        unusable: Files that cannot be used.
        not_selected: Cases and invariants that `-k` left out.
        stopped: Whether the run ended at the first failure.
        seconds: How long everything took, reading and compiling included.
        files: In the order in which they were run.
    """

    schema: Literal["exitgate/tests@1"]
    passed: Count
    failed: Count
    unusable: Count
    not_selected: Count
    stopped: bool
    seconds: Seconds
    files: tuple[TestFileOutput, ...]


def tests_json(found: RanAll) -> str:
    """Return the document with its line end."""
    return output_text(
        TestResultsOutput(
            SCHEMA,
            len(found.ran) - len(found.failed),
            len(found.failed),
            len(found.unusable),
            found.left_out,
            found.stopped,
            round(found.seconds, 6),
            tuple(map(_file_output, found.files)),
        )
    )


def _file_output(file: RanFile) -> TestFileOutput:
    return TestFileOutput(
        file.path,
        file.policy or None,
        file.version or None,
        round(file.seconds, 6),
        diagnostic_outputs(file.diagnostics),
        tuple(map(_ran_output, file.ran)),
    )


def _ran_output(one: Ran) -> ResultOutput:
    return ResultOutput(
        one.kind,
        one.name,
        place_output(one.place),
        one.note,
        "failed" if one.failed else "passed",
        round(one.seconds, 6),
        tuple(map(_miss_output, one.misses)),
        tuple(one.broken),
    )


def _miss_output(miss: Miss) -> FailureOutput:
    place = place_output(miss.place)
    why = tuple(miss.why)
    return FailureOutput(miss.key, miss.subject or None, miss.iteration, place, miss.wanted, miss.got, why)
