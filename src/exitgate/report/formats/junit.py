"""
Results of tests as JUnit XML, in the shape that CI servers share.

`testsuites` holds a `testsuite` for each file, that a `testcase` for each test; one that failed holds a
`failure`, a file that cannot be used a test case with an `error`. Elements and attributes are those that
Jenkins, GitLab and GitHub's reporters read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.policy.tests import INVARIANT, Ran, RanAll, RanFile, difference, failed_text, miss_text
from exitgate.report.terminal import Style, safe, safe_block

FAILURE, ERROR = "failure", "error"


class Trouble(Struct, frozen=True):
    """
    Why a test did not pass.

    Args:
        kind: `FAILURE`, or `ERROR` where the test itself cannot be run.
        type: What was looked at: ``rule``, ``invariant``, a diagnostic's code.
        message: One line.
        text: All of it.
    """

    kind: str
    type: str
    message: str
    text: str


class Test(Struct, frozen=True):
    """
    One test.

    Args:
        name: Of it.
        group: What it belongs to, as dots separate it: the policy.
        seconds: How long it took.
        file, line: Where it is written; the empty text and 0 where that is not known.
        troubles: None of them means that it passed.
    """

    name: str
    group: str
    seconds: float = 0.0
    file: str = ""
    line: int = 0
    troubles: Sequence[Trouble] = ()

    #: For pytest, which would take it for tests of its own.
    __test__ = False

    def has(self, kind: str) -> bool:
        """Return whether it has trouble of a kind."""
        return any(one.kind == kind for one in self.troubles)


def junit(name: str, suites: Sequence[tuple[str, Sequence[Test]]]) -> str:
    """Return the document; `suites` are names with the tests of each."""
    every = [test for _, tests in suites for test in tests]
    lines = [f"<testsuites name={attribute(name)} {_counts(every)}>"]
    for suite, tests in suites:
        lines.append(f'  <testsuite name={attribute(suite)} {_counts(tests)} skipped="0">')
        for test in tests:
            lines += _test(test)
        lines.append("  </testsuite>")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, "</testsuites>"]) + "\n"


def _counts(tests: Sequence[Test]) -> str:
    failures = sum(test.has(FAILURE) for test in tests)
    errors = sum(test.has(ERROR) for test in tests)
    seconds = sum(test.seconds for test in tests)
    return f'tests="{len(tests)}" failures="{failures}" errors="{errors}" time="{seconds:.3f}"'


def _test(test: Test) -> Iterator[str]:
    head = f"    <testcase name={attribute(test.name)} classname={attribute(test.group)}"
    head += f' time="{test.seconds:.3f}"'
    head += f" file={attribute(test.file)}" if test.file else ""
    head += f' line="{test.line}"' if test.line else ""
    if not test.troubles:
        yield f"{head}/>"
        return
    yield f"{head}>"
    for one in test.troubles:
        said = f"message={attribute(one.message)} type={attribute(one.type)}"
        yield f"      <{one.kind} {said}>{content(one.text)}</{one.kind}>"
    yield "    </testcase>"


# Text inside XML.


def attribute(text: str) -> str:
    """Return `text` on one line, in quotes, as the value of an attribute."""
    return quoteattr(safe(text))


def content(text: str) -> str:
    """Return `text` as what is between two tags; its line ends and tabs stay."""
    return escape(safe_block(text))


# What ran of policies' tests, as JUnit XML.


def tests_junit(found: RanAll) -> str:
    """Return the document: a suite for each file, a test case for each case and invariant."""
    return junit("exitgate test", [(file.path, list(_tests(file))) for file in found.files])


def _tests(file: RanFile) -> Iterator[Test]:
    if file.code:
        text = diagnostics_text(file.diagnostics, Style())
        first = file.diagnostics[0]
        trouble = Trouble(ERROR, first.code, first.message, text)
        yield Test("the file can be used", file.path, file.seconds, file.path, troubles=(trouble,))
        return
    for one in file.ran:
        place = one.place
        yield Test(
            one.title,
            file.policy,
            one.seconds,
            place.file if place is not None else "",
            place.line if place is not None else 0,
            tuple(_troubles(one)),
        )


def _troubles(one: Ran) -> Iterator[Trouble]:
    if one.broken:
        yield Trouble(FAILURE, INVARIANT, one.broken[0], failed_text(one, Style()))
    if one.misses:
        # Readers of this format show one failure a test case: the first is its message, all are its text.
        first = one.misses[0]
        more = f" (and {len(one.misses) - 1} more)" if len(one.misses) > 1 else ""
        lines = "\n".join(difference(first)) if first.wanted.count("\n") else miss_text(first)
        yield Trouble(FAILURE, first.key, f"{first.what}: {lines}{more}", failed_text(one, Style()))
