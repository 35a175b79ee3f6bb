"""What ran of policies' tests, as JUnit XML."""

from __future__ import annotations

from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.junit import ERROR, FAILURE, Test, Trouble, junit
from exitgate.report.style import Style
from exitgate.report.tests_ran import INVARIANT
from exitgate.report.tests_text import difference, failed_text, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.report.tests_ran import Ran, RanAll, RanFile


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
        lines = "\n".join(difference(first)) if first.wanted.count("\n") else said(first)
        yield Trouble(FAILURE, first.key, f"{first.what}: {lines}{more}", failed_text(one, Style()))
